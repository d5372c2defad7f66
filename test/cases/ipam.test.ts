import { describe, expect, it } from 'vitest';
import { unknownId, useCloud } from './support.ts';

const people = useCloud('ipam');

const pool = (start: string, end: string) => ({ enable_dhcp: false, allocation_pools: [{ start, end }] });

describe('a pool', () => {
  it('that is empty says so, and an address that is given back is used again', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24', pool('10.0.0.10', '10.0.0.11'));
    const first = await alice.port(net);
    await alice.port(net);
    const message = await alice.refused(409, 'IpAddressGenerationFailure').create('port', { network_id: net.id });
    expect(message).toContain(net.id);
    await alice.remove('port', first.id);
    expect((await alice.port(net)).fixed_ips).toEqual(first.fixed_ips);
  });

  it('gives its last addresses once each, however many ask at once', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/28', pool('10.0.0.2', '10.0.0.4'));
    expect(await alice.race(6, 'POST', '/ports', { port: { network_id: net.id } })).toEqual({ 201: 3, 409: 3 });
    const addresses = (await alice.list(`ports?network_id=${net.id}`)).map(
      (port: { fixed_ips: { ip_address: string }[] }) => port.fixed_ips[0]?.ip_address,
    );
    expect(addresses.toSorted()).toEqual(['10.0.0.2', '10.0.0.3', '10.0.0.4']);
  });
});

describe('a named address', () => {
  it('goes to one of several who name it at once', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24');
    const port = { network_id: net.id, fixed_ips: [{ ip_address: '10.0.0.99' }] };
    expect(await alice.race(5, 'POST', '/ports', { port })).toEqual({ 201: 1, 409: 4 });
    await alice.refused(409, 'IpAddressAlreadyAllocated').create('port', port);
  });
});

describe('the addresses of a port', () => {
  it('always come in the same order', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24');
    const fixed_ips = ['10.0.0.90', '10.0.0.20', '10.0.0.55'].map((ip_address) => ({ ip_address }));
    const port = await alice.port(net, { fixed_ips });
    const shown = (await alice.show('port', port.id)).fixed_ips;
    expect(shown).toEqual(port.fixed_ips);
    expect((await alice.list(`ports?id=${port.id}`))[0].fixed_ips).toEqual(shown);
    await alice.change('port', port.id, { name: 'renamed' });
    expect((await alice.show('port', port.id)).fixed_ips).toEqual(shown);
  });

  it.each([
    ['twice the same', [{ ip_address: '10.0.0.9' }, { ip_address: '10.0.0.9' }]],
    ['a text', '10.0.0.9'],
    ['a list of texts', ['10.0.0.9']],
    ['a subnet that can be none', [{ subnet_id: 'nope' }]],
    ['another key', [{ ip: '10.0.0.9' }]],
    ['an address with a blank', [{ ip_address: '10.0.0.9 ' }]],
    ['an address of no subnet', [{ ip_address: '10.99.0.9' }]],
    ['the network’s address', [{ ip_address: '10.0.0.0' }]],
    ['the broadcast address', [{ ip_address: '10.0.0.255' }]],
    ['nothing at all', [{}]],
    ['null', [null]],
  ])('are not %s', async (_, fixed_ips) => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24');
    await alice.refused(400).create('port', { network_id: net.id, fixed_ips });
  });

  it('are of the port’s own network, and of subnets that there are', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24');
    const elsewhere = await alice.subnet(await alice.network(), '10.50.0.0/24');
    const at = (subnet_id: string) => ({ network_id: net.id, fixed_ips: [{ subnet_id }] });
    await alice.refused(400).create('port', at(elsewhere.id));
    await alice.refused(404, 'SubnetNotFound').create('port', at(unknownId()));
  });
});
