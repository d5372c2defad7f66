import { describe, expect, it } from 'vitest';
import { type Attributes, useCloud } from './support.ts';

const people = useCloud('quotas');

describe('the limits of a project', () => {
  it('are set and taken back by an administrator, and read by the project', async () => {
    const { admin, alice, bob, reader } = people();
    const own = `/quotas/${alice.project}`;
    const before = await alice.show('quota', alice.project);
    expect(before).toMatchObject({ network: expect.any(Number), port: expect.any(Number) });
    await alice.refused(403).change('quota', alice.project, { port: 7 });
    expect((await admin.change('quota', alice.project, { port: 7 })).port).toBe(7);
    expect((await alice.show('quota', alice.project)).port).toBe(7);
    expect((await reader.show('quota', alice.project)).port).toBe(7);
    const known = (await admin.list('quotas')).map((quota: Attributes) => quota.project_id);
    expect(known).toContain(alice.project);
    expect((await alice.ask(200, 'GET', `${own}/default`)).quota.port).toBe(before.port);
    await alice.refused(403).remove('quota', alice.project);
    await admin.remove('quota', alice.project);
    expect(await alice.show('quota', alice.project)).toEqual(before);
    await alice.refused([403, 404]).show('quota', bob.project);
    await alice.refused(403).list('quotas');
  });

  it('come with what is used of them', async () => {
    const { admin, alice } = people();
    await admin.change('quota', alice.project, { network: 5 });
    const [, second] = [await alice.network(), await alice.network()];
    const details = async () => (await alice.ask(200, 'GET', `/quotas/${alice.project}/details.json`)).quota;
    expect((await details()).network).toEqual({ limit: 5, used: 2, reserved: 0 });
    await alice.remove('network', second.id);
    expect((await details()).network.used).toBe(1);
  });

  it.each([{ network: -2 }, { network: 'many' }, { network: null }, { network: 2 ** 31 }, { nothing: 5 }])(
    'are not %j',
    async (quota) => {
      const { admin, alice } = people();
      await admin.refused(400).change('quota', alice.project, quota);
    },
  );

  it('of -1 are none', async () => {
    const { admin, alice } = people();
    await admin.change('quota', alice.project, { network: 0 });
    await alice.refused(409, 'OverQuota').create('network');
    await admin.change('quota', alice.project, { network: -1 });
    await alice.network();
  });

  it('hold however many ask at once', async () => {
    const { admin, alice } = people();
    await admin.change('quota', alice.project, { network: 3 });
    expect(await alice.race(12, 'POST', '/networks', { network: {} })).toEqual({ 201: 3, 409: 9 });
  });

  it('of rules hold for those that a new security group brings', async () => {
    const { admin, alice } = people();
    expect(await alice.list('security-groups')).toHaveLength(1);
    await admin.change('quota', alice.project, { security_group_rule: 4 });
    await alice.refused(409, 'OverQuota').create('security_group', { name: 'g' });
    expect(await alice.list('security-groups')).toHaveLength(1);
    expect(await alice.list('security-group-rules')).toHaveLength(4);
  });
});
