/** What a simulated host has done and heard; tests look into it. */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { DeviceDetails, PortObject } from '#src/plugins/ml2/agents/contract.ts';
import type { DhcpNetwork } from '#src/plugins/ml2/dhcp/contract.ts';
import type { AppliedRule } from '#src/services/security_groups/contract.ts';
import { Forwarding } from './forwarding.ts';

/** A port that is wired here. */
export interface WiredPort extends Readonly<Record<string, unknown>> {
  readonly details: DeviceDetails;
  /** As it was reported to the server. */
  readonly up: boolean;
}

/** A network that DHCP is served on. */
export interface ServedNetwork {
  readonly network: DhcpNetwork;
  /** Its own port there; null while there is no subnet that wants it. */
  readonly port_id: string | null;
}

/** A message of the server's. */
export interface Heard {
  readonly topic: string;
  readonly method: string;
  readonly args: JsonObject;
}

/** The last messages are kept. */
const MEMORY = 1000;

export class HostState {
  /** Wired ports by id. */
  readonly ports = new Map<string, WiredPort>();
  /** Served networks by id. */
  readonly networks = new Map<string, ServedNetwork>();
  /** What is behind other hosts' tunnel ends. */
  readonly forwarding = new Forwarding();
  /** Other hosts' tunnel ends by type. */
  readonly tunnels = new Map<string, Set<string>>();
  /** Security groups of wired ports, by the port. */
  readonly securityGroups = new Map<string, readonly string[]>();
  /** The rules of security groups. */
  readonly rules = new Map<string, readonly AppliedRule[]>();
  /** Ports that the layer 2 agent knows of: those here, and the members of groups that its rules name. */
  known: ReadonlyMap<string, PortObject> = new Map();
  readonly heard: Heard[] = [];

  /** The addresses of a security group's members, as far as they matter here: `ip mac`. */
  members(group: string): readonly string[] {
    const ports = [...this.known.values()].filter(({ security_group_ids }) => security_group_ids.includes(group));
    return ports
      .flatMap((port) => port.fixed_ips.map((ip) => `${ip['versioned_object.data'].ip_address} ${port.mac_address}`))
      .sort();
  }

  hear(message: Heard): void {
    this.heard.push(message);
    if (this.heard.length > MEMORY) this.heard.shift();
  }
}
