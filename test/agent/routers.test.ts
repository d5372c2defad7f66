/** Simulated L3 agents against the whole of Nucleon: what they serve of routers, and what becomes of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SimulatedHost } from '#src/agent/simulated/mod.ts';
import { BROKERS } from '../broker/brokers.ts';
import { until } from '../rpc/support.ts';
import { type Cloud, startCloud } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: attributes of any shape are looked into
type Attributes = any;

const HOSTS = ['network-1', 'network-2', 'compute-1'];

describe.each(BROKERS)('simulated L3 agents, $name', (kind) => {
  let cloud: Cloud;
  beforeAll(async () => {
    if (!kind.present) return;
    cloud = await startCloud(`l3_agents_${kind.name.length}`, kind, HOSTS);
  });
  afterAll(() => cloud?.stop());

  const ask = async (method: string, path: string, body?: Attributes): Promise<Attributes> => {
    const answer = await cloud.stack.call(method, `/v2.0/${path}`, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const show = async (member: string, id: string) => (await ask('GET', `${member}s/${id}`))[member];
  const active = (member: string, id: string) =>
    until(async () => (await show(member, id)).status === 'ACTIVE', `${member} ${id} is ACTIVE`);
  const portsOf = async (router: string, owner = '') =>
    (await ask('GET', `ports?device_id=${router}${owner}`)).ports as Attributes[];
  let nets = 0;
  const lan = async (attributes: Attributes = {}) => {
    const network = await cloud.stack.create('network', attributes);
    nets += 1;
    const body = { network_id: network.id, ip_version: 4, cidr: `10.${nets}.0.0/24`, enable_dhcp: false };
    return { network, subnet: await cloud.stack.create('subnet', body) };
  };
  const outside = () =>
    lan({ 'router:external': true, 'provider:network_type': 'vlan', 'provider:physical_network': 'physnet1' });
  const attach = (router: Attributes, subnet: Attributes) =>
    ask('PUT', `routers/${router.id}/add_router_interface`, { subnet_id: subnet.id });
  const hostWith = (name: string, l3Mode: 'legacy' | 'dvr' | 'dvr_snat' | 'dvr_no_external' = 'legacy') =>
    cloud.host(name, { roles: ['l2', 'l3'], bridgeMappings: { physnet1: 'br-ex' }, l3Mode });
  /** Ends hosts, and waits until nothing would be scheduled to them any more. */
  const end = async (...hosts: readonly SimulatedHost[]) => {
    await Promise.all(hosts.map((host) => host.stop()));
    for (const { host } of hosts) {
      await until(
        async () => (await ask('GET', `agents?alive=true&host=${host}`)).agents.length === 0,
        `${host} is gone`,
      );
    }
  };
  const devices = (host: SimulatedHost, router: Attributes) =>
    [...(host.state.routers.get(router.id)?.ports.values() ?? [])].map((name) => name.slice(0, 3)).sort();

  it.skipIf(!kind.present)('serve a router with its gateway, interfaces, routes and floating IPs', async () => {
    const host = await hostWith('network-1');
    const [out, one, two] = [await outside(), await lan(), await lan()];
    const router = await cloud.stack.create('router', { external_gateway_info: { network_id: out.network.id } });
    await attach(router, one.subnet);
    await attach(router, two.subnet);
    await until(() => devices(host, router).length === 3, 'all its ports are plugged in');
    expect(devices(host, router)).toEqual(['qg-', 'qr-', 'qr-']);
    for (const port of await portsOf(router.id)) await active('port', port.id);
    for (const port of await portsOf(router.id)) expect(port['binding:host_id']).toBe('network-1');

    const machine = await cloud.stack.create('port', { network_id: one.network.id });
    const floating = await cloud.stack.create('floatingip', {
      floating_network_id: out.network.id,
      port_id: machine.id,
    });
    await active('floatingip', floating.id);
    const [fixed] = machine.fixed_ips;
    await until(
      () =>
        host.state.routers.get(router.id)?.floatingips.get(floating.id)?.leads ===
        `${floating.floating_ip_address} to ${fixed.ip_address}`,
      'the agent leads it',
    );
    await ask('PUT', `floatingips/${floating.id}`, { floatingip: { port_id: null } });
    await until(() => host.state.routers.get(router.id)?.floatingips.size === 0, 'it is led no more');
    await until(async () => (await show('floatingip', floating.id)).status === 'DOWN', 'it is DOWN');

    const nexthop = `${one.subnet.cidr.split('.').slice(0, 3).join('.')}.77`;
    const routes = [{ destination: '192.168.7.0/24', nexthop }];
    await ask('PUT', `routers/${router.id}`, { router: { routes } });
    await until(() => host.state.routers.get(router.id)?.routes.length === 1, 'the route is there');
    expect(host.state.routers.get(router.id)?.routes).toEqual([`192.168.7.0/24 via ${nexthop}`]);
    await ask('PUT', `routers/${router.id}`, { router: { routes: [] } });

    await ask('PUT', `routers/${router.id}/remove_router_interface`, { subnet_id: two.subnet.id });
    await until(() => devices(host, router).length === 2, 'its port is gone');
    await ask('PUT', `routers/${router.id}`, { router: { admin_state_up: false } });
    await until(() => !host.state.routers.has(router.id), 'a disabled router is not served');
    for (const port of await portsOf(router.id)) {
      await until(async () => (await show('port', port.id)).status === 'DOWN', 'its ports are DOWN');
    }
    await ask('PUT', `routers/${router.id}`, { router: { admin_state_up: true } });
    for (const port of await portsOf(router.id)) await active('port', port.id);
    await ask('PUT', `routers/${router.id}/remove_router_interface`, { subnet_id: one.subnet.id });
    await ask('DELETE', `routers/${router.id}`);
    await until(() => host.state.routers.size === 0, 'it is gone');
    expect(host.state.ports.size).toBe(0);
    await end(host);
  });

  it.skipIf(!kind.present)('find out after an absence what has changed meanwhile', async () => {
    const first = await hostWith('network-1');
    const { subnet } = await lan();
    const [kept, deleted] = [await cloud.stack.create('router', {}), await cloud.stack.create('router', {})];
    await attach(kept, subnet);
    const other = await lan();
    await attach(deleted, other.subnet);
    await until(() => first.state.routers.size === 2, 'both are served');
    await first.kill();
    await ask('PUT', `routers/${deleted.id}/remove_router_interface`, { subnet_id: other.subnet.id });
    await ask('DELETE', `routers/${deleted.id}`);
    const more = await lan();
    await attach(kept, more.subnet);
    const second = await hostWith('network-1');
    await second.settled();
    expect([...second.state.routers.keys()]).toEqual([kept.id]);
    expect(devices(second, kept)).toEqual(['qr-', 'qr-']);
    await end(second);
  });

  it.skipIf(!kind.present)(
    'are active for a highly available router one at a time, also when that one dies',
    async () => {
      const hosts = await Promise.all(['network-1', 'network-2'].map((name) => hostWith(name, 'dvr_snat')));
      const [out, { subnet }] = [await outside(), await lan()];
      const gateway = { external_gateway_info: { network_id: out.network.id } };
      const router = await cloud.stack.create('router', { ha: true, distributed: false, ...gateway });
      await attach(router, subnet);
      const stateOf = (host: SimulatedHost) => host.state.routers.get(router.id)?.ha;
      const shown = async (): Promise<readonly string[]> => {
        const { agents } = await ask('GET', `routers/${router.id}/l3-agents`);
        const active = agents.filter(({ ha_state }: Attributes) => ha_state === 'active');
        expect(active.length).toBeLessThan(2);
        return active.map(({ host }: Attributes) => host);
      };
      await until(() => hosts.some((host) => stateOf(host) === 'active'), 'one is active');
      const first = hosts.find((host) => stateOf(host) === 'active')!;
      const second = hosts.find((host) => host !== first)!;
      expect(stateOf(second)).toBe('standby');
      expect(await shown()).toEqual([first.host]);
      await until(() => devices(first, router).length === 3, 'it has all ports');
      expect(devices(first, router)).toEqual(['ha-', 'qg-', 'qr-']);
      expect(devices(second, router)).toEqual(['ha-']);
      for (const port of await portsOf(router.id)) await active('port', port.id);
      const machine = await cloud.stack.create('port', { network_id: subnet.network_id });
      const body = { floating_network_id: out.network.id, port_id: machine.id };
      const floating = await cloud.stack.create('floatingip', body);
      await active('floatingip', floating.id);

      await first.kill();
      await until(async () => (await shown())[0] === second.host, 'the other has taken over');
      await until(() => devices(second, router).length === 3, 'it has all ports');
      expect(second.state.routers.get(router.id)?.floatingips.has(floating.id)).toBe(true);
      for (const port of await portsOf(router.id, '&device_owner=network:router_gateway')) {
        expect((await show('port', port.id))['binding:host_id']).toBe(second.host);
        await active('port', port.id);
      }
      const back = await hostWith(first.host, 'dvr_snat');
      await back.settled();
      expect(stateOf(back)).toBe('standby');
      expect(await shown()).toEqual([second.host]);
      await end(back, second);
    },
  );

  it.skipIf(!kind.present)(
    'serve a distributed router where its machines are, and its floating IPs there',
    async () => {
      const central = await hostWith('network-1', 'dvr_snat');
      const compute = await hostWith('compute-1', 'dvr');
      const [out, { network, subnet }] = [await outside(), await lan()];
      const gateway = { external_gateway_info: { network_id: out.network.id } };
      const router = await cloud.stack.create('router', { ha: false, distributed: true, ...gateway });
      await attach(router, subnet);
      await until(() => devices(central, router).length === 3, 'its SNAT is served');
      expect(devices(central, router)).toEqual(['qg-', 'qr-', 'sg-']);
      const at = (host: string) => ({ network_id: network.id, 'binding:host_id': host, device_owner: 'compute:nova' });
      const machine = await cloud.stack.create('port', at('compute-1'));
      await until(() => devices(compute, router).length === 1, 'it is on the host of the machine');
      expect(devices(compute, router)).toEqual(['qr-']);
      const body = { floating_network_id: out.network.id, port_id: machine.id };
      const floating = await cloud.stack.create('floatingip', body);
      await active('floatingip', floating.id);
      await until(() => devices(compute, router).includes('fg-'), 'it has a port for floating IPs');
      expect([...compute.state.routers.get(router.id)!.floatingips.keys()]).toEqual([floating.id]);
      expect(central.state.routers.get(router.id)?.floatingips.size).toBe(0);
      for (const port of await portsOf(router.id)) await active('port', port.id);
      const { ports } = await ask('GET', `ports?device_owner=network:floatingip_agent_gateway`);
      expect(ports).toMatchObject([{ 'binding:host_id': 'compute-1', network_id: out.network.id }]);
      await active('port', ports[0].id);
      // What has come later is told; what was there before is read.
      const other = await cloud.stack.create('port', { ...at('compute-1'), device_owner: 'compute:nova' });
      const arp = () => compute.state.routers.get(router.id)!.arp;
      for (const { mac_address, fixed_ips } of [machine, other]) {
        await until(() => arp().get(fixed_ips[0].ip_address) === mac_address, 'its address is known');
      }
      await ask('DELETE', `floatingips/${floating.id}`);
      await ask('DELETE', `ports/${machine.id}`);
      await ask('DELETE', `ports/${other.id}`);
      await until(() => !compute.state.routers.has(router.id), 'it has left the host');
      await end(central, compute);
    },
  );

  it.skipIf(!kind.present)('follow the port forwardings of their routers', async () => {
    const host = await hostWith('network-1');
    const [out, { subnet }] = [await outside(), await lan()];
    const router = await cloud.stack.create('router', { external_gateway_info: { network_id: out.network.id } });
    await attach(router, subnet);
    await until(() => host.state.routers.has(router.id), 'the router is served');
    const machine = await cloud.stack.create('port', { network_id: subnet.network_id });
    const floating = await cloud.stack.create('floatingip', { floating_network_id: out.network.id });
    const port_forwarding = {
      protocol: 'tcp',
      external_port: 2222,
      internal_port: 22,
      internal_port_id: machine.id,
      internal_ip_address: machine.fixed_ips[0].ip_address,
    };
    const made = await ask('POST', `floatingips/${floating.id}/port_forwardings`, { port_forwarding });
    const { id } = made.port_forwarding;
    const known = () => host.state.ofRouters.get('PortForwarding');
    await until(() => known()?.get(id)?.['router_id'] === router.id, 'it is known');
    await active('floatingip', floating.id);
    await ask('DELETE', `floatingips/${floating.id}/port_forwardings/${id}`);
    await until(() => known()?.size === 0, 'it is gone');
    await until(() => host.state.routers.get(router.id)?.floatingips.size === 0, 'the floating IP leads nowhere');
    await end(host);
  });
});
