/** MTU of segments that lie directly on a physical network: `[ml2] physical_network_mtus`, else global_physnet_mtu. */
import type { Config } from '#src/lib/config.ts';

export function physicalMtu(config: Config): (physicalNetwork: string | null) => number {
  const everywhere = config.integer('DEFAULT', 'global_physnet_mtu');
  const special = config.dict('ml2', 'physical_network_mtus');
  return (physicalNetwork) => {
    const own = physicalNetwork === null ? undefined : special[physicalNetwork];
    const known = [everywhere, Number(own ?? 0)].filter((mtu) => mtu > 0);
    return known.length === 0 ? 0 : Math.min(...known);
  };
}
