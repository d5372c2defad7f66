import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Attributes } from '../router/support.ts';
import { DvrCloud, nova } from './support.ts';

describe('hosts of distributed routers', () => {
  let cloud: DvrCloud;

  beforeAll(async () => {
    cloud = await DvrCloud.start('dvr_hosts');
  });
  afterAll(() => cloud.stop());
  beforeEach(async () => {
    await cloud.clear();
    await cloud.hosts();
  });

  /** The routers that the agent of a host says it has when it starts, by name. */
  const on = async (host: string): Promise<string[]> => {
    const ids: string[] = await cloud.l3.call(host, 'get_router_ids', { host }, '1.9');
    const rows = await cloud.sql<{ name: string }[]>`
      select name from routers where id = any(${ids}::uuid[]) order by name`;
    return rows.map(({ name }) => name);
  };
  /** A distributed router with the name, on the networks. */
  const routerOn = async (name: string, ...lans: readonly Attributes[]) => {
    const router = await cloud.router({ name });
    for (const { sub } of lans) await cloud.add(router, { subnet_id: sub.id });
    return router;
  };

  it('are those with servers on its subnets, whatever network they are of', async () => {
    const [one, two] = [await cloud.lan(), await cloud.lan()];
    await routerOn('r', one, two);
    await routerOn('other', await cloud.lan());
    await cloud.server(one, 'c1');
    expect([await on('c1'), await on('c2'), await on('n1')]).toEqual([['r'], [], []]);
    await cloud.server(two, 'c2');
    expect([await on('c1'), await on('c2')]).toEqual([['r'], ['r']]);
  });

  it('do not count ports of others, on other subnets of the network, or in another mode', async () => {
    const lan = await cloud.lan();
    const second = await cloud.stack.create('subnet', { network_id: lan.net.id, ip_version: 4, cidr: '10.7.0.0/24' });
    await routerOn('r', lan);
    await cloud.server(lan, 'c1', { device_owner: 'other:thing' });
    await cloud.server({ net: lan.net, sub: second }, 'c2');
    await cloud.l3.agent('legacy');
    await cloud.server(lan, 'legacy');
    expect([await on('c1'), await on('c2'), await on('legacy')]).toEqual([[], [], []]);
  });

  it('have those that are on a network with one of their routers, too', async () => {
    const [one, shared, two] = [await cloud.lan(), await cloud.lan(), await cloud.lan()];
    await routerOn('r1', one, shared);
    const r2 = await routerOn('r2', two);
    const { id } = await cloud.stack.create('port', { network_id: shared.net.id });
    await cloud.add(r2, { port_id: id });
    await routerOn('apart', await cloud.lan());
    await cloud.server(one, 'c1');
    await cloud.server(two, 'c2');
    expect([await on('c1'), await on('c2')]).toEqual([
      ['r1', 'r2'],
      ['r1', 'r2'],
    ]);
  });

  it('hear of it with the first server, and that it is gone with the last', async () => {
    const lan = await cloud.lan();
    await routerOn('r', lan);
    const ports: Attributes[] = [];
    const come = ['routers_updated'];
    const gone = ['router_removed_from_agent'];
    expect(await cloud.told(async () => void ports.push(await cloud.server(lan, 'c1')), ...come)).toEqual([
      'routers_updated c1 ["r"]',
    ]);
    ports.push(await cloud.server(lan, 'c1'));
    expect(await cloud.told(() => cloud.delete('ports', ports[0]), ...gone)).toEqual([]);
    expect(await cloud.told(() => cloud.delete('ports', ports[1]), ...gone)).toEqual([
      'router_removed_from_agent c1 {"router_id":"r"}',
    ]);
  });

  it('hear of it when a server moves, or is bound later', async () => {
    const lan = await cloud.lan();
    await routerOn('r', lan);
    const port = await cloud.server(lan, '');
    const place = (host: string) => () => cloud.change('port', port, { 'binding:host_id': host });
    const methods = ['routers_updated', 'router_removed_from_agent'];
    expect(await cloud.told(place('c1'), ...methods)).toEqual(['routers_updated c1 ["r"]']);
    expect(await cloud.told(place('c2'), ...methods)).toEqual([
      'router_removed_from_agent c1 {"router_id":"r"}',
      'routers_updated c2 ["r"]',
    ]);
    expect(await cloud.told(place(''), ...methods)).toEqual(['router_removed_from_agent c2 {"router_id":"r"}']);
  });

  it('are told of neighbours, whichever of them a server brings', async () => {
    const [one, shared, two] = [await cloud.lan(), await cloud.lan(), await cloud.lan()];
    await routerOn('r1', one, shared);
    const r2 = await routerOn('r2', two);
    const { id } = await cloud.stack.create('port', { network_id: shared.net.id });
    await cloud.add(r2, { port_id: id });
    let port: Attributes;
    const methods = ['routers_updated', 'router_removed_from_agent'];
    expect(
      await cloud.told(
        async () => {
          port = await cloud.server(one, 'c1');
        },
        ...methods,
      ),
    ).toEqual(['routers_updated c1 ["r1"]', 'routers_updated c1 ["r2"]']);
    expect(await cloud.told(() => cloud.remove(r2, { port_id: id }), 'router_removed_from_agent')).toEqual([
      'router_removed_from_agent c1 {"router_id":"r2"}',
    ]);
    expect(await cloud.told(() => cloud.delete('ports', port), ...methods)).toEqual([
      'router_removed_from_agent c1 {"router_id":"r1"}',
    ]);
  });

  it('lose it with the interface that brought it', async () => {
    const [one, two] = [await cloud.lan(), await cloud.lan()];
    const router = await routerOn('r', one, two);
    await cloud.server(one, 'c1');
    for (const lan of [one, two]) await cloud.server(lan, 'c2');
    expect(
      await cloud.told(() => cloud.remove(router, { subnet_id: one.sub.id }), 'router_removed_from_agent'),
    ).toEqual(['router_removed_from_agent c1 {"router_id":"r"}']);
    expect([await on('c1'), await on('c2')]).toEqual([[], ['r']]);
  });

  it('that migrations prepare have it before the server comes, and until it has left', async () => {
    const lan = await cloud.lan();
    await routerOn('r', lan);
    const port = await cloud.server(lan, 'c1');
    const bindings = `ports/${port.id}/bindings`;
    const methods = ['routers_updated', 'router_removed_from_agent'];
    const as = nova;
    expect(
      await cloud.told(() => cloud.l3.done('POST', bindings, { binding: { host: 'c2' } }, as), ...methods),
    ).toEqual(['routers_updated c2 ["r"]']);
    expect(await on('c2')).toEqual(['r']);
    expect(
      await cloud.told(() => cloud.l3.done('PUT', `${bindings}/c2/activate`, {}, as), 'router_removed_from_agent'),
    ).toEqual([]);
    expect(
      await cloud.told(() => cloud.l3.done('DELETE', `${bindings}/c1`, undefined, as), 'router_removed_from_agent'),
    ).toEqual(['router_removed_from_agent c1 {"router_id":"r"}']);
    expect([await on('c1'), await on('c2')]).toEqual([[], ['r']]);
  });

  it('learn by the profile of a binding where a server is about to migrate', async () => {
    const lan = await cloud.lan();
    await routerOn('r', lan);
    const port = await cloud.server(lan, 'c1');
    const migrate = () => cloud.l3.change('port', port.id, { 'binding:profile': { migrating_to: 'c2' } }, nova);
    expect(await cloud.told(migrate, 'routers_updated')).toEqual(['routers_updated c2 ["r"]']);
  });

  it('are those of DHCP servers only while host_dvr_for_dhcp says so', async () => {
    const lan = await cloud.lan();
    await routerOn('r', lan);
    await cloud.server(lan, 'c1', { device_owner: 'network:dhcp' });
    expect(await on('c1')).toEqual(['r']);
    const without = await DvrCloud.start('dvr_hosts_dhcp', { DEFAULT: { host_dvr_for_dhcp: false } });
    try {
      await without.hosts();
      const its = await without.lan();
      const router = await without.router();
      await without.add(router, { subnet_id: its.sub.id });
      await without.server(its, 'c1', { device_owner: 'network:dhcp' });
      expect(await without.l3.call('c1', 'get_router_ids', { host: 'c1' }, '1.9')).toEqual([]);
    } finally {
      await without.stop();
    }
  });

  it('are told of addresses of servers, their pairs included', async () => {
    const lan = await cloud.lan('10.6.0.0/24');
    await routerOn('r', lan);
    const methods = ['add_arp_entry', 'del_arp_entry'];
    const entry = (ip_address: string, mac_address: string) =>
      JSON.stringify({ router_id: 'r', arp_table: { ip_address, mac_address, subnet_id: lan.sub.id } });
    const server = {
      mac_address: 'fa:16:3e:00:00:01',
      fixed_ips: [{ subnet_id: lan.sub.id, ip_address: '10.6.0.10' }],
    };
    let port: Attributes;
    expect(
      await cloud.told(
        async () => {
          port = await cloud.server(lan, 'c1', server);
        },
        ...methods,
      ),
    ).toEqual([`add_arp_entry c1 ${entry('10.6.0.10', 'fa:16:3e:00:00:01')}`]);
    const change = (attributes: object) => () => cloud.change('port', port, attributes);
    const pairs = [
      { ip_address: '10.6.0.50' },
      { ip_address: '10.6.0.51/32', mac_address: 'fa:16:3e:00:00:09' },
      { ip_address: '10.6.0.128/25' },
      { ip_address: '192.0.2.1' },
    ];
    expect(await cloud.told(change({ allowed_address_pairs: pairs }), ...methods)).toEqual([
      `add_arp_entry c1 ${entry('10.6.0.50', 'fa:16:3e:00:00:01')}`,
      `add_arp_entry c1 ${entry('10.6.0.51', 'fa:16:3e:00:00:09')}`,
    ]);
    expect(await cloud.told(change({ admin_state_up: false }), ...methods)).toEqual([
      `del_arp_entry c1 ${entry('10.6.0.50', 'fa:16:3e:00:00:01')}`,
      `del_arp_entry c1 ${entry('10.6.0.51', 'fa:16:3e:00:00:09')}`,
    ]);
    const moved = { fixed_ips: [{ subnet_id: lan.sub.id, ip_address: '10.6.0.11' }] };
    expect(await cloud.told(change(moved), ...methods)).toEqual([
      `add_arp_entry c1 ${entry('10.6.0.11', 'fa:16:3e:00:00:01')}`,
      `del_arp_entry c1 ${entry('10.6.0.10', 'fa:16:3e:00:00:01')}`,
    ]);
    await cloud.server(lan, 'c2');
    expect(await cloud.told(() => cloud.delete('ports', port), ...methods)).toEqual([
      `del_arp_entry c2 ${entry('10.6.0.11', 'fa:16:3e:00:00:01')}`,
    ]);
  });

  it('are told nothing of ports on networks without a distributed router', async () => {
    const lan = await cloud.lan();
    const router = await cloud.stack.create('router', {});
    await cloud.add(router, { subnet_id: lan.sub.id });
    expect(await cloud.told(async () => cloud.delete('ports', await cloud.server(lan, 'c1')))).toEqual([]);
  });
});
