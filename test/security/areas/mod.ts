/** All areas of the API: what the suites over all routes go through. */
import type { Stack } from '../../support/stack.ts';
import { addressGroups } from './address_groups.ts';
import type { Area, Furnished } from './area.ts';
import { conntrackHelpers } from './conntrack_helpers.ts';
import { core } from './core.ts';
import { dhcpAgents } from './dhcp_agents.ts';
import { flavorProfiles, flavors } from './flavors.ts';
import { l3Agents } from './l3_agents.ts';
import { ndpProxies } from './ndp_proxies.ts';
import { portBindings } from './port_bindings.ts';
import { portForwardings } from './port_forwardings.ts';
import { rbac } from './rbac.ts';
import { routerGateways } from './router_gateways.ts';
import { routerInterfaces, routers } from './routers.ts';
import { securityGroups } from './security_groups.ts';
import { segments } from './segments.ts';
import { subnetPools } from './subnet_pools.ts';
import { tags } from './tags.ts';
import { topologies } from './topologies.ts';

export const AREAS: readonly Area[] = [
  dhcpAgents,
  l3Agents,
  portBindings,
  tags,
  rbac,
  addressGroups,
  securityGroups,
  core,
  segments,
  subnetPools,
  portForwardings,
  conntrackHelpers,
  ndpProxies,
  flavorProfiles,
  flavors,
  topologies,
  routerGateways,
  routerInterfaces,
  routers,
];

/** Loads the service plugins that are not loaded always. */
export const EVERY_PLUGIN = {
  DEFAULT: { service_plugins: ['segments', 'router', 'port_forwarding', 'conntrack_helper', 'ndp_proxy'] },
};

/** One object of each collection of these areas, in an otherwise empty database. */
export async function furnish(stack: Stack, areas: readonly Area[] = AREAS): Promise<Furnished> {
  await stack.clear();
  let all: Furnished = { ids: {}, bodies: {} };
  for (const area of areas) {
    const { ids, bodies } = await area.furnish(stack);
    all = { ids: { ...all.ids, ...ids }, bodies: { ...all.bodies, ...bodies } };
  }
  return all;
}
