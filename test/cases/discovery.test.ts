import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stack } from '../support/stack.ts';
import { useCloud } from './support.ts';

const people = useCloud('discovery');

describe('extensions', () => {
  it('are looked up by their exact alias', async () => {
    const { alice } = people();
    const { extension } = await alice.ask(200, 'GET', '/extensions/security-group');
    expect(extension).toMatchObject({ alias: 'security-group', links: expect.any(Array), updated: expect.any(String) });
    await alice.ask(404, 'GET', '/extensions/no-such-extension');
    await alice.ask(404, 'GET', '/extensions/Security-Group');
  });

  it('are listed, those that clients look for among them', async () => {
    const { alice } = people();
    const { extensions } = await alice.ask(200, 'GET', '/extensions');
    const aliases = extensions.map(({ alias }: { alias: string }) => alias);
    const wanted = [
      'security-group',
      'quotas',
      'standard-attr-revisions',
      'standard-attr-tag',
      'pagination',
      'sorting',
    ];
    expect(aliases).toEqual(expect.arrayContaining([...wanted, 'project-id', 'rbac-policies', 'subnet_allocation']));
    expect(new Set(aliases).size).toBe(aliases.length);
  });
});

describe('who says not who they are', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start('cases_discovery_tokens', { DEFAULT: { auth_strategy: 'embedded', api_workers: 1 } });
  });
  afterAll(() => stack.stop());
  const nobody = { as: { token: '' } } as const;

  it('sees the versions of the API', async () => {
    const { status, body } = await stack.call('GET', '/', nobody);
    expect(status).toBe(200);
    expect(body.versions[0]).toMatchObject({ id: 'v2.0', status: 'CURRENT' });
    expect(body.versions[0].links[0]).toMatchObject({ rel: 'self', href: expect.stringMatching(/\/v2\.0\/?$/) });
  });

  it('is refused before anything is looked at', async () => {
    const wrong = { network: { bogus: 1 } };
    expect((await stack.call('GET', '/v2.0/networks', nobody)).status).toBe(401);
    expect((await stack.call('POST', '/v2.0/networks', { ...nobody, body: wrong })).status).toBe(401);
    expect((await stack.call('POST', '/v2.0/networks', { ...nobody, body: '{' })).status).toBe(401);
    expect((await stack.call('GET', '/v2.0/no_such_things', nobody)).status).toBe(401);
    expect((await stack.call('GET', '/v2.0/networks', { as: { token: 'x.y.z' } })).status).toBe(401);
  });
});
