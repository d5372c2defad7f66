/**
 * ML2, the core plugin: networks, subnets and ports over type, mechanism and extension drivers, with the agents that carry
 * them (neutron.plugins.ml2.plugin).
 */
import type { Plugin, PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { agentApi } from './agents/mod.ts';
import { ML2_EXTENSIONS } from './definition/extensions.ts';
import { NETWORKS } from './definition/networks.ts';
import { PORTS } from './definition/ports.ts';
import { SUBNETS } from './definition/subnets.ts';
import { createExtensionManager } from './managers/extension.ts';
import { createMechanismManager } from './managers/mechanism.ts';
import { createTypeManager } from './managers/type.ts';
import { networkRbac } from './networks/rbac.ts';
import { followSegments } from './networks/segment_changes.ts';
import { networkVerbs } from './networks/service.ts';
import { ml2Policies } from './policy.ts';
import { portVerbs } from './ports/service.ts';
import { subnetVerbs } from './subnets/service.ts';

function create(host: PluginHost): Plugin {
  const { config, log } = host;
  const mechanisms = createMechanismManager(config, log);
  const extensions = createExtensionManager(config, log, host.attributeExtensions, mechanisms.vlanTags);
  const ml2 = {
    ...host,
    extensions,
    types: createTypeManager(config),
    mechanisms,
  };
  followSegments(ml2);
  const agents = agentApi(host);
  return {
    type: 'CORE',
    resources: [NETWORKS, SUBNETS, PORTS],
    extensions: [...ML2_EXTENSIONS, ...extensions.definitions, ...agents.extensions],
    verbs: { ...networkVerbs(ml2), ...subnetVerbs(ml2), ...portVerbs(ml2), ...agents.verbs },
    policies: ml2Policies,
    tagged: { networks: 'networks', subnets: 'subnets', ports: 'ports' },
    rbac: [networkRbac],
    quotas: [
      { name: 'network', default_limit: 100, table: 'networks' },
      { name: 'subnet', default_limit: 100, table: 'subnets' },
      { name: 'port', default_limit: 500, table: 'ports' },
    ],
    rpcListeners: agents.rpcListeners,
    stateReportListeners: agents.stateReportListeners,
    presence: agents.presence,
    workers: agents.workers,
  };
}

export default { create } satisfies PluginModule;
