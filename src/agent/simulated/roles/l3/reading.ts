/** What the server has of routers, read in pages, however much there is. */
import type { Agent } from '#src/agent/sdk/mod.ts';
import { getPortsBySubnet, getRouterIds, type SyncedRouter, syncRouters } from '#src/services/router/contract.ts';

const PAGE = 1000;

/** The ids of the routers that this host has to serve. */
export async function readRouterIds(agent: Agent): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const last = ids.at(-1);
    const page = await agent.call(getRouterIds, {
      host: agent.host,
      limit: PAGE,
      ...(last === undefined ? {} : { after: last }),
    });
    ids.push(...page);
    if (page.length < PAGE) return ids;
  }
}

/** These routers; those that this host does not serve are missing. A router that fills more than a page is put together. */
export async function readRouters(agent: Agent, router_ids: readonly string[]): Promise<readonly SyncedRouter[]> {
  const routers: SyncedRouter[] = [];
  for (;;) {
    const last = routers.at(-1);
    const page = await agent.call(syncRouters, {
      host: agent.host,
      router_ids,
      limit: PAGE,
      ...(last === undefined ? {} : { after: { router_id: last.id, floatingip_id: lastFloatingIp(last) } }),
    });
    if (page.length === 0) return routers;
    for (const router of page) {
      if (router.id === last?.id) {
        last._floatingips.push(...router._floatingips);
        last._pf_floatingips.push(...router._pf_floatingips);
      } else routers.push(router);
    }
  }
}

/** A page is in the order of the ids, whether floating IPs lead or forward. */
function lastFloatingIp({ _floatingips, _pf_floatingips }: SyncedRouter): string | null {
  const ids = [_floatingips, _pf_floatingips].flatMap((list) => list.at(-1)?.id ?? []);
  return ids.toSorted().at(-1) ?? null;
}

/** What has addresses in a subnet of its routers: MAC addresses by address. */
export async function readAddresses(agent: Agent, subnet_id: string): Promise<ReadonlyMap<string, string>> {
  const addresses = new Map<string, string>();
  for (let after: string | undefined; ; ) {
    const page = await agent.call(getPortsBySubnet, {
      host: agent.host,
      subnet_id,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const { mac_address, fixed_ips } of page) {
      for (const ip of fixed_ips) if (ip.subnet_id === subnet_id) addresses.set(ip.ip_address, mac_address);
    }
    after = page.at(-1)?.id;
    if (after === undefined) return addresses;
  }
}
