/** Highly available routers: what comes with them and goes with them, and what they are changed to and from. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { alice } from '../router/support.ts';
import { admin, member } from '../support/stack.ts';
import { HaCloud } from './support.ts';

/** Agents that come are given routers after their report has been answered. */
const PATIENT = { timeout: 30_000 };

let cloud: HaCloud;
beforeAll(async () => {
  cloud = await HaCloud.begin('l3_ha');
  cloud.stack.refusalsChangeNothing = true;
  for (const project of ['alice', 'admin']) {
    const quota = { router: -1, network: -1, subnet: -1, port: -1 };
    await cloud.stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota } });
  }
  await cloud.agents('host1', 'host2', 'host3', 'host4');
});
afterAll(() => cloud.stop());

describe('a highly available router', () => {
  it("has a network, an id there and a port for each of its agents, none of which are the project's", async () => {
    const router = await cloud.haRouter('one');
    expect(router).toMatchObject({ ha: true, revision_number: 1, status: 'ACTIVE', project_id: 'one' });
    const [network, ...others] = await cloud.haNetworks('one');
    expect(others).toEqual([]);
    expect(await cloud.show('network', String(network))).toMatchObject({ project_id: '', shared: false });
    const [subnet] = (await cloud.done('GET', `subnets?network_id=${network}`, undefined, admin)).subnets;
    expect(subnet).toMatchObject({
      ...{ name: 'HA subnet project one', project_id: '', cidr: '169.254.192.0/18', gateway_ip: null },
      enable_dhcp: false,
    });
    const [id] = await cloud.vrIds('one');
    expect(id).toBeGreaterThanOrEqual(1);
    expect(id).toBeLessThanOrEqual(254);
    const ports = await cloud.portsOf(router.id);
    expect(ports).toHaveLength(3);
    for (const port of ports) {
      expect(port).toMatchObject({
        ...{ name: 'HA port project one', project_id: '', network_id: network, security_groups: [] },
        ...{ device_owner: 'network:router_ha_interface', port_security_enabled: false, admin_state_up: true },
      });
    }
    expect(Object.values(await cloud.shown(router))).toEqual(['standby', 'standby', 'standby']);
    expect((await cloud.haPorts(router)).map(({ host }) => host)).toEqual(Object.keys(await cloud.shown(router)));
    expect(await cloud.used('one')).toMatchObject({ router: 1, network: 0, subnet: 0, port: 0 });
  });

  it('shares its network with the others of its project, which goes with the last', async () => {
    const [first, second] = [await cloud.haRouter('two'), await cloud.haRouter('two')];
    const networks = await cloud.haNetworks('two');
    expect(networks).toHaveLength(1);
    expect(new Set(await cloud.vrIds('two')).size).toBe(2);
    await cloud.delete('router', first);
    expect(await cloud.haNetworks('two')).toEqual(networks);
    await cloud.delete('router', second);
    expect(await cloud.haNetworks('two')).toEqual([]);
    expect(await cloud.portsOf(second.id)).toEqual([]);
    expect(await cloud.sql`select from ha_networks where project_id = 'two'`).toHaveLength(0);
    await cloud.haRouter('two');
    expect(await cloud.haNetworks('two')).toHaveLength(1);
  });

  it('leaves its network to whoever has put a port on it', async () => {
    const router = await cloud.haRouter('guest');
    const [network_id] = await cloud.haNetworks('guest');
    const port = await cloud.stack.create('port', { network_id });
    await cloud.delete('router', router);
    expect(await cloud.haNetworks('guest')).toEqual([network_id]);
    await cloud.delete('port', port);
    await cloud.delete('router', await cloud.haRouter('guest'));
    expect(await cloud.haNetworks('guest')).toEqual([]);
  });

  it('is on as many agents as there are where there are fewer', async () => {
    await cloud.kill('host2', 'host3', 'host4');
    try {
      const router = await cloud.haRouter();
      expect(await cloud.shown(router)).toEqual({ host1: 'standby' });
      await cloud.kill('host1');
      const lonely = await cloud.haRouter();
      expect(await cloud.shown(lonely)).toEqual({});
      await cloud.agents('host1', 'host2', 'host3');
      await vi.waitFor(async () => expect(Object.keys(await cloud.shown(lonely))).toHaveLength(3), PATIENT);
      expect(await cloud.haPorts(lonely)).toHaveLength(3);
    } finally {
      await cloud.agents('host1', 'host2', 'host3', 'host4');
    }
  });

  it('is one of several of one request', async () => {
    const body = { routers: [1, 2, 3].map((n) => ({ name: `r${n}`, ha: n !== 2, project_id: 'bulk' })) };
    const { routers } = await cloud.done('POST', 'routers', body, admin);
    expect(routers.map(({ ha }: { ha: boolean }) => ha)).toEqual([true, false, true]);
    expect(await cloud.haNetworks('bulk')).toHaveLength(1);
    expect(new Set(await cloud.vrIds('bulk')).size).toBe(2);
    expect(await cloud.haPorts(routers[2])).toHaveLength(3);
  });

  it('is refused where no virtual router id is left, and all that came with it', async () => {
    await cloud.haRouter('full');
    const [network] = await cloud.haNetworks('full');
    const plain = await cloud.stack.create('router', { project_id: 'full' }, admin);
    await cloud.sql`
      insert into routers (id, project_id, name, status, revision_number)
      select gen_random_uuid(), 'full', 'filler', 'ACTIVE', 1 from generate_series(1, 253)`;
    await cloud.sql`
      insert into router_vr_ids (network_id, vr_id, router_id)
      select ${String(network)}, free.vr_id, filler.id
      from (select v as vr_id, row_number() over (order by v) as n from generate_series(1, 254) v
        where v not in (select vr_id from router_vr_ids where network_id = ${String(network)})) free
      join (select id, row_number() over (order by id) as n from routers where name = 'filler') filler using (n)`;
    const wanted = { router: { ha: true, project_id: 'full' } };
    expect(await cloud.refusal('POST', 'routers', wanted, admin)).toBe('409 NoVRIDAvailable');
    await cloud.change('router', plain.id, { admin_state_up: false }, admin);
    const changed = { router: { ha: true } };
    expect(await cloud.refusal('PUT', `routers/${plain.id}`, changed, admin)).toBe('409 NoVRIDAvailable');
  });

  it('has interfaces of which each agent has a copy, and a gateway', async () => {
    const [{ net }, { sub }] = [await cloud.external(), await cloud.lan()];
    const router = await cloud.haRouter('alice', { external_gateway_info: { network_id: net.id } });
    const { port_id } = await cloud.add(router, { subnet_id: sub.id });
    expect((await cloud.show('port', port_id)).device_owner).toBe('network:ha_router_replicated_interface');
    const own = await cloud.stack.create('port', { network_id: (await cloud.lan()).net.id }, alice);
    await cloud.add(router, { port_id: own.id });
    expect((await cloud.show('port', own.id)).device_owner).toBe('network:ha_router_replicated_interface');
    expect(await cloud.refusal('DELETE', `routers/${router.id}`, undefined, admin)).toBe('409 RouterInUse');
    await cloud.remove(router, { port_id });
    await cloud.remove(router, { subnet_id: own.fixed_ips[0].subnet_id });
    await cloud.delete('router', router);
    expect(await cloud.portsOf(router.id)).toEqual([]);
  });

  it("is the administrator's to ask for and to see; so are its network and ports", async () => {
    expect(await cloud.refusal('POST', 'routers', { router: { ha: true } })).toBe('403 PolicyNotAuthorized');
    const router = await cloud.haRouter();
    expect(await cloud.show('router', router.id, alice)).not.toHaveProperty('ha');
    expect(await cloud.show('router', router.id)).toMatchObject({ ha: true });
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: { ha: false } })).toBe(
      '403 PolicyNotAuthorized',
    );
    const [network] = await cloud.haNetworks();
    expect(await cloud.refusal('GET', `networks/${network}`)).toBe('404 NetworkNotFound');
    const [port] = await cloud.portsOf(router.id);
    expect(await cloud.refusal('GET', `ports/${port.id}`)).toBe('404 PortNotFound');
    expect((await cloud.done('GET', `ports?device_id=${router.id}`)).ports).toEqual([]);
  });

  it('keeps its ports and its network from being deleted by themselves', async () => {
    const router = await cloud.haRouter('kept');
    const [port] = await cloud.portsOf(router.id);
    const [network] = await cloud.haNetworks('kept');
    expect(await cloud.refusal('DELETE', `ports/${port.id}`, undefined, admin)).toBe('409 ServicePortInUse');
    expect(await cloud.refusal('PUT', `ports/${port.id}`, { port: { device_id: '' } }, admin)).toBe('400 BadRequest');
    expect(await cloud.refusal('DELETE', `networks/${network}`, undefined, admin)).toBe('409 NetworkInUse');
    // Without any port, too: the router has its id there.
    await cloud.sql`update router_ha_ports set agent_id = null where router_id = ${router.id}`;
    await cloud.sql`delete from ports where network_id = ${String(network)}`;
    expect(await cloud.refusal('DELETE', `networks/${network}`, undefined, admin)).toBe('409 NetworkInUse');
  });
});

