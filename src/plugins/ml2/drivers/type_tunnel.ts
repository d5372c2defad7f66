/**
 * Type drivers `vxlan`, `geneve` and `gre`: a number in an overlay over the hosts' own IP network. They differ in the
 * range of the number, the option that gives tenants' ranges, and what the encapsulation takes from each packet.
 */
import type { Config } from '#src/lib/config.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import type { SegmentRange, TypeDriver } from '#src/lib/ml2/type_driver.ts';
import { TunnelIdInUse } from '../errors.ts';

interface Overlay {
  readonly type: string;
  readonly group: string;
  readonly option: string;
  /** The largest id. */
  readonly last: number;
  /** Bytes of encapsulation without the outer IP header. */
  readonly overhead: (config: Config) => number;
}

const IP_HEADER: Readonly<Record<number, number>> = { 4: 20, 6: 40 };
const VNI_MAX = 2 ** 24 - 1;

const OVERLAYS = {
  vxlan: { type: 'vxlan', group: 'ml2_type_vxlan', option: 'vni_ranges', last: VNI_MAX, overhead: () => 30 },
  geneve: {
    type: 'geneve',
    group: 'ml2_type_geneve',
    option: 'vni_ranges',
    last: VNI_MAX,
    overhead: (config) => config.integer('ml2_type_geneve', 'max_header_size'),
  },
  gre: { type: 'gre', group: 'ml2_type_gre', option: 'tunnel_id_ranges', last: 2 ** 32 - 1, overhead: () => 22 },
} satisfies Record<string, Overlay>;

function parseRanges(overlay: Overlay, entries: readonly string[]): readonly SegmentRange[] {
  return entries.map((entry) => {
    const [first, last, ...rest] = entry.split(':').map(Number);
    const fits = (id: number | undefined): id is number =>
      id !== undefined && Number.isInteger(id) && id >= 1 && id <= overlay.last;
    if (!fits(first) || !fits(last) || first > last || rest.length > 0) {
      throw new Error(
        `[${overlay.group}] ${overlay.option}: '${entry}' is not 'first:last' with 1 <= first <= last <= ${overlay.last}`,
      );
    }
    return { physical_network: null, first, last };
  });
}

export function tunnelTypeDriver(type: keyof typeof OVERLAYS, config: Config): TypeDriver {
  const overlay: Overlay = OVERLAYS[type];
  const ranges = parseRanges(overlay, config.list(overlay.group, overlay.option));
  const underlay = [config.integer('DEFAULT', 'global_physnet_mtu'), config.integer('ml2', 'path_mtu')].filter(
    (mtu) => mtu > 0,
  );
  const taken = overlay.overhead(config) + (IP_HEADER[config.integer('ml2', 'overlay_ip_version')] ?? 0);
  const mtu = underlay.length === 0 ? 0 : Math.min(...underlay) - taken;
  return {
    type,
    providerCandidates({ physical_network: physical, segmentation_id: id }) {
      if (physical !== null && physical !== undefined && physical !== '') {
        throw new InvalidInput(`provider:physical_network specified for ${type} network`);
      }
      if (id === null || id === undefined) return { kind: 'ranges', network_type: type, ranges };
      if (id < 1 || id > overlay.last) {
        throw new InvalidInput(`segmentation_id out of range (1 through ${overlay.last}) for ${type} network`);
      }
      return { kind: 'exact', segment: { network_type: type, physical_network: null, segmentation_id: id } };
    },
    tenantCandidates: () => ({ kind: 'ranges', network_type: type, ranges }),
    inUse: (segment) => new TunnelIdInUse(segment.segmentation_id),
    mtu: () => mtu,
  };
}
