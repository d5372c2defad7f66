/**
 * What bodies say of a network's segments: one by the attributes `provider:...`, or several by `segments`; and the one change
 * that segments take, another tag for a VLAN that no port is plugged into yet.
 */
import { reviseRow, violatedConstraint } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import type { SegmentChoice, SegmentRequest } from '#src/lib/ml2/segment.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { SegmentsSetInConjunctionWithProviders } from '../errors.ts';
import type { TypeManager } from '../managers/type.ts';
import { equal } from '../values.ts';
import { hasBoundPorts, segmentsOf } from './store.ts';

const NETWORK_TYPE = 'provider:network_type';
const PHYSICAL_NETWORK = 'provider:physical_network';
const SEGMENTATION_ID = 'provider:segmentation_id';
export const PROVIDER = [NETWORK_TYPE, PHYSICAL_NETWORK, SEGMENTATION_ID] as const;
export const SEGMENTS = 'segments';
const NO_PROVIDER = Object.fromEntries(PROVIDER.map((name) => [name, undefined]));

const said = (value: unknown): boolean => value !== undefined && value !== null;

function text(segment: Resource, name: string, longest: number): string | null {
  const value = segment[name];
  if (!said(value)) return null;
  if (typeof value === 'string' && value.length <= longest) return value;
  throw new InvalidInput(`${name} of a segment must be a text of at most ${longest} characters`);
}

const request = (segment: Resource): SegmentRequest => ({
  network_type: text(segment, NETWORK_TYPE, 32),
  physical_network: text(segment, PHYSICAL_NETWORK, 64),
  segmentation_id: (segment[SEGMENTATION_ID] ?? null) as number | null,
});

/** The segments that the body of a new network names; none: a tenant's network, of which the server chooses. */
export function segmentRequests(body: Resource): readonly SegmentRequest[] {
  const one = PROVIDER.some((name) => said(body[name]));
  const several = said(body[SEGMENTS]);
  if (one && several) throw new SegmentsSetInConjunctionWithProviders();
  if (one) return [request(body)];
  return several ? (body[SEGMENTS] as readonly Resource[]).map(request) : [];
}

/** Segments as a network shows them: its one by `provider:...`, or several by `segments`. */
export function presentSegments(segments: readonly SegmentChoice[]): Resource {
  const shown = segments.map((segment) => ({
    [NETWORK_TYPE]: segment.network_type,
    [PHYSICAL_NETWORK]: segment.physical_network,
    [SEGMENTATION_ID]: segment.segmentation_id,
  }));
  const [one, ...others] = shown;
  if (others.length > 0) return { ...NO_PROVIDER, [SEGMENTS]: shown };
  return {
    ...(one ?? { [NETWORK_TYPE]: null, [PHYSICAL_NETWORK]: null, [SEGMENTATION_ID]: null }),
    [SEGMENTS]: undefined,
  };
}

/** Changes the segments of a network as the body asks; whether it did. Throws for all but a VLAN's tag. */
export async function changeProvider(
  tx: Transaction,
  types: TypeManager,
  network: Resource,
  body: Resource,
): Promise<boolean> {
  const changed = [...PROVIDER, SEGMENTS].filter((name) => said(body[name]) && !equal(body[name], network[name]));
  if (changed.length === 0) return false;
  const fixed = changed.filter((name) => name !== SEGMENTATION_ID);
  if (fixed.length > 0) {
    throw new InvalidInput(
      `Plugin does not support updating the following provider network attributes: ${fixed.join(', ')}`,
    );
  }
  await changeTag(tx, types, String(network['id']), Number(body[SEGMENTATION_ID]));
  return true;
}

async function changeTag(tx: Transaction, types: TypeManager, network_id: string, tag: number): Promise<void> {
  const [segment, ...others] = await segmentsOf(tx, network_id);
  if (segment === undefined || others.length > 0) {
    throw new InvalidInput('Provider attributes can be updated only of networks with a single segment');
  }
  if (segment.network_type !== 'vlan') {
    throw new InvalidInput(`${SEGMENTATION_ID} can be updated only of VLAN networks, not of ${segment.network_type}`);
  }
  if (await hasBoundPorts(tx, network_id)) {
    throw new InvalidInput(`${SEGMENTATION_ID} cannot be updated while ports of the network are bound to a host`);
  }
  const wanted = { ...segment, segmentation_id: tag };
  types.check(wanted);
  try {
    await reviseRow(tx, 'network_segments', segment.id, { segmentation_id: 'bigint' }, { segmentation_id: tag });
  } catch (error) {
    if (violatedConstraint(error) === 'network_segments_reservation') throw types.inUse(wanted);
    throw error;
  }
}
