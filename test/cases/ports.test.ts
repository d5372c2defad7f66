import { describe, expect, it } from 'vitest';
import { unknownId, useCloud } from './support.ts';

const people = useCloud('ports');

describe('a fresh port', () => {
  it('has the values that are documented', async () => {
    const { alice } = people();
    const port = await alice.port(await alice.network());
    expect(port).toMatchObject({
      status: 'DOWN',
      admin_state_up: true,
      device_id: '',
      device_owner: '',
      allowed_address_pairs: [],
      extra_dhcp_opts: [],
      port_security_enabled: true,
      'binding:vnic_type': 'normal',
      tags: [],
      description: '',
      fixed_ips: [],
    });
    expect(port.security_groups).toHaveLength(1);
    expect(port.revision_number).toBeGreaterThanOrEqual(1);
    expect(port.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await alice.show('port', port.id)).toEqual(port);
  });
});

describe('a port that is refused', () => {
  it('leaves nothing behind: no port, no address, no use of the quota', async () => {
    const { admin, alice } = people();
    await admin.change('quota', alice.project, { port: 2 });
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24', {
      enable_dhcp: false,
      allocation_pools: [{ start: '10.0.0.10', end: '10.0.0.11' }],
    });
    for (let at = 0; at < 3; at += 1) {
      await alice.refused(404).create('port', { network_id: net.id, security_groups: [unknownId()] });
      await alice.refused(400).create('port', { network_id: net.id, fixed_ips: [{ ip_address: '10.99.0.1' }] });
      await alice.refused(403).create('port', { network_id: net.id, 'binding:host_id': 'cmp1' });
    }
    const { quota } = await alice.ask(200, 'GET', `/quotas/${alice.project}/details.json`);
    expect(quota.port).toEqual({ limit: 2, used: 0, reserved: 0 });
    await alice.port(net);
    await alice.port(net);
    await alice.refused(409, 'OverQuota').create('port', { network_id: net.id });
    expect(await alice.list('ports')).toHaveLength(2);
  });
});
