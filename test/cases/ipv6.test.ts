import { describe, expect, it } from 'vitest';
import { SLAAC, useCloud } from './support.ts';

const people = useCloud('ipv6');

describe('a port of a SLAAC subnet', () => {
  it('has the address that follows from its MAC address, and no other', async () => {
    const { alice } = people();
    const net = await alice.network();
    const sub = await alice.subnet(net, 'fd00:aa:bb:cc::/64', SLAAC);
    const port = await alice.port(net, { mac_address: 'fa:16:3e:12:34:56' });
    expect(port.fixed_ips).toEqual([{ subnet_id: sub.id, ip_address: 'fd00:aa:bb:cc:f816:3eff:fe12:3456' }]);
    const other = { subnet_id: sub.id, ip_address: 'fd00:aa:bb:cc::99' };
    await alice.refused(400).create('port', { network_id: net.id, fixed_ips: [other] });
    const third = await alice.port(net, { mac_address: 'fa:16:3e:12:34:57', fixed_ips: [{ subnet_id: sub.id }] });
    expect(third.fixed_ips[0].ip_address).toBe('fd00:aa:bb:cc:f816:3eff:fe12:3457');
  });

  it('keeps that address beside others until it says otherwise', async () => {
    const { alice } = people();
    const net = await alice.network();
    const four = await alice.subnet(net, '10.0.0.0/24');
    const six = await alice.subnet(net, 'fd00:31::/64', SLAAC);
    const port = await alice.port(net);
    const kept = await alice.change('port', port.id, { fixed_ips: [{ subnet_id: four.id }] });
    expect(kept.fixed_ips).toHaveLength(2);
    const dropped = await alice.change('port', port.id, {
      fixed_ips: [{ subnet_id: four.id }, { subnet_id: six.id, delete_subnet: true }],
    });
    expect(dropped.fixed_ips).toEqual([expect.objectContaining({ subnet_id: four.id })]);
  });
});

describe('a port that names no address', () => {
  it('gets one IPv4 address, and one of every SLAAC subnet', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24');
    await alice.subnet(net, '10.0.1.0/24');
    const a = await alice.subnet(net, 'fd00:11::/64', SLAAC);
    const b = await alice.subnet(net, 'fd00:12::/64', SLAAC);
    const { fixed_ips } = await alice.port(net);
    expect(fixed_ips).toHaveLength(3);
    const subnets = fixed_ips.map(({ subnet_id }: { subnet_id: string }) => subnet_id);
    expect(subnets).toEqual(expect.arrayContaining([a.id, b.id]));
  });
});

describe('an IPv6 gateway', () => {
  it.each(['fe80::1', 'fd00:51::', 'fd00:51::77'])('may be %s', async (gateway_ip) => {
    const { alice } = people();
    const sub = await alice.subnet(await alice.network(), 'fd00:51::/64', { gateway_ip });
    expect(sub.gateway_ip).toBe(gateway_ip);
  });

  it.each(['10.0.0.1', 'nowhere', 'fd00:51::1/64'])('may not be %s', async (gateway_ip) => {
    const { alice } = people();
    const net = await alice.network();
    await alice.refused(400).create('subnet', { network_id: net.id, ip_version: 6, cidr: 'fd00:51::/64', gateway_ip });
  });
});

describe('IPv6 modes', () => {
  it.each([
    [{ ipv6_ra_mode: 'slaac', ipv6_address_mode: 'dhcpv6-stateful' }],
    [{ ipv6_ra_mode: 'bogus' }],
    [{ ...SLAAC, enable_dhcp: false }],
  ])('are not %j', async (modes) => {
    const { alice } = people();
    const net = await alice.network();
    await alice.refused(400).create('subnet', { network_id: net.id, ip_version: 6, cidr: 'fd00:61::/64', ...modes });
  });

  it('are IPv6’s, and SLAAC needs a /64', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.refused(400).create('subnet', { network_id: net.id, ip_version: 4, cidr: '10.0.0.0/24', ...SLAAC });
    await alice.refused(400).create('subnet', { network_id: net.id, ip_version: 6, cidr: 'fd00:62::/56', ...SLAAC });
  });
});
