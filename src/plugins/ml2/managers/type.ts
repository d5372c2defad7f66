/**
 * The type manager: loads the drivers of `[ml2] type_drivers`, chooses and reserves the segment of a network, and knows its
 * MTU (neutron.plugins.ml2.managers.TypeManager).
 *
 * A reservation is the insertion of the segment's row; the unique index decides races. Ids are probed at random, so that
 * concurrent creations seldom want the same one; when probes fail the index is walked to the first gap. A row that lost a race
 * is tried again, and each loss means that somebody else succeeded, so the search ends.
 */
import type { Config } from '#src/lib/config.ts';
import type { Transaction } from '#src/lib/database.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Segment, SegmentChoice, SegmentRequest } from '#src/lib/ml2/segment.ts';
import type { SegmentCandidates, SegmentRange, TypeDriver } from '#src/lib/ml2/type_driver.ts';
import { flatTypeDriver } from '../drivers/type_flat.ts';
import { localTypeDriver } from '../drivers/type_local.ts';
import { tunnelTypeDriver } from '../drivers/type_tunnel.ts';
import { vlanTypeDriver } from '../drivers/type_vlan.ts';
import { NoNetworkAvailable } from '../errors.ts';
import { freeSegment, insertSegments } from './segment_store.ts';

const DRIVERS: Readonly<Record<string, (config: Config) => TypeDriver>> = {
  local: localTypeDriver,
  flat: flatTypeDriver,
  vlan: vlanTypeDriver,
  vxlan: (config) => tunnelTypeDriver('vxlan', config),
  geneve: (config) => tunnelTypeDriver('geneve', config),
  gre: (config) => tunnelTypeDriver('gre', config),
};

/** What one network needs: alternatives in the order of preference. */
export interface SegmentPlan {
  readonly network_id: string;
  readonly alternatives: readonly SegmentCandidates[];
}

export interface TypeManager {
  /** Checks what the caller said (throws InvalidInput) and plans the reservation. */
  plan(network_id: string, request: SegmentRequest | undefined, external: boolean): SegmentPlan;
  /** Reserves a segment for each plan, in the transaction that writes the networks; in the order of the plans. */
  reserve(tx: Transaction, plans: readonly SegmentPlan[]): Promise<readonly Segment[]>;
  /** The MTU that the plan most likely leads to: that of its first alternative. */
  expectedMtu(plan: SegmentPlan): number;
  /** The largest MTU that all segments carry. */
  maximumMtu(segments: readonly Pick<Segment, 'network_type' | 'physical_network'>[]): number;
}

export function createTypeManager(config: Config): TypeManager {
  const drivers = new Map<string, TypeDriver>();
  for (const name of config.list('ml2', 'type_drivers')) {
    const create = Object.hasOwn(DRIVERS, name) ? DRIVERS[name] : undefined;
    if (create === undefined) {
      throw new Error(
        `[ml2] type_drivers: there is no type driver '${name}'; there are ${Object.keys(DRIVERS).join(', ')}`,
      );
    }
    drivers.set(name, create(config));
  }
  const known = (option: string, type: string): TypeDriver => {
    const driver = drivers.get(type);
    if (driver === undefined) throw new Error(`[ml2] ${option}: '${type}' is not among [ml2] type_drivers`);
    return driver;
  };
  const tenantDrivers = config.list('ml2', 'project_network_types').map((type) => known('project_network_types', type));
  const externalType = config.optionalString('ml2', 'external_network_type');
  const externalDriver =
    externalType === null || externalType === '' ? undefined : known('external_network_type', externalType);
  const everywhere = config.integer('DEFAULT', 'global_physnet_mtu');

  const driverOf = (type: string): TypeDriver => {
    const driver = drivers.get(type);
    if (driver === undefined) throw new InvalidInput(`network_type value '${type}' not supported`);
    return driver;
  };

  const maximumMtu: TypeManager['maximumMtu'] = (segments) => {
    const limits = segments
      .map((segment) => drivers.get(segment.network_type)?.mtu(segment.physical_network) ?? 0)
      .filter((mtu) => mtu > 0);
    return limits.length === 0 ? everywhere : Math.min(...limits);
  };

  const search = async (tx: Transaction, plan: SegmentPlan): Promise<Segment> => {
    for (const candidates of plan.alternatives) {
      if (candidates.kind === 'exact') {
        const [segment] = await insertSegments(tx, [row(plan, candidates.segment)]);
        if (segment !== undefined) return segment;
        throw driverOf(candidates.segment.network_type).inUse(candidates.segment);
      }
      for (;;) {
        const free = await freeSegment(tx, candidates.network_type, candidates.ranges);
        if (free === undefined) break;
        const [segment] = await insertSegments(tx, [row(plan, free)]);
        if (segment !== undefined) return segment;
      }
    }
    throw new NoNetworkAvailable();
  };

  return {
    plan(network_id, request, external) {
      if (request !== undefined) {
        const { network_type: type } = request;
        if (type === null || type === undefined || type === '') throw new InvalidInput('network_type required');
        return { network_id, alternatives: [driverOf(type).providerCandidates(request)] };
      }
      const choices = external && externalDriver !== undefined ? [externalDriver] : tenantDrivers;
      return { network_id, alternatives: choices.map((driver) => driver.tenantCandidates()) };
    },

    async reserve(tx, plans) {
      // One statement for all: what was asked for, or a random probe.
      const probes = plans.flatMap((plan) => {
        const choice = probe(plan.alternatives[0]);
        return choice === undefined ? [] : [row(plan, choice)];
      });
      const reserved = new Map<string, Segment>();
      for (const segment of await insertSegments(tx, probes)) reserved.set(segment.network_id, segment);
      const segments: Segment[] = [];
      for (const plan of plans) segments.push(reserved.get(plan.network_id) ?? (await search(tx, plan)));
      return segments;
    },

    expectedMtu(plan) {
      const choice = probe(plan.alternatives[0]);
      return maximumMtu(choice === undefined ? [] : [choice]);
    },
    maximumMtu,
  };
}

function row(plan: SegmentPlan, choice: SegmentChoice) {
  return { id: newId<'segment'>(), network_id: plan.network_id, ...choice };
}

function probe(candidates: SegmentCandidates | undefined): SegmentChoice | undefined {
  if (candidates === undefined) return undefined;
  if (candidates.kind === 'exact') return candidates.segment;
  const range = pick(candidates.ranges);
  if (range === undefined) return undefined;
  return {
    network_type: candidates.network_type,
    physical_network: range.physical_network,
    segmentation_id: range.first + Math.floor(Math.random() * (range.last - range.first + 1)),
  };
}

/** A range at random, each id of all ranges equally likely. */
function pick(ranges: readonly SegmentRange[]): SegmentRange | undefined {
  const size = (range: SegmentRange) => range.last - range.first + 1;
  let place = Math.random() * ranges.reduce((sum, range) => sum + size(range), 0);
  for (const range of ranges) {
    place -= size(range);
    if (place < 0) return range;
  }
  return ranges.at(-1);
}