describe("an agent's port", () => {
  it('goes when the router is taken from the agent, and comes when it is given', async () => {
    const [id] = await cloud.agents('host1');
    const router = await cloud.haRouter('moved');
    const agents = (await cloud.done('GET', `routers/${router.id}/l3-agents`, undefined, admin)).agents;
    const [{ id: agent, host }] = agents;
    await cloud.done('DELETE', `agents/${agent}/l3-routers/${router.id}`, undefined, admin);
    expect((await cloud.haPorts(router)).map((port) => port.host)).not.toContain(host);
    expect(await cloud.portsOf(router.id)).toHaveLength(2);
    await cloud.done('POST', `agents/${agent}/l3-routers`, { router_id: router.id }, admin);
    expect((await cloud.haPorts(router)).map((port) => port.host)).toContain(host);
    expect(await cloud.portsOf(router.id)).toHaveLength(3);
    expect(id).toBeDefined();
  });

  it('stays when its agent is deleted, for the next', async () => {
    const router = await cloud.haRouter('left');
    const before = (await cloud.portsOf(router.id)).map((port) => port.id).toSorted();
    const host = String((await cloud.haPorts(router))[0]?.host);
    const [agent] = await cloud.agents(host);
    await cloud.done('DELETE', `agents/${agent}`, undefined, admin);
    expect((await cloud.haPorts(router)).filter((port) => port.host === null)).toHaveLength(1);
    await cloud.agents(host);
    await vi.waitFor(
      async () => expect((await cloud.haPorts(router)).filter((port) => port.host === null)).toEqual([]),
      PATIENT,
    );
    expect((await cloud.portsOf(router.id)).map((port) => port.id).toSorted()).toEqual(before);
  });
});

