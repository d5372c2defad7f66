/** RBAC policies through the API: what a share shows and hides, who may share, and when a share cannot be taken back. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { admin, type CallOptions, member, Stack, type Who } from '../support/stack.ts';

const [alice, bob, carol] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [string, string, string];
const ALICE = member(alice);
const BOB = member(bob);
const CAROL = member(carol);

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('rbac');
});
afterAll(() => stack.stop());
afterEach(() => stack.clear());

const call = (method: string, path: string, options: CallOptions = {}) =>
  stack.call(method, `/v2.0/${path}`, { as: ALICE, ...options });
const network = (body: Readonly<Record<string, unknown>> = {}, as: Who = ALICE) => stack.create('network', body, as);
const post = (object_id: string, body: Readonly<Record<string, unknown>> = {}, as: Who = ALICE) => {
  const rbac_policy = { object_type: 'network', object_id, action: 'access_as_shared', target_tenant: bob, ...body };
  return call('POST', 'rbac-policies', { as, body: { rbac_policy } });
};
const share = async (object_id: string, body: Readonly<Record<string, unknown>> = {}, as: Who = ALICE) => {
  const answer = await post(object_id, body, as);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.rbac_policy;
};
const remove = (id: string, as: Who = ALICE) => call('DELETE', `rbac-policies/${id}`, { as });
const retarget = (id: string, target_tenant: unknown, as: Who = ALICE) =>
  call('PUT', `rbac-policies/${id}`, { as, body: { rbac_policy: { target_tenant } } });
const shown = async (id: string, as: Who) => {
  const answer = await call('GET', `networks/${id}`, { as });
  return answer.status === 200 ? answer.body.network : answer.status;
};
const port = async (network_id: string, body: Readonly<Record<string, unknown>>, as: Who = admin) =>
  await stack.create('port', { network_id, ...body }, as);
const refused = (status: number, type: string) => ({ status, body: { NeutronError: { type } } });

/** The request is refused so, and leaves the database as it was. */
async function refuses(status: number, type: string, request: () => ReturnType<typeof call>): Promise<void> {
  expect(await request()).toMatchObject(refused(status, type));
}

describe('a share', () => {
  it('is answered as Neutron answers, alone and in lists', async () => {
    const { id } = await network();
    const policy = await share(id);
    expect(policy).toEqual({
      id: expect.any(String),
      object_type: 'network',
      object_id: id,
      target_tenant: bob,
      action: 'access_as_shared',
      tenant_id: alice,
      project_id: alice,
    });
    expect((await call('GET', `rbac-policies/${policy.id}`)).body).toEqual({ rbac_policy: policy });
    expect((await call('GET', 'rbac-policies')).body).toEqual({ rbac_policies: [policy] });
  });

  it('is seen by its owner and administrators only', async () => {
    const policy = await share((await network()).id);
    for (const as of [BOB, CAROL]) {
      expect((await call('GET', 'rbac-policies', { as })).body.rbac_policies).toEqual([]);
      for (const method of ['GET', 'DELETE']) {
        expect(await call(method, `rbac-policies/${policy.id}`, { as })).toMatchObject(
          refused(404, 'RbacPolicyNotFound'),
        );
      }
    }
    expect((await call('GET', `rbac-policies/${policy.id}`, { as: admin })).status).toBe(200);
  });

  it('bumps the revision of the object, as its end does', async () => {
    const { id, revision_number } = await network();
    const policy = await share(id);
    expect((await shown(id, ALICE)).revision_number).toBe(revision_number + 1);
    await retarget(policy.id, carol);
    expect((await shown(id, ALICE)).revision_number).toBe(revision_number + 2);
    await retarget(policy.id, carol);
    expect((await shown(id, ALICE)).revision_number).toBe(revision_number + 2);
    await remove(policy.id);
    expect((await shown(id, ALICE)).revision_number).toBe(revision_number + 3);
  });

  it('goes with its object, and with it what it counts', async () => {
    const { id } = await network();
    await share(id);
    expect((await call('DELETE', `networks/${id}`)).status).toBe(204);
    expect((await call('GET', 'rbac-policies')).body.rbac_policies).toEqual([]);
    const { quota } = (await call('GET', `quotas/${alice}/details`)).body;
    expect(quota.rbac_policy).toEqual({ limit: 10, used: 0, reserved: 0 });
  });

  it('several are made at once, or none', async () => {
    const [one, two] = [await network(), await network()];
    const policy = (object_id: string, target_tenant = bob) => ({
      object_type: 'network',
      object_id,
      action: 'access_as_shared',
      target_tenant,
    });
    const bulk = (...rbac_policies: object[]) => call('POST', 'rbac-policies', { body: { rbac_policies } });
    const made = await bulk(policy(one.id), policy(two.id), policy(two.id, carol));
    expect(made.status, made.text).toBe(201);
    expect(made.body.rbac_policies.map(({ object_id }: { object_id: string }) => object_id)).toEqual([
      one.id,
      two.id,
      two.id,
    ]);
    await refuses(409, 'DuplicateRbacPolicy', () => bulk(policy(one.id, carol), policy(one.id)));
    await refuses(404, 'NetworkNotFound', () => bulk(policy(one.id, carol), policy(crypto.randomUUID())));
  });
});

