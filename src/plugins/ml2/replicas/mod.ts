/**
 * Ports that are on many hosts at once. The interface of a distributed router is bound to no host, and has a *replica* on each host
 * that the router is on; the ports of a highly available router are bound to the host of its active agent, and have replicas on
 * those that stand by (neutron.plugins.ml2.db, DistributedPortBinding; the latter Neutron answers for without keeping it).
 *
 *   the L2 agent of a host asks for the device ──▶ replica, bound by the mechanism drivers: DOWN ──▶ BUILD
 *   it has wired it ─────────────────────────────▶ ACTIVE
 *   it is down, the router leaves the host, the port ceases to be one on many hosts, or is deleted ──▶ no replica
 *
 * A distributed port is ACTIVE while any of its replicas is, BUILD while one is being wired, and otherwise DOWN. A host has a
 * replica only if the router concerns it, which the router plugin says by its audience.
 */
import type { Context } from '#src/lib/context.ts';
import type { PluginDirectory } from '#src/lib/plugin.ts';
import type { Binder } from '../binding/mod.ts';
import { type AskedDevice, findOnManyHosts } from '../rpc/device_store.ts';
import { replicaBinding } from './binding.ts';
import { hostsOfRouters } from './routers.ts';
import { type ReplicaStatuses, type ReplicaStatusHost, replicaStatuses } from './statuses.ts';
import type { Place } from './store.ts';

export { followReplicas } from './following.ts';
export type { ReplicaChange } from './store.ts';

export interface Replicas extends ReplicaStatuses {
  /** The ports of devices on many hosts that concern the hosts which ask, whether they have a replica yet or not. */
  wanted(asked: readonly AskedDevice[]): Promise<readonly (Place & AskedDevice)[]>;
  /** Binds replicas where they are missing, or have not been bound. */
  bind(context: Context, places: readonly Place[]): Promise<void>;
}

export interface ReplicaHost extends ReplicaStatusHost {
  readonly plugins: PluginDirectory;
  readonly binder: Pick<Binder, 'choose' | 'released'>;
}

export function createReplicas(host: ReplicaHost): Replicas {
  const { db, plugins } = host;
  return {
    ...replicaStatuses(host),
    bind: replicaBinding(host),

    async wanted(asked) {
      if (asked.length === 0) return [];
      const found = await findOnManyHosts(db.sql, asked);
      const routers = [...new Set(found.flatMap((port) => port?.router_id ?? []))];
      const hosts = await hostsOfRouters(db.sql, plugins, routers);
      return asked.flatMap((one, place) => {
        const port = found[place];
        const here = port !== undefined && hosts.get(port.router_id)?.includes(one.host);
        return here ? [{ ...one, port_id: port.port_id }] : [];
      });
    },
  };
}