describe('a router', () => {
  it('becomes highly available while it is down, with its interfaces, and ordinary again', async () => {
    const [{ net }, { sub }] = [await cloud.external(), await cloud.lan()];
    const router = await cloud.stack.create(
      'router',
      { ha: false, project_id: 'change', external_gateway_info: { network_id: net.id } },
      admin,
    );
    const { port_id } = await cloud.add(router, { subnet_id: sub.id }, admin);
    const becomes = (ha: boolean, more: object = {}) =>
      cloud.refusal('PUT', `routers/${router.id}`, { router: { ha, ...more } }, admin);
    expect(await becomes(true)).toBe('400 BadRequest');
    expect(await cloud.haNetworks('change')).toEqual([]);
    const changed = await cloud.change('router', router.id, { ha: true, admin_state_up: false }, admin);
    expect(changed).toMatchObject({ ha: true, admin_state_up: false });
    expect((await cloud.show('port', port_id)).device_owner).toBe('network:ha_router_replicated_interface');
    expect(Object.keys(await cloud.shown(router))).toHaveLength(3);
    expect(await cloud.haPorts(router)).toHaveLength(3);
    expect(await cloud.vrIds('change')).toHaveLength(1);
    expect(await becomes(false, { admin_state_up: true })).toBe('400 BadRequest');
    await cloud.change('router', router.id, { ha: false }, admin);
    expect((await cloud.show('port', port_id)).device_owner).toBe('network:router_interface');
    expect(Object.keys(await cloud.shown(router))).toHaveLength(1);
    expect(await cloud.haPorts(router)).toEqual([]);
    expect(await cloud.haNetworks('change')).toEqual([]);
    await cloud.remove(router, { port_id }).catch(() => {});
    await cloud.change('router', router.id, { ha: false, admin_state_up: true }, admin);
  });

  it('is told of to the agents that get and lose it', async () => {
    const router = await cloud.stack.create('router', { ha: false, admin_state_up: false }, admin);
    const told = await cloud.told(() => cloud.change('router', router.id, { ha: true }, admin), 'l3_agent');
    const hosts = told.flatMap(({ method, to }) => (method === 'routers_updated' && to !== 'all' ? to : []));
    expect([...new Set(hosts)].toSorted()).toEqual(Object.keys(await cloud.shown(router)));
  });
});

