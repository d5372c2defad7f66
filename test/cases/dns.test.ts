import { describe, expect, it } from 'vitest';
import { useCloud } from './support.ts';

const people = useCloud('dns');

describe('the names of a port', () => {
  it('are objects, one for each address', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24');
    await alice.subnet(net, 'fd00:1::/64');
    const port = await alice.port(net, { dns_name: 'h1' });
    expect(port.dns_assignment).toHaveLength(2);
    const addresses = port.fixed_ips.map(({ ip_address }: { ip_address: string }) => ip_address);
    for (const ip_address of addresses) {
      expect(port.dns_assignment).toContainEqual({ ip_address, hostname: 'h1', fqdn: 'h1.cloud.example.' });
    }
    const renamed = await alice.change('port', port.id, { dns_name: 'H2' });
    expect(renamed.dns_assignment[0]).toMatchObject({ hostname: 'h2', fqdn: 'h2.cloud.example.' });
    expect(await alice.show('port', port.id)).toEqual({ ...renamed, updated_at: expect.any(String) });
  });

  it('without one follow from the address', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24');
    const port = await alice.port(net, { fixed_ips: [{ ip_address: '10.0.0.7' }] });
    expect(port.dns_name).toBe('');
    expect(port.dns_assignment).toEqual([
      { ip_address: '10.0.0.7', hostname: 'host-10-0-0-7', fqdn: 'host-10-0-0-7.cloud.example.' },
    ]);
  });

  it.each(['-h', 'a b', 'x'.repeat(64), 'h1.other.example.'])('are not %s', async (dns_name) => {
    const { alice } = people();
    const net = await alice.network();
    await alice.refused(400).create('port', { network_id: net.id, dns_name });
  });
});
