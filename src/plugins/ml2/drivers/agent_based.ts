/**
 * What mechanism drivers that have an agent on each host share (neutron.plugins.ml2.drivers.mech_agent): a port is bound when
 * the host has the driver's agent, alive, and that agent reports access to one of the segments. A driver is then a table: what
 * it plugs, for which kinds of ports, and where its agent's report tells of networks.
 */
import type { BindingOffer, BindingRequest, HostAgent, MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import { namesOf } from './configurations.ts';

type Plugged = Omit<Extract<BindingOffer, { kind: 'bound' }>, 'kind' | 'segment'> | string;

/** A driver as the base needs to know it. */
export interface AgentBased extends Pick<MechanismDriver, 'name' | 'excludes' | 'vlan_transparent' | 'qinq'> {
  readonly agent_type: string;
  /** Kinds of ports that it binds, and those of them that the operator has taken away. */
  readonly vnic_types: readonly string[];
  readonly prohibited?: readonly string[];
  /** Types of networks that an agent with these configurations reaches. */
  readonly networkTypes: (configurations: HostAgent['configurations']) => readonly string[];
  /** The members of the agent's report whose keys are the physical networks that it reaches: `bridge_mappings`. */
  readonly mappings: readonly string[];
  /** Why it does not bind the port, on whatever host; undefined: it may. */
  readonly rules?: (request: BindingRequest) => string | undefined;
  /** Why this agent does not take the port. */
  readonly agentRules?: (request: BindingRequest, agent: HostAgent) => string | undefined;
  /** What is plugged; a text says why nothing is. */
  readonly plug: (request: BindingRequest, segment: Segment, agent: HostAgent) => Plugged | Promise<Plugged>;
  /** Kinds of ports that are plugged without the agent: it need not be there. */
  readonly withoutAgent?: {
    readonly vnic_types: readonly string[];
    readonly plug: (request: BindingRequest, segment: Segment) => Plugged;
  };
}

/** Types of networks that are reached by way of a physical network. */
const PHYSICAL: ReadonlySet<string> = new Set(['flat', 'vlan']);

/** The kinds of ports that are left when the operator's `vnic_type_prohibit_list` is taken away. */
function allowed({ name, vnic_types, prohibited = [] }: AgentBased): readonly string[] {
  const unknown = prohibited.filter((type) => !vnic_types.includes(type));
  const left = vnic_types.filter((type) => !prohibited.includes(type));
  if (unknown.length > 0 || left.length === 0) {
    const fault = left.length === 0 ? 'prohibits all of them' : `names others: ${unknown.join(', ')}`;
    throw new Error(`vnic_type_prohibit_list of '${name}': the driver has ${vnic_types.join(', ')}; the list ${fault}`);
  }
  return left;
}

/** A mechanism driver that binds by its agents' reports. */
export function agentBasedDriver(based: AgentBased): MechanismDriver {
  const { name, agent_type, mappings, withoutAgent } = based;
  const vnicTypes = allowed(based);

  /** Why a segment is out of the agent's reach; undefined: it is not. */
  const outOfReach = (segment: Segment, agent: HostAgent | undefined): string | undefined => {
    const { network_type, physical_network } = segment;
    const types = based.networkTypes(agent?.configurations ?? {});
    if (!types.includes(network_type))
      return `networks of type ${network_type} are out of reach, only ${types.join(', ')}`;
    if (agent === undefined || !PHYSICAL.has(network_type)) return undefined;
    const known = mappings.flatMap((mapping) => namesOf(agent.configurations[mapping]));
    if (known.includes(physical_network ?? '')) return undefined;
    const others = known.length === 0 ? 'none' : known.join(', ');
    return `the agent has no ${mappings.join(' or ')} for physical network ${physical_network}, only for ${others}`;
  };

  /** What rules the port out before any agent is looked at. */
  const ruledOut = (request: BindingRequest): string | undefined => {
    const { vnic_type } = request;
    if (!vnicTypes.includes(vnic_type)) {
      return `vnic type ${vnic_type} is not supported, only ${vnicTypes.join(', ')}`;
    }
    return based.rules?.(request);
  };

  /** Segments that the port's addresses allow. */
  const reachable = ({ segments, levels, address_segments, refuse }: BindingRequest): readonly Segment[] => {
    // Below the top there are segments that were made for the port.
    if (address_segments === undefined || levels.length > 0) return segments;
    const fits = (segment: Segment) => address_segments.includes(segment.id);
    for (const segment of segments) {
      if (!fits(segment)) refuse("the port's addresses are on another segment of the network", segment);
    }
    return segments.filter(fits);
  };

  /** Binds the first segment that is in reach and takes the plug. */
  const bind = async (
    request: BindingRequest,
    segments: readonly Segment[],
    agent: HostAgent | undefined,
    plug: (segment: Segment) => Plugged | Promise<Plugged>,
  ): Promise<BindingOffer | null> => {
    for (const segment of segments) {
      const plugged = outOfReach(segment, agent) ?? (await plug(segment));
      if (typeof plugged !== 'string') return { kind: 'bound', segment, ...plugged };
      request.refuse(plugged, segment);
    }
    return null;
  };

  const optional = ['excludes', 'vlan_transparent', 'qinq'] as const;
  const said = Object.fromEntries(optional.filter((key) => based[key] !== undefined).map((key) => [key, based[key]]));
  return {
    name,
    connectivity: 'l2',
    agent_type,
    ...said,

    async bind_port(request) {
      const { host, agents, refuse, vnic_type } = request;
      const why = ruledOut(request);
      if (why !== undefined) {
        refuse(why);
        return null;
      }
      const segments = reachable(request);
      if (withoutAgent?.vnic_types.includes(vnic_type)) {
        return await bind(request, segments, undefined, (segment) => withoutAgent.plug(request, segment));
      }
      const own = agents.filter((agent) => agent.agent_type === agent_type);
      if (own.length === 0) refuse(`there is no ${agent_type} on host ${host}`);
      for (const agent of own) {
        const unfit = agent.alive
          ? based.agentRules?.(request, agent)
          : `the ${agent_type} on host ${host} is dead; its last report is of ${agent.heartbeat_timestamp} UTC`;
        if (unfit !== undefined) {
          refuse(unfit);
          continue;
        }
        const offer = await bind(request, segments, agent, (segment) => based.plug(request, segment, agent));
        if (offer !== null) return offer;
      }
      return null;
    },

    host_has_segment: (agents, segments) =>
      agents.some(
        (agent) =>
          agent.agent_type === agent_type && segments.some((segment) => outOfReach(segment, agent) === undefined),
      ),
  };
}
