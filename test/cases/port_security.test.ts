import { describe, expect, it } from 'vitest';
import { useCloud } from './support.ts';

const people = useCloud('port_security');

describe('the address pairs of a port', () => {
  it('have the port’s own MAC address unless they name one, may be whole prefixes, and are taken away by null', async () => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, '10.0.0.0/24');
    const port = await alice.port(net, {
      mac_address: 'fa:16:3e:01:02:03',
      fixed_ips: [{ ip_address: '10.0.0.9' }],
      allowed_address_pairs: [{ ip_address: '10.0.0.99' }],
    });
    expect(port.allowed_address_pairs).toEqual([{ ip_address: '10.0.0.99', mac_address: 'fa:16:3e:01:02:03' }]);
    const pairs = [{ ip_address: '10.0.0.0/24', mac_address: 'fa:16:3e:aa:00:00' }, { ip_address: 'fd00::/64' }];
    const changed = await alice.change('port', port.id, { allowed_address_pairs: pairs });
    expect(changed.allowed_address_pairs).toHaveLength(2);
    await alice.change('port', port.id, { allowed_address_pairs: [{ ip_address: '10.0.0.9' }] });
    for (const none of [null, []]) {
      await alice.change('port', port.id, { allowed_address_pairs: pairs });
      const cleared = await alice.change('port', port.id, { allowed_address_pairs: none });
      expect(cleared.allowed_address_pairs).toEqual([]);
    }
  });

  it.each([
    [[{ ip_address: '10.0.0.99' }, { ip_address: '10.0.0.99' }]],
    [[{ mac_address: 'fa:16:3e:aa:00:00' }]],
    [[{ ip_address: 'banana' }]],
    [[{ ip_address: '10.0.0.9', mac_address: 'banana' }]],
    [[{ ip_address: '10.0.0.9', name: 'x' }]],
    [['10.0.0.99']],
    ['10.0.0.99'],
    [{ ip_address: '10.0.0.99' }],
  ])('are not %j', async (allowed_address_pairs) => {
    const { alice } = people();
    const net = await alice.network();
    const port = await alice.port(net);
    await alice.refused(400).change('port', port.id, { allowed_address_pairs });
    await alice.refused(400).create('port', { network_id: net.id, allowed_address_pairs });
  });

  it('are ten at most', async () => {
    const { alice } = people();
    const port = await alice.port(await alice.network());
    const pairs = (count: number) => Array.from({ length: count }, (_, at) => ({ ip_address: `10.0.0.${at + 1}` }));
    await alice.change('port', port.id, { allowed_address_pairs: pairs(10) });
    await alice
      .refused(400, 'AllowedAddressPairExhausted')
      .change('port', port.id, { allowed_address_pairs: pairs(11) });
  });
});

describe('a port without port security', () => {
  it('has neither security groups nor address pairs', async () => {
    const { alice } = people();
    const net = await alice.network();
    const port = await alice.port(net, { port_security_enabled: false });
    expect(port.security_groups).toEqual([]);
    await alice
      .refused(409, 'AddressPairAndPortSecurityRequired')
      .change('port', port.id, { allowed_address_pairs: [{ ip_address: '10.0.0.1' }] });
    const group = await alice.create('security_group', { name: 'g' });
    await alice
      .refused(400, 'PortSecurityAndIPRequiredForSecurityGroups')
      .change('port', port.id, { security_groups: [group.id] });
  });

  it('is made where the network has it off', async () => {
    const { alice } = people();
    const net = await alice.network({ port_security_enabled: false });
    expect((await alice.port(net)).port_security_enabled).toBe(false);
    expect((await alice.port(net, { port_security_enabled: true })).port_security_enabled).toBe(true);
  });
});
