/** Security group rules: what they may match, equal ones, what they name, bulk, deletion, what is seen of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, admin, member, Stack, type Who } from '../support/stack.ts';

const ALICE = member('alice');
const BOB = member('bob');

let stack: Stack;
let group: string;
beforeAll(async () => {
  stack = await Stack.start('security_group_rules');
});
afterAll(() => stack.stop());
beforeEach(async () => {
  await stack.clear();
  group = (await stack.create('security_group', { name: 'g' }, ALICE)).id;
});

const post = (rule: object, who: Who = ALICE) =>
  stack.call('POST', '/v2.0/security-group-rules', {
    as: who,
    body: { security_group_rule: { security_group_id: group, direction: 'ingress', ...rule } },
  });
const postAll = (rules: readonly object[], who: Who = ALICE) =>
  stack.call('POST', '/v2.0/security-group-rules', { as: who, body: { security_group_rules: rules } });
const refusal = ({ status, body }: Answer) => [status, body.NeutronError.type];
const groupRevision = async () =>
  (await stack.call('GET', `/v2.0/security-groups/${group}`, { as: ALICE })).body.security_group.revision_number;

describe('a new rule', () => {
  it('is answered in full, and changes its group', async () => {
    const answer = await post({
      protocol: 'tcp',
      port_range_min: 22,
      port_range_max: 23,
      remote_ip_prefix: '10.1.2.3/8',
      description: 'ssh',
    });
    expect(answer.status).toBe(201);
    expect(answer.body.security_group_rule).toEqual({
      id: expect.any(String),
      project_id: 'alice',
      tenant_id: 'alice',
      security_group_id: group,
      direction: 'ingress',
      ethertype: 'IPv4',
      protocol: 'tcp',
      port_range_min: 22,
      port_range_max: 23,
      remote_ip_prefix: '10.1.2.3/8',
      normalized_cidr: '10.0.0.0/8',
      remote_group_id: null,
      remote_address_group_id: null,
      belongs_to_default_sg: false,
      description: 'ssh',
      revision_number: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await groupRevision()).toBe(2);
  });

  it.each([
    [{}, {}],
    [{ protocol: 'any' }, { protocol: null }],
    [{ protocol: 'TCP' }, { protocol: 'tcp' }],
    [{ protocol: 6 }, { protocol: '6' }],
    [{ protocol: '006' }, { protocol: '6' }],
    [{ protocol: 112 }, { protocol: '112' }],
    [{ protocol: 0 }, { protocol: '0' }],
    [
      { protocol: 'tcp', port_range_min: 1, port_range_max: 65535 },
      { port_range_min: null, port_range_max: null },
    ],
    [{ protocol: 'udplite', port_range_min: 1, port_range_max: 2 }, { port_range_min: 1 }],
    [
      { protocol: '132', port_range_min: 1, port_range_max: 2 },
      { protocol: '132', port_range_min: 1 },
    ],
    [
      { protocol: 'icmp', port_range_min: 8, port_range_max: 0 },
      { port_range_min: 8, port_range_max: 0 },
    ],
    [
      { protocol: 'icmp', port_range_min: 255 },
      { port_range_min: 255, port_range_max: null },
    ],
    [
      { protocol: 'icmp', ethertype: 'ipv6' },
      { protocol: 'ipv6-icmp', ethertype: 'IPv6' },
    ],
    [{ protocol: 'icmpv6', ethertype: 'IPv6' }, { protocol: 'ipv6-icmp' }],
    [{ protocol: 1, ethertype: 'IPv6' }, { protocol: '58' }],
    [
      { protocol: 58, ethertype: 'IPv6', port_range_min: 128 },
      { protocol: '58', port_range_min: 128 },
    ],
    [{ remote_ip_prefix: '10.0.0.1' }, { remote_ip_prefix: '10.0.0.1/32', normalized_cidr: '10.0.0.1/32' }],
    [{ remote_ip_prefix: '::ffff:1.2.3.4/120', ethertype: 'IPv6' }, { normalized_cidr: '::ffff:1.2.3.0/120' }],
    [
      { direction: 'egress', remote_ip_prefix: '' },
      { remote_ip_prefix: null, direction: 'egress' },
    ],
  ])('%j is kept as %j', async (rule, kept) => {
    // The group's own egress rules would be equal to some of these.
    await stack.database.sql`delete from security_group_rules`;
    const answer = await post(rule);
    expect(answer.body).toMatchObject({ security_group_rule: kept });
  });

  it.each([
    [{ direction: 'up' }, 'HTTPBadRequest'],
    [{ protocol: 'foo' }, 'SecurityGroupRuleInvalidProtocol'],
    [{ protocol: 256 }, 'SecurityGroupRuleInvalidProtocol'],
    [{ protocol: true }, 'SecurityGroupRuleInvalidProtocol'],
    [{ protocol: '' }, 'SecurityGroupRuleInvalidProtocol'],
    [{ port_range_min: 1, port_range_max: 2 }, 'SecurityGroupProtocolRequiredWithPorts'],
    [{ protocol: 'tcp', port_range_min: 2, port_range_max: 1 }, 'SecurityGroupInvalidPortRange'],
    [{ protocol: 'tcp', port_range_max: 5 }, 'SecurityGroupInvalidPortRange'],
    [{ protocol: 'tcp', port_range_min: 5 }, 'SecurityGroupInvalidPortRange'],
    [{ protocol: 'tcp', port_range_min: 0, port_range_max: 1 }, 'SecurityGroupInvalidPortValue'],
    [{ protocol: 'tcp', port_range_min: 1, port_range_max: 65536 }, 'SecurityGroupInvalidPortValue'],
    [{ protocol: '50', port_range_min: 1, port_range_max: 2 }, 'SecurityGroupInvalidProtocolForPort'],
    [{ protocol: 'icmp', port_range_min: 256 }, 'SecurityGroupInvalidIcmpValue'],
    [{ protocol: 'icmp', port_range_min: 8, port_range_max: 256 }, 'SecurityGroupInvalidIcmpValue'],
    [{ protocol: 'icmp', port_range_max: 1 }, 'SecurityGroupMissingIcmpType'],
    [{ ethertype: 'ipx' }, 'SecurityGroupRuleInvalidEtherType'],
    [{ ethertype: 'IPv4', remote_ip_prefix: 'fd00::/8' }, 'SecurityGroupRuleParameterConflict'],
    [{ ethertype: 'IPv6', remote_ip_prefix: '10.0.0.0/8' }, 'SecurityGroupRuleParameterConflict'],
    [{ protocol: 'ipv6-icmp' }, 'SecurityGroupEthertypeConflictWithProtocol'],
    [{ protocol: 'icmpv6' }, 'SecurityGroupEthertypeConflictWithProtocol'],
    [{ protocol: 43 }, 'SecurityGroupEthertypeConflictWithProtocol'],
    [{ remote_ip_prefix: 'x' }, 'InvalidCIDR'],
    [{ remote_ip_prefix: '10.0.0.0/33' }, 'InvalidCIDR'],
    [
      { remote_ip_prefix: '10.0.0.0/8', remote_group_id: '8c7d7b3e-5f0e-4c0b-9a55-d3b2cd8c8f25' },
      'SecurityGroupMultipleRemoteEntites',
    ],
    [{ remote_ip_prefix: '10.0.0.0/8', remote_address_group_id: 'x' }, 'SecurityGroupMultipleRemoteEntites'],
  ])('%j is refused: %s', async (rule, type) => {
    const before = await stack.dump();
    expect(refusal(await post(rule))).toEqual([400, type]);
    expect(await stack.dump()).toBe(before);
  });

  it.each([
    [{ remote_group_id: crypto.randomUUID() }, 'SecurityGroupNotFound'],
    [{ remote_group_id: 'x' }, 'SecurityGroupNotFound'],
    [{ remote_group_id: 5 }, 'SecurityGroupNotFound'],
    [{ remote_group_id: { a: [] } }, 'SecurityGroupNotFound'],
    [{ remote_address_group_id: crypto.randomUUID() }, 'AddressGroupNotFound'],
    [{ remote_address_group_id: ['x'] }, 'AddressGroupNotFound'],
    [{ security_group_id: crypto.randomUUID() }, 'SecurityGroupNotFound'],
    [{ security_group_id: 'x' }, 'SecurityGroupNotFound'],
  ])('that names what is not there is 404: %j', async (rule, type) => {
    const before = await stack.dump();
    for (const who of [ALICE, admin]) expect(refusal(await post(rule, who))).toEqual([404, type]);
    expect(await stack.dump()).toBe(before);
  });

  it('does not name what the caller does not see', async () => {
    const theirs = await stack.create('security_group', {}, BOB);
    const before = await stack.dump();
    expect(refusal(await post({ remote_group_id: theirs.id }))).toEqual([404, 'SecurityGroupNotFound']);
    expect(refusal(await post({ security_group_id: theirs.id }))).toEqual([404, 'SecurityGroupNotFound']);
    expect(await stack.dump()).toBe(before);
  });

  it('of an administrator in somebody’s group counts for the administrator, and the owner sees it', async () => {
    const answer = await post({ protocol: 'tcp' }, admin);
    expect(answer.body.security_group_rule.project_id).toBe('admin');
    const path = `/v2.0/security-group-rules/${answer.body.security_group_rule.id}`;
    expect((await stack.call('GET', path, { as: ALICE })).status).toBe(200);
    expect((await stack.call('DELETE', path, { as: ALICE })).status).toBe(204);
  });
});

describe('an equal rule', () => {
  it.each([
    [{ protocol: 'tcp' }, { protocol: 'tcp' }],
    [{ protocol: 'tcp' }, { protocol: '6' }],
    [{ protocol: 17 }, { protocol: 'UDP' }],
    [
      { protocol: 'icmp', ethertype: 'IPv6' },
      { protocol: '58', ethertype: 'IPv6' },
    ],
    [{ protocol: 'tcp' }, { protocol: 'tcp', remote_ip_prefix: '0.0.0.0/0' }],
    [{ protocol: 'tcp', remote_ip_prefix: '0.0.0.0/0' }, { protocol: 'tcp' }],
    [{ protocol: 'tcp' }, { protocol: 'tcp', port_range_min: 1, port_range_max: 65535 }],
    [{ protocol: 'tcp' }, { protocol: 'tcp', description: 'another' }],
  ])('%j, then %j: the answer names the first', async (first, second) => {
    const { id } = (await post(first)).body.security_group_rule;
    const before = await stack.dump();
    const answer = await post(second);
    expect(refusal(answer)).toEqual([409, 'SecurityGroupRuleExists']);
    expect(answer.body.NeutronError.message).toContain(id);
    expect(await stack.dump()).toBe(before);
    expect(refusal(await postAll([{ security_group_id: group, direction: 'ingress', ...second }]))).toEqual([
      409,
      'SecurityGroupRuleExists',
    ]);
    expect(await stack.dump()).toBe(before);
  });

  it.each([
    [{ protocol: 'tcp' }, { protocol: 'udp' }],
    [{ protocol: 'tcp' }, { protocol: 'tcp', direction: 'egress' }],
    [{ protocol: 'tcp' }, { protocol: 'tcp', ethertype: 'IPv6' }],
    [{ protocol: 'tcp' }, { protocol: 'tcp', remote_ip_prefix: '10.0.0.0/8' }],
    [
      { protocol: 'icmp', port_range_min: 8 },
      { protocol: 'icmp', port_range_min: 8, port_range_max: 0 },
    ],
  ])('is not: %j and %j', async (first, second) => {
    expect([(await post(first)).status, (await post(second)).status]).toEqual([201, 201]);
  });

  it('in two requests at once: one of them is refused', async () => {
    const protocols = ['tcp', '6', 'TCP', 6, 'tcp', '6'];
    const answers = await Promise.all(protocols.map((protocol) => post({ protocol })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(stack.errors).toEqual([]);
  });
});

describe('several rules in one request', () => {
  const rule = (port: number, more: object = {}) => ({
    security_group_id: group,
    direction: 'ingress',
    protocol: 'tcp',
    port_range_min: port,
    port_range_max: port,
    ...more,
  });

  it('come in their order, and change the group once', async () => {
    const answer = await postAll([rule(3), rule(1), rule(2)]);
    expect(answer.status).toBe(201);
    const ports = answer.body.security_group_rules.map((made: { port_range_min: number }) => made.port_range_min);
    expect(ports).toEqual([3, 1, 2]);
    expect(await groupRevision()).toBe(2);
  });

  it.each([
    ['equal ones', () => [rule(1), rule(1, { protocol: 6 })], 409, 'DuplicateSecurityGroupRuleInPost'],
    ['of two groups', () => [rule(1), rule(2, { security_group_id: crypto.randomUUID() })], 400, undefined],
    ['of two projects', () => [rule(1), rule(2, { project_id: 'bob' })], 400, 'SecurityGroupRulesNotSingleProject'],
    ['one wrong', () => [rule(1), rule(2, { port_range_min: 3 })], 400, 'SecurityGroupInvalidPortRange'],
    ['too many', () => Array.from({ length: 100 }, (_, port) => rule(port + 1)), 409, 'OverQuota'],
  ])('%s: none is made', async (_, rules, status, type) => {
    const before = await stack.dump();
    const answer = await postAll(rules(), type === 'OverQuota' ? ALICE : admin);
    expect(refusal(answer)).toEqual([status, type ?? 'SecurityGroupNotSingleGroupRules']);
    expect(await stack.dump()).toBe(before);
  });
});

describe('a rule', () => {
  it('is not changed', async () => {
    const { id } = (await post({ protocol: 'tcp' })).body.security_group_rule;
    const answer = await stack.call('PUT', `/v2.0/security-group-rules/${id}`, {
      as: ALICE,
      body: { security_group_rule: { protocol: 'udp' } },
    });
    expect([400, 405]).toContain(answer.status);
  });

  it('that is deleted is gone, once, and has changed its group', async () => {
    const { id } = (await post({ protocol: 'tcp' })).body.security_group_rule;
    const remove = () => stack.call('DELETE', `/v2.0/security-group-rules/${id}`, { as: ALICE });
    const statuses = (await Promise.all([remove(), remove(), remove()])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 404, 404]);
    expect(refusal(await remove())).toEqual([404, 'SecurityGroupRuleNotFound']);
    expect(await groupRevision()).toBe(3);
    const { body } = await stack.call('GET', '/v2.0/quotas/alice/details');
    expect(body.quota.security_group_rule.used).toBe(6);
  });

  it('is deleted at the revision that was named, or not', async () => {
    const { id } = (await post({ protocol: 'tcp' })).body.security_group_rule;
    const remove = (revision: number) =>
      stack.call('DELETE', `/v2.0/security-group-rules/${id}`, {
        as: ALICE,
        headers: { 'If-Match': `revision_number=${revision}` },
      });
    expect((await remove(1)).status).toBe(412);
    expect((await remove(0)).status).toBe(204);
  });
});

describe('a list', () => {
  const list = async (query: string, who: Who = ALICE) =>
    (await stack.call('GET', `/v2.0/security-group-rules${query}`, { as: who })).body.security_group_rules;

  it('has the rules of the caller’s groups, and of no other', async () => {
    await post({ protocol: 'tcp' });
    expect(await list('')).toHaveLength(7);
    expect(await list('', BOB)).toHaveLength(4);
    expect(await list(`?security_group_id=${group}`, BOB)).toEqual([]);
    expect(await list(`?security_group_id=${group}`, admin)).toHaveLength(3);
  });

  it.each([
    ['direction=ingress', 2],
    ['protocol=tcp', 1],
    ['protocol=tcp&protocol=udp', 2],
    ['port_range_min=22', 1],
    ['port_range_max=22&port_range_max=53', 2],
    ['ethertype=ipv6', 1],
    ['remote_ip_prefix=10.0.0.1/8', 1],
    ['normalized_cidr=10.0.0.0/8', 1],
    ['description=dns', 1],
    ['belongs_to_default_sg=False', 4],
    ['belongs_to_default_sg=true', 0],
    ['remote_group_id=x', 0],
    ['revision_number=0', 4],
    ['sort_key=normalized_cidr&sort_dir=desc', 4],
    ['sort_key=port_range_min&sort_dir=asc&limit=2', 2],
    ['fields=id', 4],
  ])('?%s has %i of the group', async (query, count) => {
    await post({ protocol: 'tcp', port_range_min: 22, port_range_max: 22, remote_ip_prefix: '10.0.0.1/8' });
    await post({ protocol: 'udp', port_range_min: 53, port_range_max: 53, description: 'dns' });
    expect(await list(`?security_group_id=${group}&${query}`)).toHaveLength(count);
  });

  it('shows no more than is asked for', async () => {
    const [rule] = await list(`?security_group_id=${group}&fields=direction&limit=1`);
    expect(rule).toEqual({ direction: 'egress' });
  });
});
