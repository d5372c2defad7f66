/**
 * L3RpcCallback 1.13 (neutron.api.rpc.handlers.l3_rpc). An agent is told of the routers that its host has; all others are to it as
 * if they did not exist.
 */
import * as v from 'valibot';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { RpcEndpoint } from '#src/lib/rpc.ts';
import { parseArguments } from '#src/rpc/contract.ts';
import type { RouterHost } from '../host.ts';
import { FLOATING_STATUSES, writeFloatingStatuses } from './floatingip_statuses.ts';
import { agentOf, FIRST, type HostSettings, hasRouter, LAST, routerIds } from './routers_of_host.ts';
import { networksOf, portsOfSubnet } from './subnet_ports.ts';
import { createSync } from './sync.ts';

const ID = v.pipe(v.string(), v.check(isUuid, 'must be a UUID'));
/** Things may be asked for by what is none: there is no such thing. */
const NAMED = v.pipe(v.string(), v.maxLength(255));
const LIMIT = v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)));
const IDS = v.object({ limit: LIMIT, after: v.nullish(ID) });
const SYNC = v.object({
  router_ids: v.nullish(v.pipe(v.array(NAMED), v.maxLength(5000))),
  limit: LIMIT,
  after: v.nullish(v.object({ router_id: ID, floatingip_id: v.nullish(ID) })),
});
const STATUSES = v.object({
  router_id: NAMED,
  fip_statuses: v.pipe(v.record(v.string(), v.picklist(FLOATING_STATUSES)), v.maxEntries(10_000)),
});
const OF_SUBNET = v.object({ subnet_id: NAMED, limit: LIMIT, after: v.nullish(ID) });
const VALUES = v.pipe(v.array(v.union([v.string(), v.number(), v.boolean(), v.null()])), v.maxLength(1000));
const NETWORKS = v.object({
  filters: v.nullish(v.pipe(v.record(v.string(), VALUES), v.maxEntries(50))),
  fields: v.nullish(v.pipe(v.array(NAMED), v.maxLength(100))),
  limit: LIMIT,
  after: v.nullish(ID),
});

/** The endpoint; answers on `q-l3-plugin`. */
export function l3Endpoint(router: RouterHost): RpcEndpoint {
  const { config, db, plugins, scheduling } = router;
  const settings: HostSettings = {
    disabledServe: config.boolean('DEFAULT', 'enable_services_on_agents_with_admin_state_down'),
    dvrForDhcp: config.boolean('DEFAULT', 'host_dvr_for_dhcp'),
  };
  const sync = createSync(router);

  return {
    version: '1.13',
    methods: {
      async get_router_ids({ host }, args) {
        const { limit, after } = parseArguments(IDS, 'get_router_ids', args);
        const agent = await agentOf(db.sql, host, settings);
        if (agent === undefined) return [];
        if (after == null) await scheduling.sweep();
        return await routerIds(db.sql, agent, { after: after ?? undefined, limit: limit ?? null });
      },

      async sync_routers(call, args) {
        const { router_ids, limit, after } = parseArguments(SYNC, 'sync_routers', args);
        // As in Neutron, no ids are all ids.
        const ids = router_ids == null || router_ids.length === 0 ? undefined : router_ids.filter(isUuid);
        const start =
          after == null ? undefined : { router_id: after.router_id, floatingip_id: after.floatingip_id ?? LAST };
        const agent = await agentOf(db.sql, call.host, settings);
        if (agent === undefined) return [];
        const page = start === undefined ? undefined : PAGE;
        return await sync(call.context, agent, { ids, limit: limit ?? page, after: start });
      },

      get_service_plugin_list: async () => plugins.all().map(({ type }) => type),

      async update_floatingip_statuses({ host }, args) {
        const { router_id, fip_statuses } = parseArguments(STATUSES, 'update_floatingip_statuses', args);
        const agent = await agentOf(db.sql, host, settings);
        if (agent === undefined || !isUuid(router_id)) return null;
        if (!(await hasRouter(db.sql, agent, router_id))) return null;
        const named = Object.fromEntries(Object.entries(fip_statuses).filter(([id]) => isUuid(id)));
        await db.transaction({ label: 'floatingip_statuses' }, (tx) =>
          writeFloatingStatuses(tx, agent, router_id, named),
        );
        return null;
      },

      async get_ports_by_subnet({ host }, args) {
        const { subnet_id, limit, after } = parseArguments(OF_SUBNET, 'get_ports_by_subnet', args);
        const agent = await agentOf(db.sql, host, settings);
        if (agent === undefined || !isUuid(subnet_id)) return [];
        return await portsOfSubnet(db.sql, agent, { subnet_id, after: after ?? FIRST, limit: limit ?? null });
      },

      async get_networks({ host }, args) {
        const { filters, fields, limit, after } = parseArguments(NETWORKS, 'get_networks', args);
        const agent = await agentOf(db.sql, host, settings);
        const own = agent === undefined ? [] : await networksOf(db.sql, agent);
        const named = filters?.['id'];
        const ids = own.filter((id) => (named == null || named.includes(id)) && (after == null || id > after));
        const networks = await plugins.get('CORE')!.readers!['network']!(db.sql, ids);
        const matching = ids.flatMap((id) => {
          const network = networks.get(id) as JsonObject | undefined;
          const fits = Object.entries(filters ?? {}).every(([name, values]) =>
            values.some((value) => value === (network?.[name] ?? null)),
          );
          return network === undefined || !fits ? [] : [network];
        });
        return matching.slice(0, limit ?? matching.length).map((network) => pick(network, fields));
      },
    },
  };
}

/** Routers on a page that goes on, unless told otherwise. */
const PAGE = 1000;

function pick(object: JsonObject, names: readonly string[] | null | undefined): JsonObject {
  if (names == null || names.length === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}
