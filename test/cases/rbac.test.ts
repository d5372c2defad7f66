import { describe, expect, it } from 'vitest';
import { unknownId, useCloud } from './support.ts';

const people = useCloud('rbac');

const share = (object_type: string, object_id: string, target_tenant: string) => ({
  object_type,
  object_id,
  action: 'access_as_shared',
  target_tenant,
});

describe('a network that is shared with a project', () => {
  it('is seen and used by that one alone, and taken back when nothing is left of it there', async () => {
    const { alice, bob, carol } = people();
    const net = await alice.network();
    const sub = await alice.subnet(net, '10.0.0.0/24');
    const policy = await alice.create('rbac_policy', share('network', net.id, bob.project));
    expect(policy.target_tenant).toBe(bob.project);
    expect((await bob.show('network', net.id)).shared).toBe(true);
    expect((await alice.show('network', net.id)).shared).toBe(false);
    await carol.refused(404, 'NetworkNotFound').show('network', net.id);
    expect(await carol.list(`networks?id=${net.id}`)).toEqual([]);
    const port = await bob.port(net);
    await bob.show('subnet', sub.id);
    await bob.refused([403, 404]).change('network', net.id, { name: 'mine now' });
    await bob.refused([403, 404]).remove('network', net.id);
    await alice.refused(409, 'RbacPolicyInUse').remove('rbac_policy', policy.id);
    await bob.remove('port', port.id);
    await alice.remove('rbac_policy', policy.id);
    await bob.refused(404, 'NetworkNotFound').show('network', net.id);
  });

  it('is another revision', async () => {
    const { alice, bob } = people();
    const net = await alice.network();
    const policy = await alice.create('rbac_policy', share('network', net.id, bob.project));
    const shared = (await alice.show('network', net.id)).revision_number;
    expect(shared).toBeGreaterThan(net.revision_number);
    await alice.remove('rbac_policy', policy.id);
    expect((await alice.show('network', net.id)).revision_number).toBeGreaterThan(shared);
  });

  it('is shared once with each', async () => {
    const { alice, bob } = people();
    const net = await alice.network();
    const body = { rbac_policy: share('network', net.id, bob.project) };
    expect(await alice.race(4, 'POST', '/rbac-policies', body)).toEqual({ 201: 1, 409: 3 });
  });

  it('with everybody is an administrator’s doing', async () => {
    const { admin, alice, carol } = people();
    const net = await alice.network();
    await alice.refused(403).create('rbac_policy', share('network', net.id, '*'));
    await admin.create('rbac_policy', share('network', net.id, '*'));
    expect((await carol.show('network', net.id)).shared).toBe(true);
  });
});

describe('what cannot be shared', () => {
  it('is refused', async () => {
    const { alice, bob } = people();
    const net = await alice.network();
    const good = share('network', net.id, bob.project);
    await alice.refused(400).create('rbac_policy', { ...good, action: 'access_as_owner' });
    await alice.refused(400).create('rbac_policy', { ...good, object_type: 'planet' });
    await alice.refused(404).create('rbac_policy', { ...good, object_id: unknownId() });
    await bob.refused(404).create('rbac_policy', share('network', net.id, bob.project));
  });
});

describe('a security group that is shared', () => {
  it('is used, not changed, by the other project', async () => {
    const { alice, bob } = people();
    const group = await alice.create('security_group', { name: 'sg' });
    const policy = await alice.create('rbac_policy', share('security_group', group.id, bob.project));
    expect((await bob.show('security_group', group.id)).shared).toBe(true);
    const port = await bob.port(await bob.network(), { security_groups: [group.id] });
    const rule = { security_group_id: group.id, direction: 'ingress', protocol: 'tcp' };
    await bob.refused([403, 404]).create('security_group_rule', rule);
    await bob.refused([400, 403, 404]).create('security_group_rule', { ...rule, project_id: alice.project });
    await bob.refused([403, 404]).change('security_group', group.id, { name: 'mine' });
    await bob.refused([403, 404]).remove('security_group', group.id);
    await alice.refused(409, 'RbacPolicyInUse').remove('rbac_policy', policy.id);
    await bob.remove('port', port.id);
    await alice.remove('rbac_policy', policy.id);
    await bob.refused(404).show('security_group', group.id);
  });
});
