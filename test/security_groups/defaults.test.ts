/** What new groups start with: default rules and default statefulness; what other plugins are told; the switch. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, admin, member, Stack } from '../support/stack.ts';

const ALICE = member('alice');
const MANAGER = { project: 'alice', roles: 'manager' } as const;

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('security_group_defaults');
});
afterAll(() => stack.stop());
beforeEach(() => stack.clear());

const refusal = ({ status, body }: Answer) => [status, body.NeutronError.type];

describe('default security group rules', () => {
  const SSH = { direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 };
  const IN_OTHERS = { used_in_default_sg: false, used_in_non_default_sg: true };
  const post = (rule: object, who: Parameters<Stack['create']>[2] = admin) =>
    stack.call('POST', '/v2.0/default-security-group-rules', {
      as: who,
      body: { default_security_group_rule: { ...SSH, ...IN_OTHERS, ...rule } },
    });

  it('are four at first, as every project may read', async () => {
    const { body } = await stack.call('GET', '/v2.0/default-security-group-rules', { as: ALICE });
    const rules = body.default_security_group_rules as Record<string, unknown>[];
    expect(
      rules.map((rule) => [
        rule['direction'],
        rule['ethertype'],
        rule['remote_group_id'],
        rule['used_in_default_sg'],
        rule['used_in_non_default_sg'],
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['egress', 'IPv4', null, true, true],
        ['egress', 'IPv6', null, true, true],
        ['ingress', 'IPv4', 'PARENT', true, false],
        ['ingress', 'IPv6', 'PARENT', true, false],
      ]),
    );
    expect(rules).toHaveLength(4);
    expect(Object.keys(rules[0]!)).not.toContain('project_id');
  });

  it('make new groups begin with them', async () => {
    const answer = await post({ protocol: 6, remote_ip_prefix: '10.0.0.0/8' });
    expect(answer.status).toBe(201);
    expect(answer.body.default_security_group_rule).toMatchObject({ ...SSH, ...IN_OTHERS, protocol: '6' });
    const group = await stack.create('security_group', {}, ALICE);
    expect(group.security_group_rules).toHaveLength(3);
    expect(group.security_group_rules[2]).toMatchObject({ ...SSH, protocol: '6', remote_ip_prefix: '10.0.0.0/8' });
    const { id } = answer.body.default_security_group_rule;
    const path = `/v2.0/default-security-group-rules/${id}`;
    expect((await stack.call('GET', path, { as: ALICE })).status).toBe(200);
    expect((await stack.call('DELETE', path, { as: ALICE })).status).toBe(403);
    expect((await stack.call('DELETE', path)).status).toBe(204);
    expect(refusal(await stack.call('DELETE', path))).toEqual([404, 'DefaultSecurityGroupRuleNotFound']);
    expect((await stack.create('security_group', {}, ALICE)).security_group_rules).toHaveLength(2);
  });

  it('are made by administrators, each once for the same groups', async () => {
    expect((await post({}, ALICE)).status).toBe(403);
    const { id } = (await post({})).body.default_security_group_rule;
    const again = await post({ protocol: '6' });
    expect(refusal(again)).toEqual([409, 'DefaultSecurityGroupRuleExists']);
    expect(again.body.NeutronError.message).toContain(id);
    expect((await post({ used_in_default_sg: true, used_in_non_default_sg: false })).status).toBe(201);
    expect(refusal(await post({ used_in_default_sg: true }))).toEqual([409, 'DefaultSecurityGroupRuleExists']);
    const racing = await Promise.all(Array.from({ length: 5 }, () => post({ protocol: 'udp' })));
    expect(racing.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it.each([
    [{ protocol: 'foo' }, 400, 'SecurityGroupRuleInvalidProtocol'],
    [{ port_range_max: 1 }, 400, 'SecurityGroupInvalidPortRange'],
    [{ remote_group_id: 'PARENT', remote_ip_prefix: '10.0.0.0/8' }, 400, 'SecurityGroupMultipleRemoteEntites'],
    [{ remote_group_id: crypto.randomUUID() }, 404, 'SecurityGroupNotFound'],
    [{ remote_group_id: 'x' }, 404, 'SecurityGroupNotFound'],
    [{ remote_address_group_id: crypto.randomUUID() }, 404, 'AddressGroupNotFound'],
    [{ used_in_default_sg: 'x' }, 400, 'InvalidInput'],
  ])('are refused: %j', async (rule, status, type) => {
    const before = await stack.dump();
    expect(refusal(await post(rule))).toEqual([status, type]);
    expect(await stack.dump()).toBe(before);
  });

  it('that name a group go with it', async () => {
    const group = await stack.create('security_group', {});
    expect((await post({ remote_group_id: group.id })).status).toBe(201);
    const other = await stack.create('security_group', {}, ALICE);
    expect(other.security_group_rules[2].remote_group_id).toBe(group.id);
    expect((await stack.call('DELETE', `/v2.0/security-groups/${group.id}`)).status).toBe(204);
    expect((await stack.create('security_group', {}, ALICE)).security_group_rules).toHaveLength(2);
  });
});

describe('default statefulness', () => {
  const PATH = '/v2.0/security-groups-default-statefulness';
  const setting = (body: object) => ({ body: { security_groups_default_statefulness: body } });

  it('of a project, or else of all, is what new groups get', async () => {
    const ofAll = await stack.call('POST', PATH, setting({ project_id: null, stateful: false }));
    expect(ofAll.status).toBe(201);
    expect((await stack.create('security_group', {}, ALICE)).stateful).toBe(false);
    const own = await stack.call('POST', PATH, { as: MANAGER, ...setting({ stateful: true }) });
    const made = own.body.security_groups_default_statefulness;
    expect(made).toMatchObject({ project_id: 'alice', stateful: true });
    expect((await stack.create('security_group', {}, ALICE)).stateful).toBe(true);
    expect((await stack.create('security_group', { stateful: false }, ALICE)).stateful).toBe(false);
    const again = await stack.call('POST', PATH, { as: MANAGER, ...setting({}) });
    expect(refusal(again)).toEqual([409, 'SecurityGroupDefaultStatefulnessAlreadyExists']);

    const item = `${PATH}/${made.id}`;
    expect((await stack.call('GET', PATH, { as: ALICE })).body.security_groups_default_statefulness).toEqual([made]);
    const changed = await stack.call('PUT', item, { as: MANAGER, ...setting({ stateful: false }) });
    expect(changed.body.security_groups_default_statefulness).toEqual({ ...made, stateful: false });
    expect((await stack.call('GET', item, { as: member('bob') })).status).toBe(404);
    expect((await stack.call('DELETE', item, { as: ALICE })).status).toBe(403);
    expect((await stack.call('DELETE', item, { as: MANAGER })).status).toBe(204);
    expect(refusal(await stack.call('GET', item))).toEqual([404, 'SecurityGroupDefaultStatefulnessNotFound']);
  });
});

describe('where security groups are switched off', () => {
  it('there is no API for them, and ports are in none', async () => {
    const without = await Stack.start('no_security_groups', { securitygroup: { enable_security_group: false } });
    try {
      expect((await without.call('GET', '/v2.0/security-groups')).status).toBe(404);
      const network = await without.create('network', {});
      const port = await without.create('port', { network_id: network.id });
      expect(Object.keys(port)).not.toContain('security_groups');
      const { body } = await without.call('GET', '/v2.0/extensions');
      const aliases = body.extensions.map(({ alias }: { alias: string }) => alias);
      expect(aliases).not.toContain('security-group');
    } finally {
      await without.stop();
    }
  });
});
