/**
 * The contract of mechanism drivers (neutron_lib.plugins.ml2.api.MechanismDriver): what realises networks and ports.
 *
 *   *_precommit   inside the transaction, in the order of `[ml2] mechanism_drivers`; an error rolls everything back
 *   *_postcommit  after the commit, not blocking others for long; an error is logged and the operation stands
 *
 * Every hook is optional.
 */
import type { Context } from '../context.ts';
import type { Transaction } from '../database.ts';
import type { Resource } from '../plugin.ts';
import type { Segment } from './segment.ts';

/** What a hook is told; in a precommit hook `tx` is the transaction. */
export interface MechanismContext {
  readonly context: Context;
  /** As it is after the operation (create, update) or was before it (delete). */
  readonly current: Resource;
  /** As it was (update). */
  readonly original?: Resource;
  /** For ports: the segments of the network. */
  readonly segments?: readonly Segment[];
}

export interface PrecommitContext extends MechanismContext {
  readonly tx: Transaction;
}

/** What a driver can do for a port on a host. */
export interface BindingRequest {
  readonly port: Resource;
  readonly host: string;
  readonly vnic_type: string;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly segments: readonly Segment[];
}

export interface Binding {
  readonly segment: Segment;
  readonly vif_type: string;
  readonly vif_details: Readonly<Record<string, unknown>>;
}

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
  /** Whether it can make networks that carry their tenants' VLAN tags; a network that asks for it is refused otherwise. */
  readonly vlan_transparent?: boolean;
  /** The same for QinQ networks. */
  readonly qinq?: boolean;
  /** Extensions that are not served while this driver is loaded: `vlan-transparent`. */
  readonly excludes?: readonly string[];
  /** Offers to bind a port; null when it cannot. Asked in order, the first that binds wins. */
  bind_port?(tx: Transaction, request: BindingRequest): Promise<Binding | null>;
}
