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
import { NoNetworkAvailable, SegmentsContainDuplicateEntry } from '../errors.ts';
import { freeSegment, insertSegments, type SegmentRow } from './segment_store.ts';

const DRIVERS: Readonly<Record<string, (config: Config) => TypeDriver>> = {
  local: localTypeDriver,
  flat: flatTypeDriver,
  vlan: vlanTypeDriver,
  vxlan: (config) => tunnelTypeDriver('vxlan', config),
  geneve: (config) => tunnelTypeDriver('geneve', config),
  gre: (config) => tunnelTypeDriver('gre', config),
};

/** One segment to be made: alternatives in the order of preference. */
export interface SegmentPlan {
  /** The segment's id. */
  readonly id: string;
  readonly network_id: string;
  /** The place among the network's segments. */
  readonly segment_index: number;
  readonly is_dynamic?: boolean;
  readonly alternatives: readonly SegmentCandidates[];
}

export interface TypeManager {
  /** Plans the segments of a new network: those asked for (throws InvalidInput for what cannot be), or one for a tenant. */
  plan(network_id: string, requests: readonly SegmentRequest[], external: boolean): readonly SegmentPlan[];
  /** Plans one more segment of a network. */
  planSegment(network_id: string, segment_index: number, request: SegmentRequest): SegmentPlan;
  /** Tries, in one statement sent at once: the segments asked for, or random ones; by their ids, those that were free. */
  tryReserve(tx: Transaction, plans: readonly SegmentPlan[]): Promise<ReadonlyMap<string, SegmentRow>>;
  /** Reserves a segment for each plan, in the transaction that writes the networks; in the order of the plans. */
  reserve(
    tx: Transaction,
    plans: readonly SegmentPlan[],
    tried?: ReadonlyMap<string, SegmentRow>,
  ): Promise<readonly SegmentRow[]>;
  /** The MTU that the plans most likely lead to: that of their first alternatives. */
  expectedMtu(plans: readonly SegmentPlan[]): number;
  /** The largest MTU that all segments carry. */
  maximumMtu(segments: readonly Pick<Segment, 'network_type' | 'physical_network'>[]): number;
  /** Checks that the segment can be as it is given, all of it. */
  check(segment: SegmentChoice): void;
  /** The error for a segment that another network has. */
  inUse(segment: SegmentChoice): Error;
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

  const search = async (tx: Transaction, plan: SegmentPlan): Promise<SegmentRow> => {
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

  const tryReserve: TypeManager['tryReserve'] = async (tx, plans) => {
    const probes = plans.flatMap((plan) => {
      const choice = probe(plan.alternatives[0]);
      return choice === undefined ? [] : [row(plan, choice)];
    });
    return new Map((await insertSegments(tx, probes)).map((segment) => [segment.id, segment]));
  };

  const planOf = (network_id: string, segment_index: number, alternatives: readonly SegmentCandidates[]) => ({
    id: newId<'segment'>(),
    network_id,
    segment_index,
    alternatives,
  });
  const planSegment: TypeManager['planSegment'] = (network_id, segment_index, request) => {
    const { network_type: type } = request;
    if (type === null || type === undefined || type === '') throw new InvalidInput('network_type required');
    return planOf(network_id, segment_index, [driverOf(type).providerCandidates(request)]);
  };

  return {
    planSegment,

    plan(network_id, requests, external) {
      if (requests.length > 0) {
        const plans = requests.map((request, index) => planSegment(network_id, index, request));
        refuseDuplicates(plans);
        return plans;
      }
      const choices = external && externalDriver !== undefined ? [externalDriver] : tenantDrivers;
      return [
        planOf(
          network_id,
          0,
          choices.map((driver) => driver.tenantCandidates()),
        ),
      ];
    },

    tryReserve,

    async reserve(tx, plans, tried) {
      const reserved = tried ?? (await tryReserve(tx, plans));
      const segments: SegmentRow[] = [];
      for (const plan of plans) segments.push(reserved.get(plan.id) ?? (await search(tx, plan)));
      return segments;
    },

    expectedMtu(plans) {
      const choices = plans.map((plan) => probe(plan.alternatives[0]));
      return maximumMtu(choices.filter((choice) => choice !== undefined));
    },
    maximumMtu,
    check: (segment) => void driverOf(segment.network_type).providerCandidates(segment),
    inUse: (segment) => driverOf(segment.network_type).inUse(segment),
  };
}

/** Only segments that are named in full can be the same twice. */
function refuseDuplicates(plans: readonly SegmentPlan[]): void {
  const named = plans.flatMap(({ alternatives }) =>
    alternatives.flatMap((candidates) => (candidates.kind === 'exact' ? [JSON.stringify(candidates.segment)] : [])),
  );
  if (new Set(named).size < named.length) throw new SegmentsContainDuplicateEntry();
}

function row({ alternatives: _, ...plan }: SegmentPlan, choice: SegmentChoice): SegmentRow {
  return { ...plan, ...choice };
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
