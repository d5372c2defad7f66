import { describe, expect, it } from 'vitest';
import { ids, useCloud } from './support.ts';

const people = useCloud('validation');

describe('texts', () => {
  it.each(['réseau-网络-🚀 "x" \' ; --', '100% _real_ \\ path', 'a=b&c=d#e?f', '<script>'])(
    'come back as they were: %s',
    async (name) => {
      const { alice } = people();
      const net = await alice.network({ name, description: 'описание 🚀' });
      expect(await alice.show('network', net.id)).toMatchObject({ name, description: 'описание 🚀' });
      expect(ids(await alice.list(`networks?name=${encodeURIComponent(name)}`))).toEqual([net.id]);
    },
  );

  it('have at most 255 characters, however many bytes those are', async () => {
    const { alice } = people();
    await alice.network({ name: '🚀'.repeat(255) });
    await alice.refused(400).create('network', { name: 'x'.repeat(256) });
    await alice.refused(400).create('network', { description: 'x'.repeat(256) });
  });

  it.each([1, null, [], {}, true])('are no %j', async (name) => {
    const { alice } = people();
    await alice.refused(400).create('network', { name });
  });
});

describe('booleans', () => {
  it.each([
    ['false', false],
    [1, true],
    ['True', true],
    [0, false],
    ['0', false],
    ['FALSE', false],
  ])('may be written %j', async (written, admin_state_up) => {
    const { alice } = people();
    expect((await alice.network({ admin_state_up: written })).admin_state_up).toBe(admin_state_up);
  });

  it.each([2, null, '', 'maybe', [], {}])('may not be written %j', async (admin_state_up) => {
    const { alice } = people();
    await alice.refused(400).create('network', { admin_state_up });
  });
});

describe('the owner', () => {
  it('goes by two names, which are always the same, and both filter', async () => {
    const { admin, alice, bob } = people();
    const net = await alice.network();
    expect(net).toMatchObject({ tenant_id: alice.project, project_id: alice.project });
    await bob.network();
    for (const name of ['project_id', 'tenant_id']) {
      expect(ids(await admin.list(`networks?${name}=${alice.project}`))).toEqual([net.id]);
      const theirs = await admin.network({ [name]: bob.project });
      expect(theirs).toMatchObject({ tenant_id: bob.project, project_id: bob.project });
      expect((await admin.list(`networks?id=${net.id}&fields=${name}`))[0]).toEqual({ [name]: alice.project });
    }
    await admin.refused(400).create('network', { project_id: alice.project, tenant_id: bob.project });
    await alice.refused([400, 403]).create('network', { project_id: bob.project });
  });
});
