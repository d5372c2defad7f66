/**
 * ML2, the core plugin: networks, subnets and ports over type, mechanism and extension drivers, with the agents that carry
 * them (neutron.plugins.ml2.plugin).
 */
import type { Plugin, PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { joinParts, type PluginPart } from '#src/lib/plugin_parts.ts';
import { agentApi } from './agents/mod.ts';
import { bindingSweep, bindOnRevival, createBinder, portPlacement } from './binding/mod.ts';
import { ML2_EXTENSIONS } from './definition/extensions.ts';
import { NETWORKS } from './definition/networks.ts';
import { PORTS } from './definition/ports.ts';
import { SUBNETS } from './definition/subnets.ts';
import { createDhcp, dhcp } from './dhcp/mod.ts';
import { diagnosis } from './diagnosis/mod.ts';
import { l2populationSources } from './drivers/l2population/mod.ts';
import { dvr } from './dvr/mod.ts';
import { jointTransactions } from './joint.ts';
import { createExtensionManager } from './managers/extension.ts';
import { createMechanismManager, type MechanismManager } from './managers/mechanism.ts';
import { createTypeManager } from './managers/type.ts';
import { metadataRpc } from './metadata_rpc/mod.ts';
import { networkRbac } from './networks/rbac.ts';
import { followSegments } from './networks/segment_changes.ts';
import { networkVerbs } from './networks/service.ts';
import { notifications } from './notifications/mod.ts';
import { objects } from './objects/mod.ts';
import { ml2Policies } from './policy.ts';
import { portBindings } from './ports/bindings/mod.ts';
import { portVerbs } from './ports/service.ts';
import { createReplicas, followReplicas } from './replicas/mod.ts';
import { l2Rpc } from './rpc/mod.ts';
import { createStatuses } from './status/mod.ts';
import { subnetVerbs } from './subnets/service.ts';

/** ML2 with the drivers that the configuration names, or with others. */
export function createMl2(host: PluginHost, mechanisms: MechanismManager): Plugin {
  const { config, log } = host;
  const extensions = createExtensionManager(config, log, host.attributeExtensions, mechanisms.vlanTags);
  const types = createTypeManager(config);
  const statuses = createStatuses({ ...host, mechanisms, extensions });
  const binder = createBinder({ ...host, mechanisms, extensions, types, statuses });
  const ml2 = {
    ...host,
    extensions,
    types,
    mechanisms,
    statuses,
    binder,
    replicas: createReplicas({ ...host, mechanisms, extensions, binder }),
    dhcp: createDhcp(config, mechanisms),
  };
  followSegments(ml2);
  bindOnRevival(ml2);
  followReplicas(ml2);
  const agents = agentApi(host);
  const ports = portVerbs(ml2);
  const parts: readonly PluginPart[] = [
    { extensions: ML2_EXTENSIONS, verbs: networkVerbs(ml2), policies: ml2Policies },
    { extensions: extensions.definitions, verbs: subnetVerbs(ml2) },
    { verbs: ports },
    portBindings(ml2, ports['update_port']!),
    { workers: () => [bindingSweep(ml2)] },
    diagnosis(ml2),
    agents,
    notifications(ml2),
    l2Rpc(ml2),
    dvr(ml2),
    metadataRpc(ml2),
    l2populationSources,
    objects(ml2),
    dhcp(ml2),
  ];
  return {
    type: 'CORE',
    resources: [NETWORKS, SUBNETS, PORTS],
    tagged: { networks: 'networks', subnets: 'subnets', ports: 'ports' },
    rbac: [networkRbac],
    quotas: [
      { name: 'network', default_limit: 100, table: 'networks' },
      { name: 'subnet', default_limit: 100, table: 'subnets' },
      { name: 'port', default_limit: 500, table: 'ports' },
    ],
    presence: agents.presence,
    together: jointTransactions(ml2),
    place: portPlacement(ml2),
    async unwire(context, placements) {
      await statuses.setStatus(
        context,
        placements.map((placement) => ({ ...placement, status: 'DOWN' })),
      );
    },
    ...joinParts(parts),
  };
}

export default {
  create: (host) => createMl2(host, createMechanismManager(host.config, host.log)),
} satisfies PluginModule;
