/** Where the description is served, to whom, and the page; over the example plugin of the API's tests. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createHarness } from '../api/support/harness.ts';
import { documentFaults } from './support.ts';

const pipeline = (...api: readonly string[]) => createHarness({ config: { pipeline: { api } } });
const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe('the description of a plugin’s API', () => {
  it('is a document of OpenAPI 3.1, with prefixes, sub-resources, actions and raw bodies', async () => {
    const { body } = await createHarness().call('GET', '/v2.0/openapi.json', { as: null });
    expect(documentFaults(body)).toEqual([]);
    expect(body.paths['/v2.0/boxes'].post.operationId).toBe('create_box');
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([
        '/v2.0/shop/orders/summary',
        '/v2.0/shop/orders/{order_id}/total',
        '/v2.0/boxes/{box_id}/spin_box',
        '/v2.0/boxes/{box_id}/hinges/{hinge_id}',
      ]),
    );
    // The action's own rule where it is defined, the item's where it is not.
    expect(body.paths['/v2.0/boxes/{box_id}/spin_box'].put['x-policy']).toBe('spin_box');
    expect(body.paths['/v2.0/shop/orders/{order_id}/total'].get['x-policy']).toBe('get_order');
  });

  it('needs no token where it stands before auth, one where it stands behind, and is not there where it is left out', async () => {
    const status = async (api: ReturnType<typeof createHarness>, as: string | null) =>
      (await api.call('GET', '/v2.0/openapi.json', { as })).status;
    expect(await status(createHarness(), null)).toBe(200);
    const behind = pipeline('catch_errors', 'auth', 'openapi', 'app');
    expect(await status(behind, null)).toBe(401);
    expect(await status(behind, 'alice')).toBe(200);
    expect(await status(pipeline('catch_errors', 'auth', 'app'), 'admin')).toBe(404);
  });

  it('names the server as clients reach it', async () => {
    const { call } = createHarness({ config: { DEFAULT: { network_link_prefix: 'https://cloud.example/net' } } });
    expect((await call('GET', '/v2.0/openapi.json')).body.servers).toEqual([{ url: 'https://cloud.example/net' }]);
  });
});

describe('the page /v2.0/openapi', () => {
  it('shows every resource, operation and attribute', async () => {
    const { call } = createHarness();
    const [{ body: document }, page] = [await call('GET', '/v2.0/openapi.json'), await call('GET', '/v2.0/openapi')];
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=UTF-8');
    const paths = Object.keys(document.paths).filter((path) => /^\/v2\.0\/(?!extensions)./.test(path));
    const created = Object.entries<{ readonly properties: object }>(document.components.schemas).filter(([name]) =>
      name.endsWith('Create'),
    );
    const attributes = created.flatMap(([, { properties }]) => Object.keys(properties));
    expect([...paths, ...attributes].filter((name) => !page.body.includes(`<code>${name}</code>`))).toEqual([]);
  });

  it('loads nothing from elsewhere, and its policy lets nothing else run than its own script', async () => {
    const { body, headers } = await createHarness().call('GET', '/v2.0/openapi');
    expect([...body.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, target]) => target)).toEqual(['openapi.json']);
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(body) ?? [];
    const [, script] = /<script>([\s\S]*?)<\/script>/.exec(body) ?? [];
    const policy = headers.get('content-security-policy');
    expect(policy).toContain(`style-src ${digest(style ?? '')};`);
    expect(policy).toContain(`script-src ${digest(script ?? '')};`);
    expect(policy).toContain("default-src 'none'");
  });
});
