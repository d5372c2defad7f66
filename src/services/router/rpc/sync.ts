/**
 * Routers as L3 agents are given them: with all that a data plane needs, in a fixed number of statements however many there are
 * (neutron.db.l3_db, `get_sync_data`; l3_dvr_db, `_get_dvr_sync_data`; l3_hamode_db, `get_ha_sync_data_for_host`).
 *
 *   which routers the host has → their attributes, places and floating IPs → ports → those that are elsewhere are placed
 *   → networks with their subnets
 *
 * Neutron gives an agent all that it asks for in one answer, which may be more than a message holds; so there are pages. A page is
 * routers and their floating IPs, in the order of their ids; a router that does not end with the page goes on in the next one, with
 * the same words and more floating IPs.
 */
import { showRows, type TableSql } from '#src/db/mod.ts';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Context } from '#src/lib/context.ts';
import type { RouterHost } from '../host.ts';
import { apart, describeRouters, type Read } from './describe.ts';
import { ALL, FLOATING_IPS, firstByEstimate, firstThatFit, MOST, refuseFarTooMany, refuseTooMany } from './pages.ts';
import { misplaced } from './ports.ts';
import { countedRouters, FIRST, type L3Agent, LAST, type PageStart } from './routers_of_host.ts';
import { floatingPlaces, type RouterPlace, routedNetworks, routerPlaces } from './store.ts';

export interface SyncRequest {
  readonly ids: readonly string[] | undefined;
  /** Undefined: all that is asked for, or a failure. */
  readonly limit: number | undefined;
  readonly after: PageStart | undefined;
}

/** The reading without what is for the server alone. */
const told = (table: TableSql, internal: ReadonlySet<string>): TableSql => ({
  ...table,
  attributes: Object.fromEntries(Object.entries(table.attributes).filter(([name]) => !internal.has(name))),
});

export type SyncRouters = (context: Context, agent: L3Agent, request: SyncRequest) => Promise<readonly JsonObject[]>;

export function createSync(router: RouterHost): SyncRouters {
  const { db, log } = router;
  const reading = {
    routers: told(router.reading.routers, router.routers.internal),
    floatingips: told(router.reading.floatingips, new Set([...router.floatingips.internal, 'floating_port_id'])),
  };

  const readPorts = async (ids: readonly string[]) =>
    (await router.plugins.get('CORE')!.readers!['port']!(db.sql, ids)) as ReadonlyMap<string, JsonObject>;

  /** Puts ports where their routers are; what cannot be is left for the next time. */
  const place = async (
    context: Context,
    host: string,
    places: ReadonlyMap<string, RouterPlace>,
    ports: ReadonlyMap<string, JsonObject>,
  ): Promise<ReadonlyMap<string, JsonObject>> => {
    const placements = misplaced(host, places.values(), ports);
    if (placements.length === 0) return ports;
    try {
      await router.plugins.get('CORE')?.place?.(router.acting.as(context), placements);
    } catch (error) {
      log.error('ports of routers are not where their routers are', { host, placements, error });
    }
    const again = await readPorts(placements.map(({ port_id }) => port_id));
    return new Map([...ports].map(([id, port]) => [id, again.get(id) ?? port]));
  };

  const read = async (
    context: Context,
    agent: L3Agent,
    ids: readonly string[],
    after: PageStart,
    most: number | null,
  ): Promise<Read> => {
    const { sql } = db;
    const [routers, places, floating] = await Promise.all([
      showRows(sql, reading.routers, ids),
      routerPlaces(sql, agent, ids),
      floatingPlaces(sql, agent, ids, after, most),
    ]);
    const wanted = [...places.values()].flatMap(({ ports, agent_ports, ha_port_id }) => [
      ...ports.map(({ id }) => id),
      ...agent_ports,
      ...(ha_port_id === null ? [] : [ha_port_id]),
    ]);
    const [found, shown] = await Promise.all([
      readPorts([...new Set(wanted)]),
      showRows(
        sql,
        reading.floatingips,
        floating.map(({ id }) => id),
      ),
    ]);
    const networks = [...new Set([...found.values()].map((port) => String(port['network_id'])))];
    const [ports, described] = await Promise.all([
      place(context, agent.host, places, found),
      routedNetworks(sql, networks),
    ]);
    const floatingips = new Map(shown.map((floatingip) => [String(floatingip['id']), floatingip]));
    return { agent, routers, places, floating, floatingips, ports, networks: described };
  };

  return async function sync(context, agent, request): Promise<readonly JsonObject[]> {
    const { ids, limit, after } = request;
    const wanted = { ids, after, limit: limit === undefined ? ALL : Math.min(limit, MOST) };
    const routers = await countedRouters(db.sql, agent, wanted);
    if (routers.length === 0) return [];
    const paged = limit !== undefined;
    if (!paged) refuseFarTooMany(routers);
    const page = paged ? firstByEstimate(routers) : routers;
    const start = after ?? { router_id: FIRST, floatingip_id: FIRST };
    const most = paged && page.length === 1 ? FLOATING_IPS : null;
    const whole = await read(
      context,
      agent,
      page.map(({ id }) => id),
      start,
      most,
    );
    const all = describeRouters(whole);
    if (!paged) {
      refuseTooMany(all);
      return all.map(apart(whole));
    }
    // All of them are gone, or not the host's any more: what follows is not to be missed for it.
    const last = page.at(-1)!;
    if (all.length > 0) return firstThatFit(all).map(apart(whole));
    return await sync(context, agent, { ...request, after: { router_id: last.id, floatingip_id: LAST } });
  };
}