describe('a network made with ha', () => {
  it('becomes that of the project of who makes it, once', async () => {
    const erin = member('erin');
    const network = await cloud.stack.create('network', { ha: true }, erin);
    expect(network).not.toHaveProperty('ha');
    expect(await cloud.refusal('POST', 'networks', { network: { ha: true } }, erin)).toBe('409 DuplicatedHANetwork');
    const router = await cloud.haRouter('erin');
    const [port] = await cloud.portsOf(router.id);
    expect(port).toMatchObject({
      network_id: network.id,
      fixed_ips: [{ ip_address: expect.stringContaining('169.254.') }],
    });
    expect(await cloud.haNetworks('erin')).toEqual([]);
    await cloud.delete('router', router);
    expect(await cloud.refusal('GET', `networks/${network.id}`, undefined, erin)).toBe('404 NetworkNotFound');
  });
});

it('routers are highly available without asking where l3_ha says so, on networks as configured', async () => {
  const other = await HaCloud.begin('l3_ha_default', {
    DEFAULT: {
      ...{ l3_ha: true, l3_ha_net_cidr: '169.254.0.0/24', l3_ha_network_type: 'vlan', max_l3_agents_per_router: 0 },
      l3_ha_network_physical_name: 'physnet1',
    },
  });
  try {
    await other.agents('a', 'b', 'c', 'd');
    const router = await other.stack.create('router', {}, alice);
    expect(Object.keys(await other.shown(router))).toEqual(['a', 'b', 'c', 'd']);
    const [network] = await other.haNetworks();
    expect(await other.show('network', String(network))).toMatchObject({
      'provider:network_type': 'vlan',
      'provider:physical_network': 'physnet1',
    });
    const [port] = await other.portsOf(router.id);
    expect(port.fixed_ips[0].ip_address).toMatch(/^169\.254\.0\./);
  } finally {
    await other.stop();
  }
});

it('a server does not start with an l3_ha_net_cidr that is none', async () => {
  const starting = HaCloud.begin('l3_ha_wrong', { DEFAULT: { l3_ha_net_cidr: '169.254.192.1/18' } });
  await expect(starting).rejects.toThrow(/l3_ha_net_cidr = 169.254.192.1\/18/);
});
