import { describe, expect, it } from 'vitest';
import { ipVersion, SLAAC, unknownId, useCloud } from './support.ts';

const people = useCloud('subnets');

describe('the CIDR of a subnet', () => {
  it('does not overlap another of the network, either way round; other networks may have it', async () => {
    const { alice } = people();
    const net = await alice.network();
    const at = (cidr: string) => ({ network_id: net.id, ...ipVersion(cidr) });
    await alice.subnet(net, '10.0.0.0/24');
    for (const cidr of ['10.0.0.128/25', '10.0.0.0/16', '10.0.0.0/24', '10.0.0.77/24']) {
      await alice.refused(400, 'InvalidInput').create('subnet', at(cidr));
    }
    await alice.subnet(net, '10.0.1.0/24');
    await alice.subnet(await alice.network(), '10.0.0.0/24');
    await alice.subnet(net, 'fd00:1::/64');
    await alice.refused(400).create('subnet', at('fd00:1::/48'));
  });

  it.each([
    [6, '10.3.0.0/24'],
    [4, 'fd00:4::/64'],
    [5, '10.3.0.0/24'],
    ['four', '10.3.0.0/24'],
    [4, 'not-a-cidr'],
    [4, '10.3.0.300/24'],
    [4, '10.3.0.0/33'],
    [6, 'fd00:4::/129'],
    [4, ''],
    [4, null],
    [4, 10],
  ])('of version %j is not %j', async (ip_version, cidr) => {
    const { alice } = people();
    const net = await alice.network();
    await alice.refused(400).create('subnet', { network_id: net.id, ip_version, cidr });
  });

  it('may be given by the version as text, and with host bits', async () => {
    const { alice } = people();
    const sub = await alice.create('subnet', {
      network_id: (await alice.network()).id,
      ip_version: '4',
      cidr: '10.4.0.9/24',
    });
    expect(sub).toMatchObject({ ip_version: 4, cidr: '10.4.0.0/24', gateway_ip: '10.4.0.1' });
  });
});

describe('the network of a subnet', () => {
  it('is told, exists, and is the caller’s', async () => {
    const { alice, bob } = people();
    const four = ipVersion('10.0.0.0/24');
    expect(await alice.refused(400).create('subnet', four)).toContain('network_id');
    await alice.refused(400).create('subnet', { ...four, network_id: 'bad' });
    await alice.refused(400).create('subnet', { ...four, network_id: null });
    await alice.refused(404, 'NetworkNotFound').create('subnet', { ...four, network_id: unknownId() });
    const theirs = await bob.network();
    await alice.refused(404, 'NetworkNotFound').create('subnet', { ...four, network_id: theirs.id });
    await bob.refused([400, 404]).create('subnet', { network_id: theirs.id, ip_version: 4 });
  });
});

describe('the DNS servers of a subnet', () => {
  it('keep their order', async () => {
    const { alice } = people();
    const servers = ['9.9.9.9', '1.1.1.1', '8.8.8.8'];
    const sub = await alice.subnet(await alice.network(), '10.0.0.0/24', { dns_nameservers: servers });
    expect(sub.dns_nameservers).toEqual(servers);
    await alice.change('subnet', sub.id, { dns_nameservers: ['8.8.8.8', '9.9.9.9'] });
    expect((await alice.show('subnet', sub.id)).dns_nameservers).toEqual(['8.8.8.8', '9.9.9.9']);
    expect((await alice.change('subnet', sub.id, { dns_nameservers: [] })).dns_nameservers).toEqual([]);
    expect((await alice.change('subnet', sub.id, { dns_nameservers: null })).dns_nameservers).toEqual([]);
  });

  it.each([[['8.8.8.8', '8.8.8.8']], [['8.8.8.300']], ['8.8.8.8'], [[8]], [[null]]])(
    'are not %j',
    async (dns_nameservers) => {
      const { alice } = people();
      const net = await alice.network();
      const sub = await alice.subnet(net, '10.0.0.0/24');
      await alice.refused(400).change('subnet', sub.id, { dns_nameservers });
      await alice.refused(400).create('subnet', { network_id: net.id, ...ipVersion('10.1.0.0/24'), dns_nameservers });
    },
  );
});

describe('a subnet with ports', () => {
  it('stays, unless their addresses follow from it', async () => {
    const { alice } = people();
    const net = await alice.network();
    const four = await alice.subnet(net, '10.0.0.0/24');
    const six = await alice.subnet(net, 'fd00:6::/64', SLAAC);
    const port = await alice.port(net);
    expect(port.fixed_ips).toHaveLength(2);
    await alice.refused(409, 'SubnetInUse').remove('subnet', four.id);
    await alice.remove('subnet', six.id);
    expect((await alice.show('port', port.id)).fixed_ips).toEqual([expect.objectContaining({ subnet_id: four.id })]);
    await alice.remove('port', port.id);
    await alice.remove('subnet', four.id);
  });
});

describe('DHCP of a subnet', () => {
  it('is turned off and on, but not on where there is no room for a server', async () => {
    const { alice } = people();
    const net = await alice.network();
    const sub = await alice.subnet(net, '10.0.0.0/24', { enable_dhcp: false });
    expect(sub.enable_dhcp).toBe(false);
    expect((await alice.change('subnet', sub.id, { enable_dhcp: true })).enable_dhcp).toBe(true);
    const none = { enable_dhcp: false, gateway_ip: null };
    const pair = await alice.subnet(net, '10.0.9.0/31', none);
    await alice.refused(400).change('subnet', pair.id, { enable_dhcp: true });
    const one = await alice.subnet(net, '10.0.8.0/32', none);
    await alice.refused(400).change('subnet', one.id, { enable_dhcp: true });
    await alice.refused(400).create('subnet', { network_id: net.id, ...ipVersion('10.0.7.0/31'), gateway_ip: null });
  });
});