describe('a network that is shared with one project', () => {
  it('is seen by it, with its subnets, and hidden again', async () => {
    const { id } = await network();
    const subnet = await stack.create('subnet', { network_id: id, ip_version: 4, cidr: '10.0.0.0/24' }, ALICE);
    const sees = async (as: Who) => ({
      network: (await shown(id, as)).shared ?? 404,
      networks: (await call('GET', 'networks', { as })).body.networks.length,
      subnet: (await call('GET', `subnets/${subnet.id}`, { as })).status,
      subnets: (await call('GET', 'subnets', { as })).body.subnets.length,
      shared: (await call('GET', 'networks?shared=true', { as })).body.networks.length,
    });
    const hidden = { network: 404, networks: 0, subnet: 404, subnets: 0, shared: 0 };
    expect(await sees(BOB)).toEqual(hidden);
    const policy = await share(id);
    expect(await sees(BOB)).toEqual({ network: true, networks: 1, subnet: 200, subnets: 1, shared: 1 });
    expect(await sees(CAROL)).toEqual(hidden);
    // To its owner and to others it is no shared network.
    expect(await sees(ALICE)).toEqual({ network: false, networks: 1, subnet: 200, subnets: 1, shared: 0 });
    expect((await retarget(policy.id, carol)).body.rbac_policy.target_tenant).toBe(carol);
    expect(await sees(BOB)).toEqual(hidden);
    expect((await sees(CAROL)).network).toBe(true);
    expect((await remove(policy.id)).status).toBe(204);
    expect(await sees(CAROL)).toEqual(hidden);
  });

  it('takes its ports, and is not changed by it', async () => {
    const { id } = await network();
    const mine = { body: { port: { network_id: id } }, as: BOB };
    expect((await call('POST', 'ports', mine)).status).toBe(404);
    const policy = await share(id);
    const made = await call('POST', 'ports', mine);
    expect(made.status, made.text).toBe(201);
    expect((await call('PUT', `networks/${id}`, { as: BOB, body: { network: { name: 'mine' } } })).status).toBe(403);
    expect((await call('DELETE', `networks/${id}`, { as: BOB })).status).toBe(403);
    await refuses(409, 'RbacPolicyInUse', () => remove(policy.id));
    await refuses(409, 'RbacPolicyInUse', () => retarget(policy.id, carol));
    expect((await call('DELETE', `ports/${made.body.port.id}`, { as: BOB })).status).toBe(204);
    expect((await remove(policy.id)).status).toBe(204);
    expect((await call('POST', 'ports', mine)).status).toBe(404);
  });

  it('keeps what others use of it out of the question', async () => {
    const { id } = await network();
    await port(id, { project_id: alice });
    await port(id, { project_id: carol });
    // A port of nobody's, as a server makes them.
    await port(id, { project_id: '' });
    expect((await remove((await share(id)).id)).status).toBe(204);
    expect((await remove((await share(id, { target_tenant: alice })).id)).status).toBe(204);
  });

  it('is kept for it by a share with everybody', async () => {
    const { id } = await network();
    const [one, all] = [await share(id), await share(id, { target_tenant: '*' }, admin)];
    await port(id, { project_id: bob });
    expect((await remove(one.id)).status).toBe(204);
    await refuses(409, 'RbacPolicyInUse', () => remove(all.id, admin));
    const again = await share(id);
    expect((await remove(all.id, admin)).status).toBe(204);
    expect((await retarget(again.id, '*', admin)).status).toBe(200);
  });

  it('is given to everybody in place of one while that one uses it', async () => {
    const { id } = await network();
    const policy = await share(id);
    await port(id, { project_id: bob });
    expect((await retarget(policy.id, '*', admin)).body.rbac_policy.target_tenant).toBe('*');
    expect((await shown(id, CAROL)).shared).toBe(true);
    await refuses(409, 'RbacPolicyInUse', () => retarget(policy.id, carol, admin));
  });

  it('is not taken back while a port is being made on it', async () => {
    const { id } = await network();
    const policy = await share(id);
    const ports = Array.from({ length: 6 }, () =>
      call('POST', 'ports', { as: BOB, body: { port: { network_id: id } } }),
    );
    const [removed, ...made] = await Promise.all([remove(policy.id), ...ports]);
    const there = (await call('GET', `ports?network_id=${id}`, { as: admin })).body.ports.length;
    expect(made.filter(({ status }) => status === 201)).toHaveLength(there);
    expect(removed.status).toBe(there > 0 ? 409 : 204);
  });
});

