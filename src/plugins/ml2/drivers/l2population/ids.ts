/**
 * What messages about forwarding entries are read by. A reader is asked with a text: these texts say all that is known when the
 * message is written, the rest is found when it is sent.
 */

/** The entries of a port on a host. */
export interface PortHere {
  readonly port_id: string;
  readonly host: string;
}

/** What a port was on a host that it is not on any more, or not with this address. */
export interface PortGone {
  readonly network_id: string;
  readonly host: string;
  readonly mac_address: string;
  readonly ips: readonly string[];
}

/** A port whose addresses have changed. */
export interface PortChanged {
  readonly network_id: string;
  readonly host: string;
  readonly mac_address: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A share of all ports of a network, for a host that has nothing of it yet: those with ids from one to the other. */
export interface NetworkShare {
  readonly network_id: string;
  readonly host: string;
  readonly low: string;
  readonly high: string;
}

/** Who is told of a network: all its hosts but one. */
export interface OtherHosts {
  readonly network_id: string;
  readonly host: string;
}

/** The text; the same for what is the same. */
export const idOf = <Value extends PortHere | PortGone | PortChanged | NetworkShare | OtherHosts>(
  value: Value,
): string => JSON.stringify(value);

/** What the text says. */
export const readId = <Value>(id: string): Value => JSON.parse(id) as Value;
