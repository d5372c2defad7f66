/**
 * The L3 agent: serves the routers that the server has given it (neutron.agent.l3.agent). Every message makes it read its routers
 * anew, many at once; what it has of them is plugged into the bridge of its host, where the layer 2 agent finds it, and then it
 * says which floating IPs it leads.
 */
import { gather, inParallel } from '#src/agent/sdk/mod.ts';
import { L3_AGENT, type SyncedRouter } from '#src/services/router/contract.ts';
import type { ServedRouter } from '../../state.ts';
import type { StartRole } from '../role.ts';
import { agentGateways } from './agent_gateways.ts';
import { followExtensions } from './extensions.ts';
import { floatingIpReports } from './floating_ips.ts';
import { elections } from './ha.ts';
import { devicesOf, floatingIpsOf, leadsItself, type Place } from './plan.ts';
import { readAddresses, readRouterIds, readRouters } from './reading.ts';

const AT_ONCE = 8;

const inWords = ({ ports, floatingips, routes }: ServedRouter): string =>
  `${ports.size} ports, ${floatingips.size} floating IPs and ${routes.length} routes`;

/** Sets the role up. */
export const startL3: StartRole = async (role) => {
  const { agent, state, say, l3Mode: mode } = role;
  const { host, log, signal } = agent;
  const { bridge } = state;
  bridge.routed = true;
  const gateways = agentGateways(agent);
  const statuses = floatingIpReports(agent);

  function drop(id: string): void {
    const before = state.routers.get(id);
    if (before === undefined) return;
    state.routers.delete(id);
    statuses.forget(id);
    ha.forget(id);
    bridge.change(id, before.ports.keys(), []);
    say(`router ${id} is gone`);
  }

  /** What has addresses on the subnets of a distributed router's interfaces, where it is new. */
  async function addresses(router: SyncedRouter, before: ServedRouter | undefined): Promise<Map<string, string>> {
    const arp = before?.arp ?? new Map<string, string>();
    if (!router.distributed) return arp;
    const fresh = router._interfaces.filter(({ id }) => before?.ports.has(id) !== true);
    const subnets = new Set(fresh.flatMap(({ fixed_ips }) => fixed_ips.map(({ subnet_id }) => subnet_id)));
    for (const subnet_id of subnets) {
      for (const [ip_address, mac_address] of await readAddresses(agent, subnet_id)) arp.set(ip_address, mac_address);
    }
    return arp;
  }

  async function serve(router: SyncedRouter): Promise<void> {
    const { id } = router;
    const before = state.routers.get(id);
    const place: Place = { host, mode, ha: router.ha ? (router._ha_state ?? 'standby') : null };
    const network = router.gw_port?.network_id ?? null;
    const shared =
      network !== null && leadsItself(router, place).length > 0
        ? await gateways.on(network, router._floatingip_agent_interfaces)
        : undefined;
    const now: ServedRouter = {
      revision_number: router.revision_number,
      distributed: router.distributed,
      ha: place.ha,
      ports: devicesOf(router, place, shared),
      external_network: network,
      floatingips: floatingIpsOf(router, place),
      routes: router.routes.map(({ destination, nexthop }) => `${destination} via ${nexthop}`),
      arp: await addresses(router, before),
    };
    state.routers.set(id, now);
    bridge.change(id, before?.ports.keys() ?? [], now.ports.keys());
    statuses.report(router, before, now);
    if (place.ha === null) ha.forget(id);
    else ha.follow(id, place.ha);
    if (place.ha !== (before?.ha ?? null))
      say(`router ${id} is ${place.ha === null ? 'not highly available' : `on ${place.ha}`} here`);
    const has = inWords(now);
    if (before === undefined || has !== inWords(before)) say(`router ${id} has ${has} here`);
  }

  const routers = gather({
    name: 'serving of routers',
    async work(ids) {
      const found = await readRouters(agent, ids);
      const there = new Set(found.map((router) => router.id));
      for (const id of ids) if (!there.has(id)) drop(id);
      await inParallel(found, AT_ONCE, serve);
    },
    log,
    signal,
  });
  const again = (ids: readonly string[]) => routers.add(ids);
  const ha = elections(agent, again);
  const gone = (id: string) => {
    drop(id);
    // It may be on its way.
    again([id]);
  };

  await agent.listen(L3_AGENT, {
    routers_updated: ({ routers: ids }) => again(ids),
    router_added_to_agent: ({ payload }) => again(payload),
    router_deleted: ({ router_id }) => gone(router_id),
    router_removed_from_agent: ({ payload: { router_id } }) => gone(router_id),
    add_arp_entry: ({ payload: { router_id, arp_table } }) =>
      void state.routers.get(router_id)?.arp.set(arp_table.ip_address, arp_table.mac_address),
    del_arp_entry: ({ payload: { router_id, arp_table } }) =>
      void state.routers.get(router_id)?.arp.delete(arp_table.ip_address),
    fipnamespace_delete_on_ext_net: ({ ext_net_id }) => gateways.leave(ext_net_id),
    agent_updated: () => void agent.resync(),
  });
  const extensions = followExtensions(agent, state, again);

  agent.onResync(async () => {
    const given = new Set(await readRouterIds(agent));
    for (const id of state.routers.keys()) if (!given.has(id)) drop(id);
    again([...given]);
    await routers.settled();
  });

  return {
    settled: async () => {
      await extensions.settled();
      await routers.settled();
      await ha.settled();
      await routers.settled();
      await statuses.settled();
    },
  };
};
