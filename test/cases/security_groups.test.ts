import { describe, expect, it } from 'vitest';
import { type Attributes, useCloud } from './support.ts';

const people = useCloud('security_groups');

const each = (rules: readonly Attributes[], name: string) => rules.map((rule) => rule[name]).toSorted();

describe('the default group of a project', () => {
  it('is there when it is first looked for, once, and stays', async () => {
    const { alice } = people();
    const [group, ...others] = await alice.list('security-groups?name=default');
    expect(others).toEqual([]);
    expect(group.security_group_rules).toHaveLength(4);
    const ingress = await alice.list(`security-group-rules?security_group_id=${group.id}&direction=ingress`);
    expect(each(ingress, 'remote_group_id')).toEqual([group.id, group.id]);
    expect(each(ingress, 'ethertype')).toEqual(['IPv4', 'IPv6']);
    await alice.refused(409, 'SecurityGroupCannotRemoveDefault').remove('security_group', group.id);
    await alice.refused(409, 'SecurityGroupDefaultAlreadyExists').create('security_group', { name: 'default' });
    await alice.refused([403, 409]).change('security_group', group.id, { name: 'x' });
    expect((await alice.show('security_group', group.id)).name).toBe('default');
  });

  it('is one, however many look for it at once', async () => {
    const { alice } = people();
    const net = await alice.network();
    expect(await alice.race(6, 'POST', '/ports', { port: { network_id: net.id } })).toEqual({ 201: 6 });
    expect(await alice.list('security-groups?name=default')).toHaveLength(1);
  });
});

describe('a new group', () => {
  it('lets everything out, and nothing in', async () => {
    const { alice } = people();
    const { security_group_rules: rules, stateful } = await alice.create('security_group', { name: 'sg' });
    expect(each(rules, 'direction')).toEqual(['egress', 'egress']);
    expect(each(rules, 'ethertype')).toEqual(['IPv4', 'IPv6']);
    expect(stateful).toBe(true);
  });

  it('may have another’s name, and goes when no port has it', async () => {
    const { alice } = people();
    const group = await alice.create('security_group', { name: 'dup' });
    await alice.create('security_group', { name: 'dup' });
    const port = await alice.port(await alice.network(), { security_groups: [group.id] });
    await alice.refused(409, 'SecurityGroupInUse').remove('security_group', group.id);
    expect(await alice.list('security-groups?name=dup')).toHaveLength(2);
    expect((await alice.change('port', port.id, { security_groups: [] })).security_groups).toEqual([]);
    await alice.remove('security_group', group.id);
    expect(await alice.list(`security-group-rules?security_group_id=${group.id}`)).toEqual([]);
  });

  it('is stateful or not while no port has it', async () => {
    const { alice } = people();
    const group = await alice.create('security_group', { name: 'sg', stateful: false });
    expect((await alice.show('security_group', group.id)).stateful).toBe(false);
    await alice.change('security_group', group.id, { stateful: true });
    await alice.port(await alice.network(), { security_groups: [group.id] });
    await alice.change('security_group', group.id, { stateful: true, name: 'renamed' });
    await alice.refused(409, 'SecurityGroupInUse').change('security_group', group.id, { stateful: false });
  });
});

