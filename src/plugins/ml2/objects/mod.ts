/**
 * Versioned objects (neutron.objects) as agents are told of them and ask for them. Network, Subnet and Port are ML2's own;
 * those of all plugins are asked for on one topic, which is why ML2 answers for all of them.
 */
import type { PluginHost } from '#src/lib/plugin.ts';
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import { objectListeners } from '#src/rpc/contract.ts';
import { agentObject } from './agent.ts';
import { type AskedHost, askedForPorts } from './asked_ports.ts';
import { networkObject } from './network.ts';
import { pushChanges } from './notifications.ts';
import { portObject } from './port.ts';
import { subnetObject } from './subnet.ts';
import { saveVersions } from './versions.ts';

export { portChanged } from './notifications.ts';

type ObjectHost = Pick<PluginHost, 'callbacks' | 'db' | 'plugins'> & AskedHost;

/** The objects, whose changes are pushed from now on. */
export function objects({ callbacks, db, plugins, replicas }: ObjectHost): PluginPart {
  pushChanges(callbacks);
  return {
    objects: [agentObject, networkObject, subnetObject, askedForPorts(portObject, { replicas })],
    rpcListeners: () =>
      objectListeners({
        sql: db.sql,
        types: () => plugins.all().flatMap((plugin) => plugin.objects ?? []),
        saveVersions: (agent_type, host, versions) => saveVersions(db, agent_type, host, versions),
      }),
  };
}
