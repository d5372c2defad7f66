/** What binding a port takes and comes to. */
import type { BindingLevel } from '#src/lib/ml2/mechanism_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';

/** A port to be bound, as drivers are to see it: the attributes `binding:host_id`, `binding:vnic_type` and `binding:profile` count. */
export interface Candidate {
  readonly port: Resource;
  /** The port before the change that made it a candidate, if there was one. */
  readonly original?: Resource;
}

/** Why a driver did not bind a segment, or the port at all (no segment). */
export interface BindingFailure {
  readonly driver: string;
  readonly segment_id: string | null;
  readonly reason: string;
}

/** What the drivers made of a candidate. */
export type BindingChoice =
  | {
      readonly kind: 'bound';
      readonly levels: readonly BindingLevel[];
      readonly vif_type: string;
      readonly vif_details: Readonly<Record<string, unknown>>;
      /** The port's status from now on, where the driver has a say in it. */
      readonly status?: 'ACTIVE' | 'DOWN';
    }
  | { readonly kind: 'failed'; readonly failures: readonly BindingFailure[] };
