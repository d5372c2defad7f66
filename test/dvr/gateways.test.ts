import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { shapeOf } from '../l2_rpc/support.ts';
import type { Attributes } from '../router/support.ts';
import { AGENT_GATEWAY_PORT } from './observed.ts';
import { DvrCloud } from './support.ts';

describe('ports of agents on external networks', () => {
  let cloud: DvrCloud;

  beforeAll(async () => {
    cloud = await DvrCloud.start('dvr_gateways');
  });
  afterAll(() => cloud.stop());
  beforeEach(async () => {
    await cloud.clear();
    await cloud.hosts();
  });

  /** The hosts that have a port on the network. */
  const on = async ({ id }: Attributes): Promise<string[]> => {
    const { ports } = await cloud.l3.done(
      'GET',
      `ports?network_id=${id}&device_owner=network:floatingip_agent_gateway`,
      undefined,
      { project: 'admin', roles: 'admin' },
    );
    return ports.map((port: Attributes) => port['binding:host_id']).toSorted();
  };
  const floating = (network: Attributes, port?: Attributes) =>
    cloud.stack.create('floatingip', {
      floating_network_id: network.id,
      ...(port === undefined ? {} : { port_id: port.id }),
    });
  const ask = (host: string, { id }: Attributes, more: object = {}) =>
    cloud.l3.call(host, 'get_agent_gateway_port', { network_id: id, host, ...more }, '1.2');
  const give = (host: string, { id }: Attributes, more: object = {}) =>
    cloud.l3.call(host, 'delete_agent_gateway_port', { network_id: id, host, ...more }, '1.7');

  it('are made where a floating IP leads to a server on the host', async () => {
    const { outside, inside } = await cloud.connected();
    const [one, two] = [await cloud.server(inside, 'c1'), await cloud.server(inside, 'c2')];
    await floating(outside.net, one);
    expect(await on(outside.net)).toEqual(['c1']);
    await floating(outside.net, await cloud.server(inside, 'c1'));
    expect(await on(outside.net)).toEqual(['c1']);
    const { id } = await floating(outside.net);
    await cloud.change('floatingip', { id }, { port_id: two.id });
    expect(await on(outside.net)).toEqual(['c1', 'c2']);
    const [port] = await cloud.portsOf((await ask('c1', outside.net)).device_id, 'floatingip_agent_gateway');
    expect(port).toMatchObject({ project_id: '', 'binding:vif_type': 'ovs', 'binding:host_id': 'c1' });
  });

  it('are not made for centralised routers, unbound ports, and hosts without external networks', async () => {
    const { outside, inside } = await cloud.connected();
    await cloud.l3.agent('inner', 'dvr_no_external');
    await floating(outside.net, await cloud.server(inside, ''));
    await floating(outside.net, await cloud.server(inside, 'inner'));
    const lan = await cloud.lan();
    const centralised = await cloud.router({ distributed: false, ...cloud.gateway(outside.net) });
    await cloud.add(centralised, { subnet_id: lan.sub.id });
    await floating(outside.net, await cloud.server(lan, 'c2'));
    expect(await on(outside.net)).toEqual([]);
    expect([await ask('inner', outside.net), await ask('nowhere', outside.net)]).toEqual([null, null]);
  });

  it('are made where servers with floating IPs come, and are about to', async () => {
    const { outside, inside } = await cloud.connected();
    const port = await cloud.server(inside, '');
    await floating(outside.net, port);
    await cloud.change('port', port, { 'binding:host_id': 'c1' });
    expect(await on(outside.net)).toEqual(['c1']);
    const service = { project: 'service', roles: 'service' };
    await cloud.l3.change('port', port.id, { 'binding:profile': { migrating_to: 'c2' } }, service);
    expect(await on(outside.net)).toEqual(['c1', 'c2']);
  });

  it('are answered as Neutron answers', async () => {
    const { outside, inside } = await cloud.connected();
    await cloud.server(inside, 'c1');
    const answer = await ask('c1', outside.net);
    expect(shapeOf(answer)).toMatchObject({ ...AGENT_GATEWAY_PORT, mtu: answer.mtu });
    for (const hidden of ['dvr_interfaces', 'has_floatingips']) expect(answer).not.toHaveProperty(hidden);
    expect(await ask('c1', outside.net)).toEqual(answer);
  });

  it('are one for two who ask at once', async () => {
    const { outside, inside } = await cloud.connected();
    await cloud.server(inside, 'c1');
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask('c1', outside.net)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await on(outside.net)).toEqual(['c1']);
  });

  it('are of the host that asks, whatever it says, and only where it has a router that leads there', async () => {
    const { outside, inside } = await cloud.connected();
    await cloud.server(inside, 'c1');
    expect(await ask('c2', outside.net)).toBeNull();
    await expect(ask('c2', outside.net, { host: 'c1' })).rejects.toThrow('a host may speak only for itself');
    expect(await on(outside.net)).toEqual([]);
    await ask('c1', outside.net);
    await give('c2', outside.net);
    await expect(give('c2', outside.net, { host: 'c1' })).rejects.toThrow('a host may speak only for itself');
    expect(await on(outside.net)).toEqual(['c1']);
    expect(await ask('c1', inside.net)).toBeNull();
    await expect(ask('c1', { id: 'no uuid' })).rejects.toThrow('network_id');
  });

  it('go when the agent gives them back, once or twice', async () => {
    const { outside, inside } = await cloud.connected();
    await floating(outside.net, await cloud.server(inside, 'c1'));
    expect(await give('c1', outside.net)).toBeNull();
    expect(await give('c1', outside.net)).toBeNull();
    expect(await on(outside.net)).toEqual([]);
    await ask('c1', outside.net);
    expect(await Promise.all([give('c1', outside.net), give('c1', outside.net)])).toEqual([null, null]);
    expect(await on(outside.net)).toEqual([]);
  });

  it('go with the last distributed gateway of the network, of which their hosts are told', async () => {
    const { outside, inside, router } = await cloud.connected();
    await cloud.router(cloud.gateway(outside.net));
    await cloud.server(inside, 'c1');
    await ask('c1', outside.net);
    await cloud.change('router', router, { external_gateway_info: null });
    expect(await on(outside.net)).toEqual(['c1']);
    const { routers } = await cloud.l3.done('GET', 'routers', undefined, { project: 'admin', roles: 'admin' });
    const other = routers.find(({ id }: Attributes) => id !== router.id);
    expect(await cloud.told(() => cloud.delete('routers', other), 'fipnamespace_delete_on_ext_net')).toEqual([
      `fipnamespace_delete_on_ext_net c1 {"ext_net_id":"${outside.net.id}"}`,
    ]);
    expect(await on(outside.net)).toEqual([]);
    await cloud.delete('networks', outside.net);
  });

  it('go with their agent', async () => {
    const { outside, inside } = await cloud.connected();
    await floating(outside.net, await cloud.server(inside, 'c1'));
    const { device_id } = await ask('c1', outside.net);
    await cloud.delete('agents', { id: device_id });
    expect(await on(outside.net)).toEqual([]);
  });

  it('that a race has left over do not hold the network', async () => {
    const { outside, inside, router } = await cloud.connected();
    await cloud.server(inside, 'c1');
    const { id } = await ask('c1', outside.net);
    const [row] = await cloud.sql`delete from agent_gateway_ports where port_id = ${id} returning *`;
    await cloud.change('router', router, { external_gateway_info: null });
    await cloud.sql`insert into agent_gateway_ports ${cloud.sql(row as Record<string, string>)}`;
    await cloud.delete('networks', outside.net);
    expect(await cloud.sql`select from ports where id = ${id}`).toHaveLength(0);
  });
});

