/**
 * The contract of mechanism drivers (neutron_lib.plugins.ml2.api.MechanismDriver): what realises networks and ports.
 *
 *   *_precommit   inside the transaction, in the order of `[ml2] mechanism_drivers`; an error rolls everything back
 *   *_postcommit  after the commit. An error of a creation undoes it; that of an update of a network or subnet is answered
 *                 too, but what was committed stays; that of a port's update, or of a deletion, is logged
 *   bind_port     between two transactions, so that nothing is locked while a driver works
 *
 * A NeutronError of a driver is answered as it is; anything else that it throws is answered as MechanismDriverError, and its
 * text stays in the log. Deletions of ports call the drivers in reverse: the lowest level of a binding is taken down first.
 *
 * Every hook is optional. Hooks of ports are called for each port of a request; what they would read from the database for
 * each belongs into a reader (`Plugin.readers`), which the outbox asks once for many.
 */
import type { Context } from '../context.ts';
import type { Transaction } from '../database.ts';
import type { Resource } from '../plugin.ts';
import type { Notification } from '../rpc.ts';
import type { Segment } from './segment.ts';

/** What a hook is told; in a precommit hook `tx` is the transaction. */
export interface MechanismContext {
  readonly context: Context;
  /** As it is after the operation (create, update) or was before it (delete). */
  readonly current: Resource;
  /** As it was (update). */
  readonly original?: Resource;
}

export interface PrecommitContext extends MechanismContext {
  readonly tx: Transaction;
  /** Leaves messages for agents, which go into the outbox together at the end. */
  readonly notify: (...notifications: readonly Notification[]) => void;
}

/** An agent as drivers see it. */
export interface HostAgent {
  readonly agent_type: string;
  readonly host: string;
  readonly alive: boolean;
  /** Of its newest report: `2026-01-31 12:00:00`, UTC. */
  readonly heartbeat_timestamp: string;
  readonly configurations: Readonly<Record<string, unknown>>;
}

/** One level of a binding: the segment, and the driver that chose it. */
export interface BindingLevel {
  readonly driver: string;
  readonly segment: Segment;
}

/** A port that is to be bound to a host. */
export interface BindingRequest {
  readonly context: Context;
  readonly port: Resource;
  /** The port before the update that made it be bound, if it was one. */
  readonly original?: Resource;
  /** The port's network, with `mtu`, `vlan_transparent` ... */
  readonly network: Resource;
  readonly host: string;
  readonly vnic_type: string;
  readonly profile: Readonly<Record<string, unknown>>;
  /** What there is to choose from at this level: the network's segments, or those that the level above offers. */
  readonly segments: readonly Segment[];
  /** The segments that the port's addresses are on (routed networks); undefined: they do not say. */
  readonly address_segments?: readonly string[];
  /** The levels above, which other drivers have bound (hierarchical binding); none at the top. */
  readonly levels: readonly BindingLevel[];
  /** The agents of the host, dead ones too. */
  readonly agents: readonly HostAgent[];
  /** Says why a segment, or the port on this host at all (no segment), cannot be bound: kept for administrators. */
  readonly refuse: (reason: string, segment?: Segment) => void;
  /**
   * A segment that is made for the ports below a level, or the one that the network has already: one for each network type
   * and physical network. It is gone with the last binding on it. Only for drivers that say `dynamic_segments`.
   */
  readonly allocateDynamicSegment: (wanted: {
    readonly network_type: string;
    readonly physical_network: string | null;
  }) => Promise<Segment>;
}

/** What a driver offers. */
export type BindingOffer =
  /** Binds the port. */
  | {
      readonly kind: 'bound';
      readonly segment: Segment;
      readonly vif_type: string;
      readonly vif_details: Readonly<Record<string, unknown>>;
      /** The port's status from now on; `DOWN` (usual) while an agent is still to wire it. */
      readonly status?: 'ACTIVE' | 'DOWN';
    }
  /** Binds this level, and leaves the rest to drivers that can bind one of `next`. */
  | { readonly kind: 'continue'; readonly segment: Segment; readonly next: readonly Segment[] };

type Hook<Kind> = (context: Kind) => Promise<void> | void;
type MechanismResource = 'network' | 'subnet' | 'port';
type MechanismOperation = 'create' | 'update' | 'delete';
type PrecommitHook = `${MechanismOperation}_${MechanismResource}_precommit`;
type PostcommitHook = `${MechanismOperation}_${MechanismResource}_postcommit`;

/** The names of all hooks. */
export type MechanismHook = PrecommitHook | PostcommitHook;

export interface MechanismDriver
  extends Readonly<Partial<Record<PrecommitHook, Hook<PrecommitContext>>>>,
    Readonly<Partial<Record<PostcommitHook, Hook<MechanismContext>>>> {
  /** `openvswitch`: its name in `[ml2] mechanism_drivers`. */
  readonly name: string;
  /** `l2`, or another word that Neutron's `connectivity` knows; shown in `binding:vif_details`. */
  readonly connectivity?: 'l2' | 'l3' | 'legacy';
  /**
   * Whether it can make networks that carry their tenants' VLAN tags: one that asks for it is refused where a driver says no,
   * or none says yes.
   */
  readonly vlan_transparent?: boolean;
  /** The same for QinQ networks. */
  readonly qinq?: boolean;
  /** Extensions that are not served while this driver is loaded: `vlan-transparent`. */
  readonly excludes?: readonly string[];
  /** Whether it allocates dynamic segments. */
  readonly dynamic_segments?: boolean;
  /** The agent whose report that it has wired a port makes the port ACTIVE: `Open vSwitch agent`. */
  readonly agent_type?: string;
  /** Offers to bind a port; null when it cannot. Asked in order, the first that binds wins. Must be quick or asynchronous. */
  bind_port?(request: BindingRequest): Promise<BindingOffer | null> | BindingOffer | null;
  /** Whether a host with these agents, dead or alive, has access to one of the segments; undefined: the driver has no say in it. */
  host_has_segment?(agents: readonly HostAgent[], segments: readonly Segment[]): boolean | undefined;
}