describe('`shared` of a network', () => {
  const policies = async (id: string) =>
    (await call('GET', `rbac-policies?object_id=${id}`, { as: admin })).body.rbac_policies.map(
      ({ action, target_tenant }: Record<string, string>) => `${action} ${target_tenant}`,
    );

  it('is a share with everybody, made and taken back', async () => {
    const { id } = await network({ shared: true, project_id: alice }, admin);
    expect(await policies(id)).toEqual(['access_as_shared *']);
    await call('PUT', `networks/${id}`, { as: admin, body: { network: { shared: false } } });
    expect(await policies(id)).toEqual([]);
    expect(await shown(id, BOB)).toBe(404);
    await call('PUT', `networks/${id}`, { as: admin, body: { network: { shared: true } } });
    expect(await policies(id)).toEqual(['access_as_shared *']);
    const [{ id: policy }] = (await call('GET', 'rbac-policies')).body.rbac_policies;
    expect((await remove(policy)).status).toBe(204);
    expect(await shown(id, ALICE)).toMatchObject({ shared: false });
  });

  it('says nothing of a share with the one who asks', async () => {
    const ADMIN_BOB = { project: bob, roles: 'admin' };
    const { id } = await network();
    await share(id);
    expect((await shown(id, ADMIN_BOB)).shared).toBe(true);
    await call('PUT', `networks/${id}`, { as: ADMIN_BOB, body: { network: { shared: true } } });
    expect((await policies(id)).toSorted()).toEqual(['access_as_shared *', `access_as_shared ${bob}`]);
    await call('PUT', `networks/${id}`, { as: ADMIN_BOB, body: { network: { shared: false } } });
    expect(await policies(id)).toEqual([`access_as_shared ${bob}`]);
  });
});

describe('a network that is shared as external', () => {
  it('becomes external, for the target alone', async () => {
    const { id } = await network();
    await share(id, { action: 'access_as_external' });
    expect((await shown(id, ALICE))['router:external']).toBe(true);
    expect(await shown(id, BOB)).toMatchObject({ 'router:external': true, shared: false });
    expect(await shown(id, CAROL)).toBe(404);
    expect((await call('POST', 'ports', { as: BOB, body: { port: { network_id: id } } })).status).toBe(403);
  });

  it('is not taken from who has a gateway on it', async () => {
    const { id } = await network();
    const policy = await share(id, { action: 'access_as_external' });
    const gateway = await port(id, { project_id: bob, device_owner: 'network:router_gateway', device_id: 'r' });
    await refuses(409, 'RbacPolicyInUse', () => remove(policy.id));
    await stack.database.sql`delete from ports where id = ${gateway.id}`;
    expect((await remove(policy.id)).status).toBe(204);
  });

  it('is external no more once nobody has it so', async () => {
    const { id } = await network();
    const policies = [bob, alice].map((target_tenant) => share(id, { action: 'access_as_external', target_tenant }));
    const [first, second] = await Promise.all(policies);
    await remove(first!.id);
    expect((await shown(id, ALICE))['router:external']).toBe(true);
    const gateway = await port(id, { project_id: alice, device_owner: 'network:router_gateway', device_id: 'r' });
    await refuses(409, 'RbacPolicyInUse', () => remove(second!.id));
    await stack.database.sql`delete from ports where id = ${gateway.id}`;
    await remove(second!.id);
    expect((await shown(id, ALICE))['router:external']).toBe(false);
  });

  it('is external to nobody once it is not', async () => {
    const { id } = await network();
    await share(id, { action: 'access_as_external' });
    await call('PUT', `networks/${id}`, { as: admin, body: { network: { 'router:external': false } } });
    expect(await shown(id, BOB)).toBe(404);
    expect((await call('GET', 'rbac-policies')).body.rbac_policies).toEqual([]);
  });

  it('is for everybody while it is the default', async () => {
    const { id } = await network({ 'router:external': true }, admin);
    await stack.database.sql`update external_networks set is_default = true where network_id = ${id}`;
    const [{ id: policy }] = (await call('GET', 'rbac-policies', { as: admin })).body.rbac_policies;
    await refuses(409, 'RbacPolicyInUse', () => remove(policy, admin));
  });
});