describe('floating IPs of distributed routers', () => {
  let cloud: DvrCloud;

  beforeAll(async () => {
    cloud = await DvrCloud.start('dvr_floatingips');
  });
  afterAll(() => cloud.stop());
  beforeEach(async () => {
    await cloud.clear();
    await cloud.hosts();
    await cloud.l3.agent('inner', 'dvr_no_external');
  });

  /** What a host is told of floating IPs: `host`, `dest_host` and `dvr_snat_bound` of each. */
  const seen = async (host: string): Promise<object[]> => {
    const routers = await cloud.l3.sync(host);
    return routers.flatMap(({ _floatingips = [] }) =>
      _floatingips.map(({ host: where, dest_host, dvr_snat_bound }: Attributes) => ({
        where,
        ...(dest_host == null ? {} : { dest_host }),
        ...(dvr_snat_bound === undefined ? {} : { dvr_snat_bound }),
      })),
    );
  };
  const lead = async (where: string) => {
    const { outside, inside } = await cloud.connected();
    const port = await cloud.server(inside, where);
    await cloud.stack.create('floatingip', { floating_network_id: outside.net.id, port_id: port.id });
    await cloud.server(inside, 'c2');
    return { inside, port };
  };

  it('are on the host of their server', async () => {
    await lead('c1');
    expect(await seen('c1')).toEqual([{ where: 'c1' }]);
    expect([await seen('c2'), await seen('n1')]).toEqual([[], []]);
  });

  it('are centralised where the host has no external network, and where there is no host', async () => {
    const bound = { where: 'FLOATING_IP_NEEDS_BINDING', dvr_snat_bound: true };
    await lead('');
    expect([await seen('n1'), await seen('c2')]).toEqual([[bound], []]);
    await cloud.clear();
    await cloud.hosts();
    await cloud.l3.agent('inner', 'dvr_no_external');
    await lead('inner');
    expect([await seen('n1'), await seen('c2')]).toEqual([[bound], []]);
  });

  it('are on both hosts of a migration', async () => {
    const { port } = await lead('c1');
    const service = { project: 'service', roles: 'service' };
    await cloud.l3.done('POST', `ports/${port.id}/bindings`, { binding: { host: 'c2' } }, service);
    expect(await seen('c1')).toEqual([{ where: 'c1', dest_host: 'c2' }]);
    expect(await seen('c2')).toEqual([{ where: 'c1', dest_host: 'c2' }]);
  });

  it('bring the router to ports that are nobody’s servers, and take it away', async () => {
    const { outside, inside } = await cloud.connected();
    const port = await cloud.server(inside, 'c1', { device_owner: '' });
    expect(await cloud.l3.call('c1', 'get_router_ids', { host: 'c1' }, '1.9')).toEqual([]);
    let floatingip: Attributes;
    const come = await cloud.told(async () => {
      floatingip = await cloud.stack.create('floatingip', { floating_network_id: outside.net.id, port_id: port.id });
    }, 'routers_updated');
    expect(come.some((text) => / c1|,c1| c1,/.test(text))).toBe(true);
    expect(await seen('c1')).toEqual([{ where: 'c1' }]);
    const gone = await cloud.told(
      () => cloud.change('floatingip', floatingip, { port_id: null }),
      'router_removed_from_agent',
    );
    expect(gone).toEqual(['router_removed_from_agent c1 {"router_id":"router"}']);
  });
});
