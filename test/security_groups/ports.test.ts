/** The security groups of ports: which ones a port gets, what it may be in, port security, lists, agents, sharing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, admin, member, Stack, type Who } from '../support/stack.ts';

const ALICE = member('alice');
// Who objects are shared with has an id as Keystone makes them.
const BOB = member('b'.repeat(32));

let stack: Stack;
let network: string;
beforeAll(async () => {
  stack = await Stack.start('port_security_groups');
});
afterAll(() => stack.stop());
beforeEach(async () => {
  await stack.clear();
  network = (await stack.create('network', {}, ALICE)).id;
});

const post = (port: object, who: Who = ALICE) =>
  stack.call('POST', '/v2.0/ports', { as: who, body: { port: { network_id: network, ...port } } });
const put = (id: string, port: object, who: Who = ALICE) =>
  stack.call('PUT', `/v2.0/ports/${id}`, { as: who, body: { port } });
const made = async (port: object = {}, who: Who = ALICE) => (await post(port, who)).body.port;
const group = async (body: object = {}, who: Who = ALICE): Promise<string> =>
  (await stack.create('security_group', { ...body }, who)).id;
const defaultOf = async (project: string): Promise<string> =>
  (await stack.call('GET', `/v2.0/security-groups?name=default&project_id=${project}`)).body.security_groups[0].id;
const refusal = ({ status, body }: Answer) => [status, body.NeutronError.type];

describe('a new port', () => {
  it('is in the default group of its project', async () => {
    const port = await made();
    expect(port.security_groups).toEqual([await defaultOf('alice')]);
    expect((await stack.call('GET', `/v2.0/ports/${port.id}`, { as: ALICE })).body.port).toEqual(port);
    const ofAdmin = await made({ project_id: 'carol' }, admin);
    expect(ofAdmin.security_groups).toEqual([await defaultOf('carol')]);
  });

  it('is in the groups that were named, in no order', async () => {
    const [a, b] = [await group(), await group()];
    const port = await made({ security_groups: [b, a] });
    expect(port.security_groups).toEqual([a, b].toSorted());
  });

  it.each([[[]], [null]])('is in no group when %j is named', async (security_groups) => {
    expect((await made({ security_groups })).security_groups).toEqual([]);
  });

  it('is in no group without port security, or when it is the cloud’s own', async () => {
    expect((await made({ port_security_enabled: false })).security_groups).toEqual([]);
    const dhcp = await made({ device_owner: 'network:dhcp' });
    expect([dhcp.security_groups, dhcp.port_security_enabled]).toEqual([[], false]);
    await stack.call('PUT', `/v2.0/networks/${network}`, {
      as: ALICE,
      body: { network: { port_security_enabled: false } },
    });
    expect((await made()).security_groups).toEqual([]);
    expect((await made({ port_security_enabled: true })).security_groups).toEqual([await defaultOf('alice')]);
  });

  it('cannot be in groups and without port security', async () => {
    const id = await group();
    const before = await stack.dump();
    for (const port of [{ port_security_enabled: false }, { device_owner: 'network:dhcp' }]) {
      const answer = await post({ ...port, security_groups: [id] });
      expect(refusal(answer)).toEqual([400, 'PortSecurityAndIPRequiredForSecurityGroups']);
    }
    expect(await stack.dump()).toBe(before);
  });

  it('is refused with a group that is not there, or not seen', async () => {
    const [mine, theirs] = [await group(), await group({}, BOB)];
    const before = await stack.dump();
    for (const id of [crypto.randomUUID(), theirs, mine.toUpperCase()]) {
      const answer = await post({ security_groups: [mine, id] });
      expect(refusal(answer)).toEqual([404, 'SecurityGroupNotFound']);
      expect(answer.body.NeutronError.message).toBe(`Security group ${id} does not exist`);
    }
    for (const security_groups of [['x'], [mine, mine], 'x', { a: 1 }, [5], [[mine]]]) {
      expect((await post({ security_groups })).status).toBe(400);
    }
    expect(await stack.dump()).toBe(before);
    // An administrator sees all groups.
    expect((await made({ security_groups: [theirs] }, admin)).security_groups).toEqual([theirs]);
  });

  it('is not in stateful and stateless groups at once', async () => {
    const [stateful, stateless] = [await group(), await group({ stateful: false })];
    const port = await made({ security_groups: [stateless] });
    const before = await stack.dump();
    expect(refusal(await post({ security_groups: [stateful, stateless] }))).toEqual([409, 'SecurityGroupConflict']);
    expect(refusal(await put(port.id, { security_groups: [stateful, stateless] }))).toEqual([
      409,
      'SecurityGroupConflict',
    ]);
    expect(await stack.dump()).toBe(before);
    expect((await put(port.id, { security_groups: [stateful] })).status).toBe(200);
  });

  it('comes with others in one request, each in its groups', async () => {
    const id = await group();
    const ports = [{}, { security_groups: [id] }, { security_groups: [] }, { project_id: 'dave' }];
    const body = { ports: ports.map((port) => ({ network_id: network, ...port })) };
    const answer = await stack.call('POST', '/v2.0/ports', { body });
    const groups = answer.body.ports.map((port: { security_groups: string[] }) => port.security_groups);
    expect(groups).toEqual([[await defaultOf('admin')], [id], [], [await defaultOf('dave')]]);
  });

  it('costs one statement more than a port in no group', async () => {
    await made();
    // Of several: what is known of the quota is asked again each second.
    const statements = async (port: object) => {
      const counts: number[] = [];
      for (let round = 0; round < 3; round++) {
        const before = stack.counted('nucleon_sql_statements_total');
        await made(port);
        counts.push(stack.counted('nucleon_sql_statements_total') - before);
      }
      return Math.min(...counts);
    };
    const bare = await statements({ security_groups: [] });
    expect(await statements({})).toBe(bare + 1);
    expect(await statements({ security_groups: [await group(), await group()] })).toBe(bare + 2);
  });

  it('and its project’s default group at once: all ports are in one', async () => {
    const ports = await Promise.all(Array.from({ length: 8 }, () => made({ project_id: 'erin' }, admin)));
    expect(new Set(ports.map((port) => String(port.security_groups)))).toEqual(new Set([await defaultOf('erin')]));
    expect(stack.errors).toEqual([]);
  });
});

describe('a change of a port', () => {
  it('replaces its groups, keeps them where they are not named, and takes all away', async () => {
    const [a, b] = [await group(), await group()];
    const port = await made({ security_groups: [a] });
    expect((await put(port.id, { security_groups: [a, b] })).body.port).toMatchObject({
      security_groups: [a, b].toSorted(),
      revision_number: port.revision_number + 1,
    });
    expect((await put(port.id, { name: 'x' })).body.port.security_groups).toHaveLength(2);
    expect((await put(port.id, { security_groups: [b] })).body.port.security_groups).toEqual([b]);
    expect((await put(port.id, { security_groups: null })).body.port.security_groups).toEqual([]);
  });

  it('to the same groups in another order is none', async () => {
    const [a, b] = [await group(), await group()];
    const port = await made({ security_groups: [a, b] });
    for (const security_groups of [
      [a, b],
      [b, a],
    ]) {
      expect((await put(port.id, { security_groups })).body.port.revision_number).toBe(port.revision_number);
    }
  });

  it('to a group that is not there, or not seen, changes nothing', async () => {
    const theirs = await group({}, BOB);
    const port = await made();
    const before = await stack.dump();
    for (const id of [crypto.randomUUID(), theirs]) {
      expect(refusal(await put(port.id, { security_groups: [id], name: 'x' }))).toEqual([404, 'SecurityGroupNotFound']);
    }
    expect(await stack.dump()).toBe(before);
  });

  it('that turns port security off takes the groups away too, or is refused', async () => {
    const port = await made();
    const off = { port_security_enabled: false };
    const before = await stack.dump();
    expect(refusal(await put(port.id, off))).toEqual([409, 'PortSecurityPortHasSecurityGroup']);
    expect(refusal(await put(port.id, { ...off, security_groups: port.security_groups }))).toEqual([
      400,
      'PortSecurityAndIPRequiredForSecurityGroups',
    ]);
    expect(await stack.dump()).toBe(before);
    expect((await put(port.id, { ...off, security_groups: [] })).body.port).toMatchObject({
      ...off,
      security_groups: [],
    });
    expect(refusal(await put(port.id, { security_groups: [await defaultOf('alice')] }))).toEqual([
      400,
      'PortSecurityAndIPRequiredForSecurityGroups',
    ]);
    const on = await put(port.id, { port_security_enabled: true, security_groups: [await defaultOf('alice')] });
    expect(on.body.port.security_groups).toHaveLength(1);
  });

  it('is told to the agent on its host', async () => {
    const port = await made({ 'binding:host_id': 'host' }, admin);
    await stack.database.sql`update port_bindings set vif_type = 'ovs' where port_id = ${port.id}`;
    await stack.database.sql`delete from outbox`;
    await put(port.id, { security_groups: [] }, admin);
    const told = await stack.database.sql<
      { topic: string }[]
    >`select topic from outbox where topic like '%port-update'`;
    expect(told).toHaveLength(1);
  });
});

describe('ports in a list', () => {
  it('are found by their groups', async () => {
    const [a, b] = [await group(), await group()];
    const inA = await made({ security_groups: [a] });
    const inBoth = await made({ security_groups: [a, b] });
    const ids = async (query: string) =>
      (await stack.call('GET', `/v2.0/ports?${query}`, { as: ALICE })).body.ports.map(({ id }: { id: string }) => id);
    expect((await ids(`security_groups=${a}`)).toSorted()).toEqual([inA.id, inBoth.id].toSorted());
    expect(await ids(`security_groups=${b}`)).toEqual([inBoth.id]);
    expect(await ids(`security_groups=${a}&security_groups=${b}`)).toHaveLength(2);
    expect(await ids('security_groups=x')).toEqual([]);
    expect(await ids(`security_groups=${crypto.randomUUID()}`)).toEqual([]);
    const { body } = await stack.call('GET', `/v2.0/ports?id=${inBoth.id}&fields=security_groups`, { as: ALICE });
    expect(body.ports).toEqual([{ security_groups: [a, b].toSorted() }]);
  });
});

describe('a group that is shared', () => {
  const share = async (object_id: string, target_tenant: string, who: Who = ALICE) =>
    (
      await stack.call('POST', '/v2.0/rbac-policies', {
        as: who,
        body: { rbac_policy: { object_type: 'security_group', object_id, action: 'access_as_shared', target_tenant } },
      })
    ).body.rbac_policy.id;
  const takeBack = (id: string) => stack.call('DELETE', `/v2.0/rbac-policies/${id}`, { as: ALICE });

  it('is seen and used by the other project, and changed by its owner alone', async () => {
    const id = await group({ name: 'sg' });
    const path = `/v2.0/security-groups/${id}`;
    expect((await stack.call('GET', path, { as: BOB })).status).toBe(404);
    await share(id, BOB.project);
    const seen = (await stack.call('GET', path, { as: BOB })).body.security_group;
    expect([seen.shared, seen.security_group_rules.length]).toEqual([true, 2]);
    expect((await stack.call('GET', path, { as: ALICE })).body.security_group.shared).toBe(false);
    const list = await stack.call('GET', '/v2.0/security-groups?shared=True', { as: BOB });
    expect(list.body.security_groups.map((found: { id: string }) => found.id)).toEqual([id]);

    const theirs = (await stack.create('network', {}, BOB)).id;
    const port = await stack.create('port', { network_id: theirs, security_groups: [id] }, BOB);
    expect(port.security_groups).toEqual([id]);
    const own = await group({}, BOB);
    const rule = { security_group_id: own, direction: 'ingress', remote_group_id: id };
    await stack.create('security_group_rule', rule, BOB);

    const denied = [
      await stack.call('PUT', path, { as: BOB, body: { security_group: { name: 'x' } } }),
      await stack.call('DELETE', path, { as: BOB }),
      await stack.call('POST', '/v2.0/security-group-rules', {
        as: BOB,
        body: { security_group_rule: { security_group_id: id, direction: 'ingress' } },
      }),
    ];
    expect(denied.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('is shared as long as others use it, unless they see it by another share', async () => {
    const id = await group();
    const first = await share(id, BOB.project);
    const theirs = (await stack.create('network', {}, BOB)).id;
    const port = await stack.create('port', { network_id: theirs, security_groups: [id] }, BOB);
    expect(refusal(await takeBack(first))).toEqual([409, 'RbacPolicyInUse']);
    const toAll = await share(id, '*', admin);
    expect((await takeBack(first)).status).toBe(204);
    expect(refusal(await stack.call('DELETE', `/v2.0/rbac-policies/${toAll}`))).toEqual([409, 'RbacPolicyInUse']);
    await stack.call('DELETE', `/v2.0/ports/${port.id}`, { as: BOB });
    expect((await stack.call('DELETE', `/v2.0/rbac-policies/${toAll}`)).status).toBe(204);
    expect((await stack.call('GET', `/v2.0/security-groups/${id}`, { as: BOB })).status).toBe(404);
  });
});
