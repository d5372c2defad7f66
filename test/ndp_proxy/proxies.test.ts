/** NDP proxies: what they are, between what they may be, and what they hold. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpc, toldBy } from '../objects/support.ts';
import { type Attributes, alice, bob, erin } from '../router/support.ts';
import { Stack } from '../support/stack.ts';
import { OPTIONS, Proxying } from './support.ts';

let stack: Stack;
let here: Proxying;
beforeAll(async () => {
  stack = await Stack.start('ndp_proxies', OPTIONS, 8);
  const quota = { network: -1, subnet: -1, port: -1, router: -1, subnetpool: -1 };
  for (const project of ['alice', 'bob']) await stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota } });
  here = await Proxying.make(stack);
});
afterAll(() => stack.stop());

const addressOf = (port: Attributes): string => port.fixed_ips[0].ip_address;

describe('an NDP proxy', () => {
  it('shows what Neutron shows, for the address that the router reaches', async () => {
    const { router, port } = await here.connected();
    const made = await here.proxy(router, port, { name: 'web' });
    expect(made).toEqual({
      ...{ id: made.id, name: 'web', description: '', project_id: 'alice', router_id: router.id, port_id: port.id },
      ...{ ip_address: addressOf(port), revision_number: 0, tenant_id: 'alice' },
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    });
    const path = `ndp_proxies/${made.id}`;
    expect((await here.cloud.done('GET', path)).ndp_proxy).toEqual(made);
    expect((await here.cloud.done('GET', `ndp-proxies?name=web&router_id=${router.id}`)).ndp_proxies).toEqual([made]);
    const change = { description: 'new' };
    expect((await here.cloud.done('PUT', path, { ndp_proxy: change })).ndp_proxy).toMatchObject({
      ...{ ...change, revision_number: 1 },
    });
    const fixed = { ndp_proxy: { ip_address: '2001:db8::1' } };
    expect(await here.cloud.refusal('PUT', path, fixed)).toBe('400 HTTPBadRequest');
    await here.cloud.done('DELETE', path);
    expect(await here.cloud.refusal('GET', path)).toBe('404 NDPProxyNotFound');
  });

  it('is there once for an address of a router, also when asked for at once or with others', async () => {
    const { router, port, net } = await here.connected();
    const ndp_proxy = { router_id: router.id, port_id: port.id };
    const ask = () => here.cloud.ask('POST', 'ndp-proxies', { ndp_proxy });
    const statuses = (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 409, 409]);
    expect(await here.refused(router, port)).toBe('409 NeutronDbObjectDuplicateEntry');
    const other = { ...ndp_proxy, port_id: (await stack.create('port', { network_id: net.id }, alice)).id };
    const several = (...ndp_proxies: object[]) => here.cloud.refusal('POST', 'ndp-proxies', { ndp_proxies });
    expect(await several(other, ndp_proxy)).toBe('409 NeutronDbObjectDuplicateEntry');
    expect(await several(other)).toBe('201');
  });

  it('is of a router on a network of the port that may have proxies', async () => {
    const { router, port } = await here.connected();
    const apart = await here.lan();
    const unreached = await stack.create('port', { network_id: apart.net.id }, alice);
    expect(await here.refused(router, unreached)).toBe('409 PortUnreachableRouter');
    const nobody = { id: '00000000-0000-4000-8000-000000000000' };
    expect(await here.refused(nobody, port)).toBe('409 PortUnreachableRouter');
    expect(await here.refused(router, nobody)).toBe('404 PortNotFound');
    expect(await here.refused(router, port, {}, erin)).toBe('404 PortNotFound');
    const network_id = (await stack.create('network', {}, bob)).id;
    const theirs = await stack.create('port', { network_id }, bob);
    expect(await here.refused(router, theirs, {}, bob)).toBe('409 PortUnreachableRouter');
    const switched = await here.connected({ enable_ndp_proxy: false });
    expect(await here.refused(switched.router, switched.port)).toBe('409 RouterNDPProxyNotEnable');
  });

  it('is for an IPv6 address of the port on a subnet of the router', async () => {
    const { router, port, net, sub } = await here.connected();
    const second = { network_id: net.id, ip_version: 6, subnetpool_id: here.pool.id };
    const aside = await stack.create('subnet', second, alice);
    const v4 = { network_id: net.id, ip_version: 4, cidr: '10.0.0.0/24' };
    const old = await stack.create('subnet', v4, alice);
    const at = (...subnets: Attributes[]) =>
      stack.create('port', { network_id: net.id, fixed_ips: subnets.map(({ id }) => ({ subnet_id: id })) }, alice);
    expect(await here.refused(router, await at(old))).toBe('400 BadRequest');
    expect(await here.refused(router, await at(aside))).toBe('409 PortUnreachableRouter');
    const both = await at(aside, sub);
    const on = ({ id }: Attributes): string =>
      both.fixed_ips.find(({ subnet_id }: Attributes) => subnet_id === id).ip_address;
    expect(await here.refused(router, both, { ip_address: on(aside) })).toBe('400 InvalidAddress');
    expect(await here.refused(router, both, { ip_address: addressOf(port) })).toBe('400 InvalidAddress');
    expect(await here.proxy(router, both)).toMatchObject({ ip_address: on(sub) });
  });

  it('is within one address scope', async () => {
    const { router, port } = await here.connected(undefined, await Proxying.pool(stack, '2001:dc8::/32'));
    expect(await here.refused(router, port)).toBe('409 AddressScopeConflict');
  });

  it('holds the gateway and the interface of its router', async () => {
    const { router, port, sub } = await here.connected();
    const { id } = await here.proxy(router, port);
    const other = await here.lan();
    await here.cloud.add(router, { subnet_id: other.sub.id });
    await here.cloud.remove(router, { subnet_id: other.sub.id });
    const path = `routers/${router.id}`;
    const removal = { subnet_id: sub.id };
    const gateway = { router: { external_gateway_info: null } };
    expect(await here.cloud.refusal('PUT', path, gateway)).toBe('409 RouterGatewayInUseByNDPProxy');
    expect(await here.cloud.refusal('PUT', `${path}/remove_router_interface`, removal)).toBe(
      '409 RouterInterfaceInUseByNDPProxy',
    );
    await here.cloud.done('DELETE', `ndp-proxies/${id}`);
    await here.cloud.done('PUT', path, gateway);
    await here.cloud.remove(router, removal);
  });

  it('goes with its port, and with the address that it is for', async () => {
    const { router, port, sub } = await here.connected();
    const two = [{ ip_address: addressOf(port), subnet_id: sub.id }, { subnet_id: sub.id }];
    const { fixed_ips } = await here.cloud.change('port', port.id, { fixed_ips: two });
    const proxies = fixed_ips.map(({ ip_address }: Attributes) => here.proxy(router, port, { ip_address }));
    await Promise.all(proxies);
    const list = async () => (await here.cloud.done('GET', `ndp-proxies?port_id=${port.id}`)).ndp_proxies;
    await here.cloud.change('port', port.id, { fixed_ips: fixed_ips.slice(0, 1) });
    expect((await list()).map(({ ip_address }: Attributes) => ip_address)).toEqual([fixed_ips[0].ip_address]);
    await here.cloud.done('DELETE', `ports/${port.id}`);
    expect(await list()).toEqual([]);
  });

  it('is not made for an interface that goes at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { router, port, sub } = await here.connected();
      const ndp_proxy = { router_id: router.id, port_id: port.id };
      const answers = await Promise.all([
        here.cloud.ask('POST', 'ndp-proxies', { ndp_proxy }),
        here.cloud.ask('PUT', `routers/${router.id}/remove_router_interface`, { subnet_id: sub.id }),
      ]);
      expect([
        [201, 409],
        [409, 200],
      ]).toContainEqual(answers.map(({ status }) => status));
    }
  });

  it('is told to the agents of its router, and to no others', async () => {
    const { router, port } = await here.connected();
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
    let made: Attributes;
    const told = await toldBy(stack, async () => {
      made = await here.proxy(router, port, { description: 'x' });
    });
    const message = { topic: 'neutron-vo-NDPProxy-1.0', method: 'push', hosts: ['host1'] };
    expect(told).toMatchObject([{ ...message, args: { event_type: 'updated' } }]);
    const { tenant_id: _, ...data } = made;
    expect(told[0]?.args.resource_list[0]['versioned_object.data']).toEqual(data);
    const pull = async (host: string) => {
      const args = { resource_type: 'NDPProxy', version: '1.0', filter_kwargs: { router_id: [router.id] } };
      const list = await rpc(stack, host, 'bulk_pull', args, { version: '1.1' });
      return list.map((one: Record<string, { id: string }>) => one['versioned_object.data']?.id);
    };
    expect(await pull('host1')).toEqual([made.id]);
    expect(await pull('host2')).toEqual([]);
    const gone = await toldBy(stack, () => here.cloud.done('DELETE', `ports/${port.id}`));
    expect(gone.filter(({ topic }) => topic === message.topic)).toMatchObject([
      { ...message, args: { event_type: 'deleted', resource_list: [{ 'versioned_object.data': { id: made.id } }] } },
    ]);
  });
});
