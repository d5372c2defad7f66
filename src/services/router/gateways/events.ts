/** What those are told behind the commit who follow gateways (`router_gateway`): of each that has come, gone, or has other addresses. */
import type { Resource } from '#src/lib/plugin.ts';
import type { GatewayChange } from './change.ts';

export interface GatewayEvent {
  readonly event: 'after_create' | 'after_update' | 'after_delete';
  readonly metadata: Resource;
}

type Addressed = readonly { readonly ip_address: string }[];
const addressesOf = (fixed_ips: Addressed): readonly string[] => fixed_ips.map(({ ip_address }) => ip_address);

export function gatewayEvents({
  deleted = [],
  created = [],
  updated = [],
}: Partial<GatewayChange>): readonly GatewayEvent[] {
  return [
    ...deleted.map(({ network_id, fixed_ips }) => ({
      event: 'after_delete' as const,
      metadata: {
        network_id,
        new_network_id: created[0]?.['network_id'] ?? null,
        gateway_ips: addressesOf(fixed_ips),
      },
    })),
    ...created.map(({ network_id, fixed_ips }) => ({
      event: 'after_create' as const,
      metadata: { network_id, gateway_ips: addressesOf(fixed_ips as Addressed) },
    })),
    ...updated.map(({ network_id }) => ({ event: 'after_update' as const, metadata: { network_id } })),
  ];
}
