/** What L3 agents report of highly available routers (L3RpcCallback 1.13, that part of it). */
import * as v from 'valibot';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { RpcEndpoint } from '#src/lib/rpc.ts';
import { parseArguments } from '#src/rpc/contract.ts';
import type { HaState } from '../contract.ts';
import type { RouterHost } from '../host.ts';
import type { HaStates } from './states.ts';
import { countRouters, wiredPorts } from './states_store.ts';

/** What agents call a state: as VRRP does, as keepalived does, or as Neutron. */
const STATES: Readonly<Record<string, HaState>> = {
  active: 'active',
  primary: 'active',
  master: 'active',
  standby: 'standby',
  backup: 'standby',
  fault: 'standby',
  unknown: 'unknown',
};

const MOST = 5000;
const ID = v.pipe(v.string(), v.maxLength(255));
const HOST = v.object({ host: v.nullish(ID) });
/** By the routers' ids; a list is none, though it passes for an object. */
const byRouter = <Value extends v.GenericSchema>(value: Value) =>
  v.nullish(
    v.pipe(
      v.unknown(),
      v.check((given) => !Array.isArray(given), 'must be an object'),
      v.record(ID, value),
      v.maxEntries(MOST),
    ),
  );
const STATE = v.pipe(
  v.string(),
  v.check((state) => Object.hasOwn(STATES, state), `must be one of ${Object.keys(STATES).join(', ')}`),
);
const REPORT = v.object({
  states: byRouter(STATE),
  epochs: byRouter(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
});

/** The endpoint; answers on `q-l3-plugin`. */
export function haEndpoint({ db, plugins }: RouterHost, states: HaStates): RpcEndpoint {
  return {
    version: '1.13',
    methods: {
      async update_ha_routers_states({ context, host }, args) {
        const { states: reported, epochs } = parseArguments(REPORT, 'update_ha_routers_states', args);
        const known = (router_id: string): number | null =>
          epochs != null && Object.hasOwn(epochs, router_id) ? (epochs[router_id] ?? null) : null;
        const reports = Object.entries(reported ?? {})
          .filter(([router_id]) => isUuid(router_id))
          .map(([router_id, state]) => ({ router_id, state: STATES[state] ?? 'unknown', epoch: known(router_id) }));
        const standings = await states.report(context, host, reports);
        // Neutron's agents expect no answer.
        if (epochs == null) return null;
        return Object.fromEntries(
          standings.map(({ router_id, epoch, active_host }) => [router_id, { epoch, active_host }]),
        ) satisfies JsonObject;
      },

      async get_host_ha_router_count({ host }, args) {
        parseArguments(HOST, 'get_host_ha_router_count', args);
        return await countRouters(db.sql, host);
      },

      async update_all_ha_network_port_statuses({ context, host }, args) {
        parseArguments(HOST, 'update_all_ha_network_port_statuses', args);
        const wired = await wiredPorts(db.sql, host);
        await plugins.get('CORE')?.unwire?.(
          context,
          wired.map((port_id) => ({ port_id, host })),
        );
        return null;
      },
    },
  };
}
