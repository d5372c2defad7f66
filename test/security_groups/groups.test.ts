/** Security groups: the default group, new groups, changes, deletion, what is seen of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admin, member, Stack, type Who } from '../support/stack.ts';

const ALICE = member('alice');
const BOB = member('bob');

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('security_groups');
});
afterAll(() => stack.stop());
beforeEach(() => stack.clear());

const groupsOf = async (who: Who, query = '') =>
  (await stack.call('GET', `/v2.0/security-groups${query}`, { as: who })).body.security_groups;
const used = async (project: string) => {
  const { body } = await stack.call('GET', `/v2.0/quotas/${project}/details`);
  return [body.quota.security_group.used, body.quota.security_group_rule.used];
};
const refusal = ({ status, body }: { status: number; body: { NeutronError: { type: string } } }) => [
  status,
  body.NeutronError.type,
];

describe('the default group', () => {
  it('is there when a project first lists its groups, with four rules', async () => {
    const [group, ...others] = await groupsOf(ALICE);
    expect(others).toEqual([]);
    expect(group).toMatchObject({ name: 'default', description: 'Default security group', project_id: 'alice' });
    const rules = group.security_group_rules.map((rule: Record<string, unknown>) => [
      rule['direction'],
      rule['ethertype'],
      rule['remote_group_id'],
      rule['belongs_to_default_sg'],
    ]);
    expect(rules).toEqual([
      ['egress', 'IPv4', null, true],
      ['egress', 'IPv6', null, true],
      ['ingress', 'IPv4', group.id, true],
      ['ingress', 'IPv6', group.id, true],
    ]);
    expect(await groupsOf(ALICE)).toEqual([group]);
  });

  it('is there when rules are listed, when a network or a group is made', async () => {
    await stack.call('GET', '/v2.0/security-group-rules', { as: ALICE });
    await stack.create('network', {}, BOB);
    await stack.create('security_group', { name: 'g' }, member('carol'));
    const defaults = (await groupsOf(admin, '?name=default')) as { project_id: string }[];
    expect(defaults.map(({ project_id }) => project_id).toSorted()).toEqual(['admin', 'alice', 'bob', 'carol']);
  });

  it('is made once, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => groupsOf(ALICE)));
    const ids = new Set(answers.map(([group]) => group.id));
    expect(ids.size).toBe(1);
    expect(await used('alice')).toEqual([1, 4]);
  });

  it('counts against the limits, and is not refused by them', async () => {
    const quota = { security_group: 0, security_group_rule: 0 };
    await stack.call('PUT', '/v2.0/quotas/alice', { body: { quota } });
    const network = await stack.create('network', {}, ALICE);
    const port = await stack.create('port', { network_id: network.id }, ALICE);
    expect(port.security_groups).toHaveLength(1);
    expect(await used('alice')).toEqual([1, 4]);
    const refused = await stack.call('POST', '/v2.0/security-groups', { as: ALICE, body: { security_group: {} } });
    expect(refusal(refused)).toEqual([409, 'OverQuota']);
  });

  it('is another project’s business: only an administrator brings it about there', async () => {
    expect(await groupsOf(BOB, '?project_id=alice')).toEqual([]);
    expect(await groupsOf(admin, '?project_id=alice')).toHaveLength(1);
    expect(await groupsOf(admin, `?project_id=${'x'.repeat(300)}`)).toEqual([]);
  });

  it('keeps its name; its description may change', async () => {
    const [{ id }] = await groupsOf(ALICE);
    const rename = (security_group: object) =>
      stack.call('PUT', `/v2.0/security-groups/${id}`, { as: ALICE, body: { security_group } });
    expect(refusal(await rename({ name: 'x' }))).toEqual([409, 'SecurityGroupCannotUpdateDefault']);
    expect((await rename({ description: 'ours' })).body.security_group).toMatchObject({
      name: 'default',
      description: 'ours',
    });
  });

  it('is deleted by administrators alone, and then comes again', async () => {
    const [{ id }] = await groupsOf(ALICE);
    const path = `/v2.0/security-groups/${id}`;
    expect(refusal(await stack.call('DELETE', path, { as: ALICE }))).toEqual([409, 'SecurityGroupCannotRemoveDefault']);
    expect((await stack.call('DELETE', path)).status).toBe(204);
    expect(await used('alice')).toEqual([0, 0]);
    const [again] = await groupsOf(ALICE);
    expect(again.id).not.toBe(id);
  });

  it('has a name that no other group gets', async () => {
    const body = { security_group: { name: 'Default' } };
    const made = await stack.call('POST', '/v2.0/security-groups', { as: ALICE, body });
    expect(refusal(made)).toEqual([409, 'SecurityGroupDefaultAlreadyExists']);
  });
});

describe('a new group', () => {
  it('has egress rules only, and is shown with them', async () => {
    const group = await stack.create('security_group', { name: 'web', description: 'd' }, ALICE);
    expect(group).toMatchObject({
      name: 'web',
      description: 'd',
      project_id: 'alice',
      tenant_id: 'alice',
      stateful: true,
      shared: false,
      tags: [],
      revision_number: 1,
    });
    expect(Object.keys(group)).not.toContain('is_default');
    expect(group.security_group_rules.map((rule: { direction: string }) => rule.direction)).toEqual([
      'egress',
      'egress',
    ]);
    const shown = await stack.call('GET', `/v2.0/security-groups/${group.id}`, { as: ALICE });
    expect(shown.body.security_group).toEqual(group);
    const [rule] = group.security_group_rules;
    const alone = await stack.call('GET', `/v2.0/security-group-rules/${rule.id}`, { as: ALICE });
    expect(rule).toEqual({ ...alone.body.security_group_rule, standard_attr_id: expect.any(Number), tags: [] });
  });

  it('comes with others in one request, or none of them does', async () => {
    const groups = [{ name: 'b' }, { name: 'a', stateful: false }];
    const made = await stack.call('POST', '/v2.0/security-groups', { as: ALICE, body: { security_groups: groups } });
    expect(made.status).toBe(201);
    expect(made.body.security_groups).toMatchObject([
      { name: 'b', stateful: true },
      { name: 'a', stateful: false },
    ]);
    expect(await used('alice')).toEqual([3, 8]);
    const before = await stack.dump();
    const many = Array.from({ length: 8 }, () => ({}));
    const refused = await stack.call('POST', '/v2.0/security-groups', { as: ALICE, body: { security_groups: many } });
    expect(refusal(refused)).toEqual([409, 'OverQuota']);
    expect(await stack.dump()).toBe(before);
  });

  it('is refused when its rules are more than the project may have', async () => {
    await groupsOf(ALICE);
    await stack.call('PUT', '/v2.0/quotas/alice', { body: { quota: { security_group_rule: 5 } } });
    const before = await stack.dump();
    const refused = await stack.call('POST', '/v2.0/security-groups', { as: ALICE, body: { security_group: {} } });
    expect(refusal(refused)).toEqual([409, 'OverQuota']);
    expect(await stack.dump()).toBe(before);
  });

  it('never exceeds the limit, however many are made at once', async () => {
    const made = await Promise.all(
      Array.from({ length: 30 }, () =>
        stack.call('POST', '/v2.0/security-groups', { as: ALICE, body: { security_group: {} } }),
      ),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(9);
    expect(await groupsOf(ALICE)).toHaveLength(10);
    expect(await used('alice')).toEqual([10, 22]);
  });
});

describe('a change of a group', () => {
  it('grows its revision, unless nothing changes', async () => {
    const { id } = await stack.create('security_group', { name: 'a' }, ALICE);
    const put = async (body: object, headers = {}) =>
      await stack.call('PUT', `/v2.0/security-groups/${id}`, { as: ALICE, body: { security_group: body }, headers });
    expect((await put({ name: 'b' })).body.security_group).toMatchObject({ name: 'b', revision_number: 2 });
    expect((await put({ name: 'b', stateful: true })).body.security_group).toMatchObject({ revision_number: 2 });
    expect(refusal(await put({ name: 'c' }, { 'If-Match': 'revision_number=1' }))).toEqual([
      412,
      'RevisionNumberConstraintFailed',
    ]);
    expect((await put({ name: 'c' }, { 'If-Match': 'revision_number=2' })).status).toBe(200);
  });

  it('of N at once with one revision happens once', async () => {
    const { id } = await stack.create('security_group', {}, ALICE);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, name) =>
        stack.call('PUT', `/v2.0/security-groups/${id}`, {
          as: ALICE,
          body: { security_group: { name: `n${name}` } },
          headers: { 'If-Match': 'revision_number=1' },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('of its statefulness waits until no port is in it', async () => {
    const { id } = await stack.create('security_group', { stateful: false }, ALICE);
    const network = await stack.create('network', {}, ALICE);
    const port = await stack.create('port', { network_id: network.id, security_groups: [id] }, ALICE);
    const put = (body: object) =>
      stack.call('PUT', `/v2.0/security-groups/${id}`, { as: ALICE, body: { security_group: body } });
    expect((await put({ stateful: false, name: 'same' })).status).toBe(200);
    expect(refusal(await put({ stateful: true }))).toEqual([409, 'SecurityGroupInUse']);
    await stack.call('DELETE', `/v2.0/ports/${port.id}`, { as: ALICE });
    expect((await put({ stateful: true })).body.security_group.stateful).toBe(true);
  });
});

describe('a deletion', () => {
  it('takes the rules with it, also those of other groups that name the group', async () => {
    const gone = await stack.create('security_group', {}, ALICE);
    const other = await stack.create('security_group', {}, ALICE);
    await stack.create(
      'security_group_rule',
      { security_group_id: other.id, direction: 'ingress', remote_group_id: gone.id },
      ALICE,
    );
    expect(await used('alice')).toEqual([3, 9]);
    expect((await stack.call('DELETE', `/v2.0/security-groups/${gone.id}`, { as: ALICE })).status).toBe(204);
    expect(await used('alice')).toEqual([2, 6]);
    const { body } = await stack.call('GET', `/v2.0/security-groups/${other.id}`, { as: ALICE });
    expect(body.security_group.security_group_rules).toHaveLength(2);
    expect(body.security_group.revision_number).toBe(3);
  });

  it('is refused while a port is in the group', async () => {
    const { id } = await stack.create('security_group', {}, ALICE);
    const network = await stack.create('network', {}, ALICE);
    const port = await stack.create('port', { network_id: network.id, security_groups: [id] }, ALICE);
    const before = await stack.dump();
    const remove = () => stack.call('DELETE', `/v2.0/security-groups/${id}`, { as: ALICE });
    expect(refusal(await remove())).toEqual([409, 'SecurityGroupInUse']);
    expect(await stack.dump()).toBe(before);
    await stack.call('PUT', `/v2.0/ports/${port.id}`, { as: ALICE, body: { port: { security_groups: [] } } });
    expect((await remove()).status).toBe(204);
  });

  it('and a port that comes to the group at once: one of them happens', async () => {
    const network = await stack.create('network', {}, ALICE);
    for (let round = 0; round < 10; round++) {
      const { id } = await stack.create('security_group', {}, ALICE);
      const [port, removed] = await Promise.all([
        stack.call('POST', '/v2.0/ports', {
          as: ALICE,
          body: { port: { network_id: network.id, security_groups: [id] } },
        }),
        stack.call('DELETE', `/v2.0/security-groups/${id}`, { as: ALICE }),
      ]);
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([port.status, removed.status]);
      if (port.status === 201) await stack.call('DELETE', `/v2.0/ports/${port.body.port.id}`, { as: ALICE });
      await stack.call('DELETE', `/v2.0/security-groups/${id}`, { as: ALICE });
    }
    expect(stack.errors).toEqual([]);
  });

  it('of what is not there, or not seen, is 404', async () => {
    const { id } = await stack.create('security_group', {}, ALICE);
    for (const [path, who] of [
      [crypto.randomUUID(), ALICE],
      ['not-an-id', ALICE],
      [id, BOB],
    ] as const) {
      const answer = await stack.call('DELETE', `/v2.0/security-groups/${path}`, { as: who });
      expect(refusal(answer)).toEqual([404, 'SecurityGroupNotFound']);
      expect(answer.body.NeutronError.message).toBe(`Security group ${path} does not exist`);
    }
  });
});

describe('a list', () => {
  it('carries just the fields asked for', async () => {
    const { id } = await stack.create('security_group', { name: 'sg' }, ALICE);
    expect(await groupsOf(ALICE, '?fields=id&fields=name&name=sg')).toEqual([{ id, name: 'sg' }]);
  });

  it.each([
    ['name=a', ['a']],
    ['name=a&name=b', ['a', 'b']],
    ['stateful=False', ['b']],
    ['description=first', ['a']],
    ['shared=True', []],
    ['revision_number=2', ['a']],
    ['tags=red', ['a']],
    ['not-tags=red&name=a&name=b', ['b']],
    ['sort_key=name&sort_dir=desc&fields=name', ['default', 'b', 'a']],
    ['limit=2&sort_key=name&sort_dir=asc', ['a', 'b']],
  ])('?%s', async (query, names) => {
    await groupsOf(ALICE);
    const a = await stack.create('security_group', { name: 'a', description: 'first' }, ALICE);
    await stack.create('security_group', { name: 'b', stateful: false }, ALICE);
    await stack.call('PUT', `/v2.0/security-groups/${a.id}/tags`, { as: ALICE, body: { tags: ['red'] } });
    const found = (await groupsOf(ALICE, `?${query}`)) as { name: string }[];
    const sorted = query.includes('sort_key') ? found : found.toSorted((x, y) => (x.name < y.name ? -1 : 1));
    expect(sorted.map(({ name }) => name)).toEqual(names);
  });

  it('of many groups costs as many statements as one of few', async () => {
    const paths = ['/v2.0/security-groups', '/v2.0/security-group-rules', '/v2.0/security-group-rules?fields=id'];
    const statements = async () => {
      const counts: number[] = [];
      for (const path of paths) {
        const before = stack.counted('nucleon_sql_statements_total');
        expect((await stack.call('GET', path, { as: ALICE })).status).toBe(200);
        counts.push(stack.counted('nucleon_sql_statements_total') - before);
      }
      return counts;
    };
    await groupsOf(ALICE);
    const few = await statements();
    const groups = Array.from({ length: 9 }, () => ({}));
    await stack.call('POST', '/v2.0/security-groups', { as: ALICE, body: { security_groups: groups } });
    expect(await statements()).toEqual(few);
    expect(few).toEqual([2, 2, 2]);
  });

  it('of an unknown attribute is refused', async () => {
    expect((await stack.call('GET', '/v2.0/security-groups?is_default=true', { as: ALICE })).status).toBe(400);
  });
});