describe('a rule', () => {
  const tcp = { direction: 'ingress', protocol: 'tcp' };
  const icmp = { direction: 'ingress', protocol: 'icmp' };

  it.each([
    ['ports the wrong way round', { ...tcp, port_range_min: 80, port_range_max: 22 }],
    ['the port 0', { ...tcp, port_range_min: 0, port_range_max: 80 }],
    ['a port too high', { ...tcp, port_range_min: 1, port_range_max: 65536 }],
    ['one end of a range', { ...tcp, port_range_min: 22 }],
    ['ports without a protocol', { direction: 'ingress', port_range_min: 22, port_range_max: 22 }],
    ['a protocol that is none', { direction: 'ingress', protocol: 'banana' }],
    ['a protocol number too high', { direction: 'ingress', protocol: '256' }],
    ['a negative protocol number', { direction: 'ingress', protocol: -1 }],
    ['an ICMP type too high', { ...icmp, port_range_min: 256 }],
    ['an ICMP code without a type', { ...icmp, port_range_max: 0 }],
    ['a prefix of the other family', { ...tcp, remote_ip_prefix: 'fd00::/64' }],
    ['an ethertype of the other family', { ...tcp, ethertype: 'IPv6', remote_ip_prefix: '10.0.0.0/8' }],
    ['an ethertype that is none', { ...tcp, ethertype: 'IPv5' }],
    ['ICMPv6 in IPv4', { direction: 'ingress', protocol: 'ipv6-icmp', ethertype: 'IPv4' }],
    ['a prefix that is none', { ...tcp, remote_ip_prefix: '10.0.0.0/33' }],
    ['a direction that is none', { direction: 'sideways' }],
    ['no direction', { protocol: 'tcp' }],
  ])('has not %s', async (_, rule) => {
    const { alice } = people();
    const group = await alice.create('security_group', { name: 'sg' });
    await alice.refused(400).create('security_group_rule', { security_group_id: group.id, ...rule });
    expect(await alice.list(`security-group-rules?security_group_id=${group.id}`)).toHaveLength(2);
  });

  it.each([
    [{ ...icmp, port_range_min: 8, port_range_max: 0 }, 'icmp'],
    [{ direction: 'ingress', protocol: '112' }, '112'],
    [{ direction: 'ingress', protocol: 47 }, '47'],
    [{ direction: 'ingress', protocol: null }, null],
    [{ direction: 'egress', protocol: 'udp', port_range_min: 53, port_range_max: 53 }, 'udp'],
  ])('may be %j', async (rule, protocol) => {
    const { alice } = people();
    const group = await alice.create('security_group', { name: 'sg' });
    const made = await alice.create('security_group_rule', { security_group_id: group.id, ...rule });
    expect(made.protocol).toBe(protocol);
    await alice
      .refused(409, 'SecurityGroupRuleExists')
      .create('security_group_rule', { security_group_id: group.id, ...rule });
  });

  it('of ICMPv6 goes by either name', async () => {
    const { alice } = people();
    const group = await alice.create('security_group', { name: 'sg' });
    const rule = { security_group_id: group.id, direction: 'ingress', ethertype: 'IPv6' };
    const made = await alice.create('security_group_rule', { ...rule, protocol: 'icmpv6' });
    expect(['icmpv6', 'ipv6-icmp']).toContain(made.protocol);
  });

  it('that names a group goes with that group', async () => {
    const { alice } = people();
    const group = await alice.create('security_group', { name: 'sg' });
    const remote = await alice.create('security_group', { name: 'sg2' });
    const rule = await alice.create('security_group_rule', {
      security_group_id: group.id,
      ...tcp,
      remote_group_id: remote.id,
    });
    await alice.remove('security_group', remote.id);
    await alice.refused(404, 'SecurityGroupRuleNotFound').show('security_group_rule', rule.id);
    expect((await alice.show('security_group', group.id)).security_group_rules).toHaveLength(2);
  });
});

describe('an address group', () => {
  it('holds prefixes, feeds rules, and stays while a rule names it', async () => {
    const { alice } = people();
    const addresses = ['10.0.0.0/24', '192.0.2.7/32'];
    const set = await alice.create('address_group', { name: 'g', addresses });
    expect(set.addresses.toSorted()).toEqual(addresses);
    const group = await alice.create('security_group', { name: 'sg' });
    const of = (protocol: string) => ({
      security_group_id: group.id,
      direction: 'ingress',
      protocol,
      remote_address_group_id: set.id,
    });
    const rule = await alice.create('security_group_rule', of('tcp'));
    await alice.refused(400).create('security_group_rule', { ...of('udp'), remote_ip_prefix: '10.0.0.0/8' });
    await alice.refused(400).create('security_group_rule', { ...of('udp'), remote_group_id: group.id });
    await alice.refused(409, 'AddressGroupInUse').remove('address_group', set.id);
    const path = `/address-groups/${set.id}`;
    const added = await alice.ask(200, 'PUT', `${path}/add_addresses`, { addresses: ['10.9.0.0/24'] });
    expect(added.address_group.addresses).toContain('10.9.0.0/24');
    await alice.refused([400, 404]).ask('PUT', `${path}/remove_addresses`, { addresses: ['10.77.0.0/24'] });
    await alice.refused(400).create('address_group', { name: 'g', addresses: ['banana'] });
    await alice.remove('security_group_rule', rule.id);
    await alice.remove('address_group', set.id);
  });
});