describe('what is refused', () => {
  it.each<[string, Readonly<Record<string, unknown>>, number, string]>([
    ['a type that is none', { object_type: 'foo' }, 400, 'InvalidInput'],
    ['no type', { object_type: undefined }, 400, 'InvalidInput'],
    ['a type that is no text', { object_type: 5 }, 400, 'InvalidInput'],
    ['an action that is none', { action: 'foo' }, 400, 'InvalidActionForType'],
    ['no action', { action: undefined }, 400, 'HTTPBadRequest'],
    ['no target', { target_tenant: undefined }, 400, 'HTTPBadRequest'],
    ['a target that is no project', { target_tenant: 'bob' }, 400, 'InvalidInput'],
    ['an object that is none', { object_id: crypto.randomUUID() }, 404, 'NetworkNotFound'],
    ['an id that is none', { object_id: 'x' }, 400, 'HTTPBadRequest'],
    ['everybody, of a member', { target_tenant: '*' }, 403, 'PolicyNotAuthorized'],
    ["another project's name on it", { project_id: bob }, 400, 'HTTPBadRequest'],
  ])('%s', async (_, body, status, type) => {
    const { id } = await network();
    const answer = await post(id, body);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body.NeutronError.type).toBe(type);
  });

  it('a type is understood in any case', async () => {
    expect((await share((await network()).id, { object_type: ' Network ' })).object_type).toBe('network');
  });

  it('the same share twice, also by an update', async () => {
    const { id } = await network();
    await share(id);
    await refuses(409, 'DuplicateRbacPolicy', () => post(id));
    const other = await share(id, { target_tenant: carol });
    await refuses(409, 'DuplicateRbacPolicy', () => retarget(other.id, bob));
  });

  it('one of many who share the same at once succeeds', async () => {
    const { id } = await network();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
  });

  it("an object of another's, seen or not", async () => {
    const hidden = await network();
    await refuses(404, 'NetworkNotFound', () => post(hidden.id, { target_tenant: carol }, BOB));
    await share(hidden.id);
    await refuses(400, 'InvalidInput', () => post(hidden.id, { target_tenant: carol }, BOB));
  });

  it('everybody, by an update of a member', async () => {
    const policy = await share((await network()).id);
    await refuses(403, 'PolicyNotAuthorized', () => retarget(policy.id, '*'));
    await refuses(400, 'HTTPBadRequest', () =>
      call('PUT', `rbac-policies/${policy.id}`, { body: { rbac_policy: { action: 'access_as_external' } } }),
    );
  });

  it('more than the quota, however many ask at once', async () => {
    const { id } = await network();
    await call('PUT', `quotas/${alice}`, { as: admin, body: { quota: { rbac_policy: 3 } } });
    const targets = Array.from({ length: 10 }, (_, at) => String(at).padStart(32, '0'));
    const answers = await Promise.all(targets.map((target_tenant) => post(id, { target_tenant })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject(refused(409, 'OverQuota'));
    }
    const [first] = (await call('GET', 'rbac-policies')).body.rbac_policies;
    await remove(first.id);
    expect((await post(id, { target_tenant: 'f'.repeat(32) })).status).toBe(201);
  });
});

describe('lists', () => {
  it('are filtered, sorted and paged', async () => {
    const [one, two] = [await network(), await network()];
    await share(one.id);
    await share(one.id, { target_tenant: carol });
    await share(two.id, { action: 'access_as_external' });
    const list = async (query: string, as: Who = ALICE) =>
      (await call('GET', `rbac-policies?${query}`, { as })).body.rbac_policies.map(
        ({ object_id, target_tenant }: Record<string, string>) =>
          `${object_id === one.id ? 'one' : 'two'} ${target_tenant?.[0]}`,
      );
    const sorted = 'sort_key=target_tenant&sort_dir=asc&sort_key=action&sort_dir=desc';
    expect(await list(sorted)).toEqual(['one b', 'two b', 'one c']);
    expect(await list(`${sorted}&object_id=${one.id}`)).toEqual(['one b', 'one c']);
    expect(await list(`target_tenant=${carol}`)).toEqual(['one c']);
    expect(await list('action=access_as_external')).toEqual(['two b']);
    expect(await list(`object_type=network&project_id=${alice}&${sorted}`)).toEqual(['one b', 'two b', 'one c']);
    expect((await call('GET', 'rbac-policies?object_type=foo')).status).toBe(400);
    const page = await call('GET', `rbac-policies?${sorted}&limit=2`);
    expect(page.body.rbac_policies).toHaveLength(2);
    const next = `${sorted}&limit=2&marker=${page.body.rbac_policies[1].id}`;
    expect(await list(next)).toEqual(['one c']);
    expect((await call('GET', 'rbac-policies?fields=target_tenant&limit=1')).body.rbac_policies).toEqual([
      { target_tenant: expect.any(String) },
    ]);
  });

  it('are one statement, whatever the types', async () => {
    const statements = async (path: string) => {
      const before = stack.counted('nucleon_sql_statements_total');
      await call('GET', path);
      return stack.counted('nucleon_sql_statements_total') - before;
    };
    await share((await network()).id);
    expect(await statements('rbac-policies')).toBe(1);
  });
});
