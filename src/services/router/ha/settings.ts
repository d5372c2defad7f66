/** The options of high availability, read once. */
import type { Config } from '#src/lib/config.ts';
import { parseCidr } from '#src/lib/net/mod.ts';

export interface HaSettings {
  /** Addresses of the networks on which routers hear of each other. */
  readonly cidr: string;
  /** What those networks are made of, in the words of a network's body; empty: as any project's. */
  readonly provider: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly downTime: number;
}

/** Throws for what is not the address of an IPv4 network. */
export function haSettings(config: Config): HaSettings {
  const cidr = config.string('DEFAULT', 'l3_ha_net_cidr');
  const parsed = parseCidr(cidr);
  if (parsed === null || parsed.version !== 4 || parsed.address !== parsed.first) {
    throw new Error(`l3_ha_net_cidr = ${cidr}: this is not the address of an IPv4 network, as 169.254.192.0/18 is`);
  }
  const provider = {
    'provider:network_type': config.string('DEFAULT', 'l3_ha_network_type'),
    'provider:physical_network': config.string('DEFAULT', 'l3_ha_network_physical_name'),
  };
  return {
    cidr,
    provider: Object.fromEntries(Object.entries(provider).filter(([, value]) => value !== '')),
    downTime: config.integer('DEFAULT', 'agent_down_time'),
  };
}
