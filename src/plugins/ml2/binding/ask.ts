/**
 * Asks mechanism drivers to bind a port (neutron.plugins.ml2.managers.MechanismManager.bind_port): in their order, first for
 * the network's segments, then, while a driver binds a level and offers segments below it, for those. The first driver that
 * binds the lowest level ends it; a driver whose level leads nowhere is passed over for the next one.
 */
import type { Context } from '#src/lib/context.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type { BindingLevel, BindingRequest, MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { BindingChoice, BindingFailure, Candidate } from './choice.ts';
import { type BindingInputs, subnetsOf } from './inputs.ts';

/** Levels at most (neutron.plugins.ml2.managers.MAX_BINDING_LEVELS). */
const MOST_LEVELS = 10;
/** In whose name failures are kept that are no driver's. */
const ITSELF = 'ml2';

export interface Asking {
  readonly context: Context;
  readonly drivers: readonly MechanismDriver[];
  readonly inputs: BindingInputs;
  readonly log: Logger;
  readonly allocate: (
    network_id: string,
    wanted: { readonly network_type: string; readonly physical_network: string | null },
  ) => Promise<Segment>;
}

type Bound = Extract<BindingChoice, { kind: 'bound' }>;
type Request = Omit<BindingRequest, 'segments' | 'levels' | 'refuse' | 'allocateDynamicSegment'>;

/** What the drivers make of a candidate; undefined: its network has no segments, so there is nothing to bind it to. */
export async function askDrivers(asking: Asking, candidate: Candidate): Promise<BindingChoice | undefined> {
  const { port, original } = candidate;
  const network_id = String(port['network_id']);
  const { inputs } = asking;
  const network = inputs.networks.get(network_id);
  const segments = inputs.segments.get(network_id) ?? [];
  if (network === undefined || segments.length === 0) return undefined;
  const host = String(port['binding:host_id']);
  const address_segments = segmentsOfAddresses(port, inputs);
  const request: Request = {
    context: asking.context,
    port,
    network,
    host,
    vnic_type: String(port['binding:vnic_type']),
    profile: (port['binding:profile'] ?? {}) as BindingRequest['profile'],
    agents: inputs.agents.get(host) ?? [],
    ...(original === undefined ? {} : { original }),
    ...(address_segments === undefined ? {} : { address_segments }),
  };
  const failures: BindingFailure[] = [];
  return (await bindLevel(asking, request, failures, [], segments)) ?? { kind: 'failed', failures };
}

/** The segments that the port's addresses are on; undefined when any of them may be on all. */
function segmentsOfAddresses(port: Resource, { subnets }: BindingInputs): readonly string[] | undefined {
  const on = subnetsOf(port).map((subnet) => subnets.get(subnet) ?? null);
  const named = on.filter((segment) => segment !== null);
  return on.length === 0 || named.length < on.length ? undefined : named;
}

async function bindLevel(
  asking: Asking,
  request: Request,
  failures: BindingFailure[],
  levels: readonly BindingLevel[],
  segments: readonly Segment[],
): Promise<Bound | undefined> {
  const fail = (driver: string, reason: string, segment?: Segment) =>
    void failures.push({ driver, segment_id: segment?.id ?? null, reason });
  if (levels.length === MOST_LEVELS) {
    fail(ITSELF, `the drivers offer more than ${MOST_LEVELS} levels`);
    return undefined;
  }
  const able = asking.drivers.filter(({ bind_port }) => bind_port !== undefined);
  if (able.length === 0) fail(ITSELF, 'none of [ml2] mechanism_drivers binds ports');
  for (const driver of able) {
    const refused = failures.length;
    const bound = await askOne(asking, request, { driver, failures, levels, segments, fail });
    if (bound !== undefined) return bound;
    if (failures.length === refused) fail(driver.name, 'the driver does not bind it, and does not say why');
  }
  return undefined;
}

interface Level {
  readonly driver: MechanismDriver;
  readonly failures: BindingFailure[];
  readonly levels: readonly BindingLevel[];
  readonly segments: readonly Segment[];
  readonly fail: (driver: string, reason: string, segment?: Segment) => void;
}

async function askOne(asking: Asking, request: Request, level: Level): Promise<Bound | undefined> {
  const { driver, failures, levels, segments, fail } = level;
  const { name } = driver;
  if (driver.connectivity !== 'l2' && (request.port['fixed_ips'] as readonly unknown[]).length === 0) {
    fail(name, 'the port has no address, and the driver does not connect ports on layer 2');
    return undefined;
  }
  // Whoever binds the same segment again would do so for ever.
  const again = levels.find((above) => above.driver === name && segments.some(({ id }) => id === above.segment.id));
  if (again !== undefined) {
    fail(name, 'the driver has bound this segment on a level above', again.segment);
    return undefined;
  }
  const made: Segment[] = [];
  try {
    const offer = await driver.bind_port?.({
      ...request,
      segments,
      levels,
      refuse: (reason, segment) => fail(name, reason, segment),
      async allocateDynamicSegment(wanted) {
        if (driver.dynamic_segments !== true) {
          throw new Error(`mechanism driver '${name}' allocates dynamic segments, but does not say dynamic_segments`);
        }
        const segment = await asking.allocate(String(request.network['id']), wanted);
        made.push(segment);
        return segment;
      },
    });
    if (offer === undefined || offer === null) return undefined;
    const { segment } = offer;
    if (![...segments, ...made].some(({ id }) => id === segment.id)) {
      fail(name, 'the driver offers a segment that it was not given', segment);
      return undefined;
    }
    const bound = [...levels, { driver: name, segment }];
    if (offer.kind === 'bound') return { ...offer, levels: bound };
    const below = await bindLevel(asking, request, failures, bound, offer.next);
    if (below === undefined) fail(name, 'nobody binds what the driver offers below this segment', segment);
    return below;
  } catch (error) {
    // What a driver throws on purpose is written for people; anything else is a defect, whose text stays in the log.
    const reason = error instanceof NeutronError ? error.message : 'the driver failed: see the log of the server';
    fail(name, reason);
    asking.log.error('a mechanism driver failed', {
      driver: name,
      hook: 'bind_port',
      port_id: request.port['id'],
      error,
    });
    return undefined;
  }
}
