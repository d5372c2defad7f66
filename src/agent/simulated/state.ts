/** What a simulated host has done and heard; tests look into it. */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { DeviceDetails, PortObject } from '#src/plugins/ml2/agents/contract.ts';
import type { DhcpNetwork } from '#src/plugins/ml2/dhcp/contract.ts';
import type { HaState } from '#src/services/router/contract.ts';
import type { AppliedRule } from '#src/services/security_groups/contract.ts';
import { Bridge } from './bridge.ts';
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

/** A router that is served here: what is kept of it, for a host may have thousands. */
export interface ServedRouter {
  readonly revision_number: number;
  readonly distributed: boolean;
  /** Its state here where it is highly available; otherwise it is active, and nobody asks. */
  readonly ha: HaState | null;
  /** Plugged ports by id: the names of their devices (`qr-12345678-9a`). */
  readonly ports: ReadonlyMap<string, string>;
  readonly external_network: string | null;
  /** Floating IPs that are led here, by id. */
  readonly floatingips: ReadonlyMap<string, LedFloatingIp>;
  /** `192.168.7.0/24 via 10.0.0.9` */
  readonly routes: readonly string[];
  /** What has been learnt without asking: MAC addresses by address, of distributed routers. */
  readonly arp: Map<string, string>;
}

export interface LedFloatingIp {
  /** `203.0.113.20 to 10.0.0.5` */
  readonly leads: string;
  /** As it was told to the server. */
  readonly status: string;
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
  /** Served routers by id. */
  readonly routers = new Map<string, ServedRouter>();
  /** Port forwardings and the like by id, by their type. */
  readonly ofRouters = new Map<string, ReadonlyMap<string, Readonly<Record<string, unknown>>>>();
  /** Where the agents of the host meet. */
  readonly bridge = new Bridge();
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
