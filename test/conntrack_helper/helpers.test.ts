/** Conntrack helpers of routers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpc, toldBy } from '../objects/support.ts';
import { type Attributes, Cloud, erin } from '../router/support.ts';
import { Stack } from '../support/stack.ts';

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('conntrack_helpers', { DEFAULT: { service_plugins: ['router', 'conntrack_helper'] } });
  cloud = new Cloud(stack);
  await stack.call('PUT', '/v2.0/quotas/alice', { body: { quota: { router: -1 } } });
});
afterAll(() => stack.stop());

const TFTP = { protocol: 'udp', port: 69, helper: 'tftp' };

const pathOf = (router: Attributes, id = '') => `routers/${router.id}/conntrack_helpers${id === '' ? '' : `/${id}`}`;
const add = async (router: Attributes, conntrack_helper: object = TFTP): Promise<Attributes> =>
  (await cloud.done('POST', pathOf(router), { conntrack_helper })).conntrack_helper;
const refused = (router: Attributes, conntrack_helper: object, as?: typeof erin) =>
  cloud.refusal('POST', pathOf(router), { conntrack_helper }, as);

describe('a conntrack helper', () => {
  it('shows what Neutron shows, and so does its router, which has another revision', async () => {
    const router = await cloud.router();
    expect(router.conntrack_helpers).toEqual([]);
    const made = await add(router);
    expect(made).toEqual({ id: made.id, ...TFTP });
    expect(await cloud.done('GET', pathOf(router, made.id))).toEqual({ conntrack_helper: made });
    expect(await cloud.done('GET', pathOf(router))).toEqual({ conntrack_helpers: [made] });
    expect(await cloud.show('router', router.id)).toMatchObject({
      ...{ conntrack_helpers: [TFTP], revision_number: router.revision_number + 1 },
    });
    const body = { conntrack_helper: { port: 6969 } };
    const changed = { ...made, port: 6969 };
    expect((await cloud.done('PUT', pathOf(router, made.id), body)).conntrack_helper).toEqual(changed);
    await cloud.done('PUT', pathOf(router, made.id), body);
    expect((await cloud.show('router', router.id)).revision_number).toBe(router.revision_number + 2);
    await cloud.done('DELETE', pathOf(router, made.id));
    expect(await cloud.show('router', router.id)).toMatchObject({
      ...{ conntrack_helpers: [], revision_number: router.revision_number + 3 },
    });
  });

  it('is one that the configuration allows, for a protocol that it allows', async () => {
    const router = await cloud.router();
    expect(await refused(router, { ...TFTP, helper: 'smtp' })).toBe('400 ConntrackHelperNotAllowed');
    expect(await refused(router, { ...TFTP, protocol: 'tcp' })).toBe('400 InvalidProtocolForHelper');
    const { id } = await add(router, { protocol: 'tcp', port: 5060, helper: 'sip' });
    const change = (conntrack_helper: object) => cloud.refusal('PUT', pathOf(router, id), { conntrack_helper });
    expect(await change({ helper: 'tftp' })).toBe('400 InvalidProtocolForHelper');
    expect(await change({ protocol: 'udp', helper: 'tftp' })).toBe('200');
  });

  it.each([
    ['port 0', { port: 0 }],
    ['an unknown protocol', { protocol: 'foo' }],
    ['a long name', { helper: 'x'.repeat(65) }],
  ])('is refused with %s', async (_, attributes) => {
    expect(await refused(await cloud.router(), { ...TFTP, ...attributes })).toMatch(
      /^400 (InvalidInput|HTTPBadRequest)$/,
    );
  });

  it('is there once, also when it is asked for at once, alone or with others', async () => {
    const router = await cloud.router();
    const ask = () => cloud.ask('POST', pathOf(router), { conntrack_helper: TFTP });
    const statuses = (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 400, 400]);
    const other = { ...TFTP, port: 70 };
    const { id } = await add(router, other);
    expect(await cloud.refusal('PUT', pathOf(router, id), { conntrack_helper: TFTP })).toBe('400 BadRequest');
    const several = { conntrack_helpers: [{ ...TFTP, port: 71 }, TFTP] };
    expect(await cloud.refusal('POST', pathOf(router), several)).toBe('400 BadRequest');
    expect((await cloud.show('router', router.id)).conntrack_helpers).toEqual([TFTP, other]);
    await add(await cloud.router());
  });

  it('belongs to its router: of others it is not found, and to others there is none', async () => {
    const [router, other] = [await cloud.router(), await cloud.router()];
    const { id } = await add(router);
    const body = { conntrack_helper: { port: 70 } };
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const sent = method === 'PUT' ? body : undefined;
      expect(await cloud.refusal(method, pathOf(other, id), sent)).toBe('404 ConntrackHelperNotFound');
      expect(await cloud.refusal(method, pathOf(router, id), sent, erin)).toBe('404 RouterNotFound');
    }
    expect(await cloud.refusal('GET', pathOf(router), undefined, erin)).toBe('404 RouterNotFound');
    expect(await refused(router, { ...TFTP, port: 71 }, erin)).toBe('404 RouterNotFound');
    expect(await cloud.refusal('GET', pathOf({ id: 'nothing' }))).toBe('404 RouterNotFound');
    await cloud.done('DELETE', `routers/${router.id}`);
    expect(await stack.database.sql`select 1 from conntrack_helpers where id = ${id}`).toEqual([]);
  });

  it('is listed by what is looked for, in order, in pages', async () => {
    const router = await cloud.router();
    for (const [protocol, port] of [
      ['udp', 5061],
      ['tcp', 5060],
      ['udp', 5060],
    ]) {
      await add(router, { protocol, port, helper: 'sip' });
    }
    const ports = async (query: string) =>
      (await cloud.done('GET', `${pathOf(router)}?${query}`)).conntrack_helpers.map(
        ({ protocol, port }: Attributes) => `${protocol} ${port}`,
      );
    expect(await ports('protocol=udp&sort_key=port&sort_dir=desc')).toEqual(['udp 5061', 'udp 5060']);
    expect(await ports('port=5060&sort_key=protocol&sort_dir=asc')).toEqual(['tcp 5060', 'udp 5060']);
    expect(await ports('helper=tftp')).toEqual([]);
    expect(await ports('sort_key=port&sort_dir=asc&sort_key=protocol&sort_dir=asc&limit=1')).toEqual(['tcp 5060']);
  });
});

it('is told to the agents of its router, as by Neutron, and to no others', async () => {
  const router = await cloud.router();
  const { sql } = stack.database;
  for (const host of ['host1', 'host2']) {
    await sql`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, availability_zone, created_at, started_at,
        heartbeat_timestamp, configurations)
      values (gen_random_uuid(), 'L3 agent', 'neutron-l3-agent', 'l3_agent', ${host}, true, 'nova', now(), now(), now(), '{}')`;
  }
  await sql`
    insert into router_l3_agents (router_id, agent_id, place)
    select ${router.id}, id, 1 from agents where host = 'host1'`;
  let id = '';
  const made = await toldBy(stack, async () => {
    id = (await add(router)).id;
  });
  const message = { topic: 'neutron-vo-ConntrackHelper-1.0', method: 'push', hosts: ['host1'] };
  const type = {
    'versioned_object.name': 'ConntrackHelper',
    'versioned_object.namespace': 'versionedobjects',
    'versioned_object.version': '1.0',
  };
  const resource = { ...type, 'versioned_object.data': { id, router_id: router.id, ...TFTP } };
  expect(made).toEqual([{ ...message, args: { resource_list: [resource], event_type: 'updated' } }]);
  const pull = async (host: string) => {
    const args = { resource_type: 'ConntrackHelper', version: '1.0', filter_kwargs: { router_id: [router.id] } };
    const list = await rpc(stack, host, 'bulk_pull', args, { version: '1.1' });
    return list.map((one: Record<string, { id: string }>) => one['versioned_object.data']?.id);
  };
  expect(await pull('host1')).toEqual([id]);
  expect(await pull('host2')).toEqual([]);
  expect(await toldBy(stack, () => cloud.done('DELETE', pathOf(router, id)))).toMatchObject([
    { ...message, args: { event_type: 'deleted', resource_list: [{ 'versioned_object.data': { id } }] } },
  ]);
});
