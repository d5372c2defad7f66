/** A port forwarding as it is to be: from what the caller asks for, and what it was. */
import type { Resource } from '#src/lib/plugin.ts';
import { refusal } from './errors.ts';
import type { Place, Wish } from './places.ts';
import { type PortRange, rangeOf, rangesOf } from './ranges.ts';
import type { ForwardingRow, Overlap } from './store.ts';

export interface Ranges {
  readonly external: PortRange;
  readonly internal: PortRange;
}

/** The ranges of one that there is, changed by the body. */
export const rangesNow = (original: Resource, body: Resource): Ranges =>
  rangesOf(body, {
    external: rangeOf(original['external_port_range']),
    internal: rangeOf(original['internal_port_range']),
  });

/** What the body names of the place inside; another port than it was is at its first address unless told. */
export function wishOf(body: Resource, original: Resource = {}): Wish {
  const internal_port_id = String(body['internal_port_id'] ?? original['internal_port_id']);
  const kept = internal_port_id === original['internal_port_id'] ? original['internal_ip_address'] : undefined;
  const address = body['internal_ip_address'] ?? kept;
  return { internal_port_id, ...(address === undefined ? {} : { internal_ip_address: String(address) }) };
}

export function rowOf(
  { id, floatingip_id }: { readonly id: string; readonly floatingip_id: string },
  { protocol, description }: Resource,
  { internal_port_id, internal_ip_address }: Omit<Place, 'router_id'>,
  { internal, external }: Ranges,
): ForwardingRow {
  return {
    ...{ id, floatingip_id, internal_port_id, internal_ip_address },
    ...{ protocol: String(protocol), description: String(description ?? '') },
    ...{ internal_port_start: internal.start, internal_port_end: internal.end },
    ...{ external_port_start: external.start, external_port_end: external.end },
  };
}

export function refuseOverlap(overlap: Overlap | undefined): void {
  if (overlap === undefined) return;
  const { side, present, asked } = overlap;
  throw refusal(
    `There is a port collision with the ${side}_port_range. The following ranges collide: ${present} and ${asked}`,
  );
}
