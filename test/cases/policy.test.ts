import { describe, expect, it } from 'vitest';
import { useCloud } from './support.ts';

const people = useCloud('policy');

describe('attributes for administrators', () => {
  it.each([
    { shared: true },
    { 'provider:network_type': 'vxlan' },
    { 'provider:segmentation_id': 7 },
    { 'router:external': true },
    { is_default: true, 'router:external': true },
  ])('are not set by a member: %j', async (attributes) => {
    const { alice } = people();
    await alice.refused(403, 'PolicyNotAuthorized').create('network', attributes);
    const net = await alice.network();
    await alice.refused([400, 403]).change('network', net.id, attributes);
  });

  it('are not shown to a member', async () => {
    const { admin, alice } = people();
    const net = await alice.network();
    const seen = await alice.show('network', net.id);
    expect(Object.keys(seen).filter((name) => name.startsWith('provider:'))).toEqual([]);
    expect(await alice.list(`networks?id=${net.id}&fields=provider:network_type`)).toEqual([{}]);
    expect(await admin.show('network', net.id)).toHaveProperty('provider:network_type', 'vxlan');
    const port = await alice.port(net);
    expect(port).not.toHaveProperty('binding:host_id');
    expect(port['binding:vnic_type']).toBe('normal');
    await alice.refused(403).change('port', port.id, { 'binding:host_id': 'cmp1' });
    expect(await admin.show('port', port.id)).toHaveProperty('binding:host_id', '');
  });
});

describe('somebody else’s network', () => {
  it('that is shared gives ports, none of them a part of the network itself', async () => {
    const { admin, alice, bob } = people();
    const net = await bob.network();
    const share = { object_type: 'network', object_id: net.id, action: 'access_as_shared' };
    await admin.create('rbac_policy', { ...share, target_tenant: alice.project });
    for (const device_owner of ['network:dhcp', 'network:router_interface']) {
      await alice.refused(403).create('port', { network_id: net.id, device_owner });
    }
    const port = await alice.port(net);
    await alice.refused(403).change('port', port.id, { device_owner: 'network:router_interface' });
    await alice.refused(403).create('port', { network_id: net.id, mac_address: 'fa:16:3e:00:00:01' });
    await alice.refused(403).create('port', { network_id: net.id, fixed_ips: [{ ip_address: '10.0.0.5' }] });
    await alice.refused(403).create('port', { network_id: net.id, port_security_enabled: false });
    expect((await alice.change('port', port.id, { device_owner: 'compute:nova' })).device_owner).toBe('compute:nova');
  });

  it('that is external is seen, not used', async () => {
    const { admin, alice, bob } = people();
    const net = await admin.network({ 'router:external': true });
    await admin.subnet(net, '172.24.4.0/24', { enable_dhcp: false });
    expect((await alice.show('network', net.id))['router:external']).toBe(true);
    await alice.refused([403, 404]).create('port', { network_id: net.id });
    await alice.refused(403).remove('network', net.id);
    await alice.refused(403).change('network', net.id, { name: 'x' });
    const hidden = await bob.network();
    await alice.refused(404, 'NetworkNotFound').remove('network', hidden.id);
    await alice.refused(404, 'NetworkNotFound').change('network', hidden.id, { name: 'x' });
    await alice.refused(404, 'NetworkNotFound').create('port', { network_id: hidden.id });
  });
});

describe('a reader', () => {
  it('sees what the project has, and changes nothing', async () => {
    const { alice, reader } = people();
    const net = await alice.network();
    expect((await reader.show('network', net.id)).id).toBe(net.id);
    await reader.refused(403).create('network');
    await reader.refused(403).change('network', net.id, { name: 'x' });
    await reader.refused(403).remove('network', net.id);
  });
});
