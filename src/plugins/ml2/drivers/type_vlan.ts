/**
 * Type driver `vlan`: a tag on a physical network. `[ml2_type_vlan] network_vlan_ranges` lists physical networks, each with
 * ranges for tenants (`physnet1:100:199`) or without (`physnet1`: only for administrators who name the tag).
 */
import type { Config } from '#src/lib/config.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import type { SegmentRange, TypeDriver } from '#src/lib/ml2/type_driver.ts';
import { VlanIdInUse } from '../errors.ts';
import { physicalMtu } from './physical_mtu.ts';

const FIRST = 1;
const LAST = 4094;
const validTag = (tag: number) => Number.isInteger(tag) && tag >= FIRST && tag <= LAST;

/** Reads `network_vlan_ranges`; throws on an entry that is none. */
export function parseVlanRanges(entries: readonly string[]): ReadonlyMap<string, readonly SegmentRange[]> {
  const ranges = new Map<string, SegmentRange[]>();
  for (const entry of entries) {
    const [physical = '', first, last, ...rest] = entry.split(':').map((part) => part.trim());
    const known = ranges.get(physical) ?? [];
    if (first !== undefined) {
      const range = { physical_network: physical, first: Number(first), last: Number(last) };
      if (rest.length > 0 || !validTag(range.first) || !validTag(range.last) || range.first > range.last) {
        throw new Error(
          `[ml2_type_vlan] network_vlan_ranges: '${entry}' is not 'physical_network:first:last' with ${FIRST} <= first <= last <= ${LAST}`,
        );
      }
      known.push(range);
    }
    if (physical === '') {
      throw new Error(`[ml2_type_vlan] network_vlan_ranges: '${entry}' names no physical network`);
    }
    ranges.set(physical, known);
  }
  return ranges;
}

export function vlanTypeDriver(config: Config): TypeDriver {
  const ranges = parseVlanRanges(config.list('ml2_type_vlan', 'network_vlan_ranges'));
  const all = [...ranges.values()].flat();
  return {
    type: 'vlan',
    providerCandidates({ physical_network: physical, segmentation_id: tag }) {
      if (physical === null || physical === undefined || physical === '') {
        if (tag !== null && tag !== undefined) {
          throw new InvalidInput('segmentation_id requires physical_network for VLAN provider network');
        }
        return { kind: 'ranges', network_type: 'vlan', ranges: all };
      }
      const known = ranges.get(physical);
      if (known === undefined) {
        throw new InvalidInput(`physical_network '${physical}' unknown for VLAN provider network`);
      }
      if (tag === null || tag === undefined) {
        if (known.length === 0) {
          throw new InvalidInput(
            `Physical network ${physical} requires segmentation_id to be specified when creating a provider network`,
          );
        }
        return { kind: 'ranges', network_type: 'vlan', ranges: known };
      }
      if (!validTag(tag)) throw new InvalidInput(`segmentation_id out of range (${FIRST} through ${LAST})`);
      return {
        kind: 'exact',
        segment: { network_type: 'vlan', physical_network: physical, segmentation_id: tag },
      };
    },
    tenantCandidates: () => ({ kind: 'ranges', network_type: 'vlan', ranges: all }),
    inUse: (segment) => new VlanIdInUse(segment.segmentation_id, segment.physical_network),
    mtu: physicalMtu(config),
  };
}
