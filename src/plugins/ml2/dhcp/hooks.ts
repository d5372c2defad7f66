/**
 * What the verbs of subnets and ports call while they create: the network gets DHCP agents if it lacks them, those agents are
 * told, and a port that needs DHCP waits for it. Updates and deletions are heard of by callbacks (`notifier.ts`).
 */
import type { AddressNeed } from '#src/ipam/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { RESERVED_DHCP_PORT } from './contract.ts';
import { networkGiven, portCreated, subnetCreated } from './messages.ts';
import type { DhcpScheduling, DhcpWords } from './scheduling.ts';
import type { DhcpSettings } from './settings.ts';

/** Owners whose ports become ACTIVE without DHCP: nobody asks it for an address there (NO_PBLOCKS_TYPES). */
const WITHOUT_DHCP: ReadonlySet<string> = new Set([
  '',
  'network:router_interface_distributed',
  'network:ha_router_replicated_interface',
  'network:router_interface',
  'network:router_gateway',
  'network:router_centralized_snat',
  'network:dhcp',
  'network:floatingip_agent_gateway',
  'network:router_ha_interface',
  'network:floatingip',
]);

type Notify = (...notifications: readonly Notification[]) => void;
type Words = DhcpWords & { readonly id: string };

export interface DhcpHooks {
  /** What a reading of networks `n` selects for these hooks. */
  readonly columns: string;
  /** Gives agents to those of the networks that want some, and tells them; the networks that are served from now on. */
  serve(tx: Transaction, networks: Iterable<Words>, notify: Notify): Promise<ReadonlySet<string>>;
  /** Whether making the port makes its network be scheduled: an agent's own that waits for one does not. */
  schedules(port: Resource): boolean;
  tellSubnets(served: ReadonlySet<string>, subnets: readonly Resource[], notify: Notify): void;
  tellPorts(served: ReadonlySet<string>, ports: readonly Resource[], notify: Notify): void;
  /** Whether a port with such addresses is ACTIVE only when DHCP serves them. */
  awaited(network: ServedNetwork, device_owner: string, needs: readonly AddressNeed[]): boolean;
}

/** A network with its subnets, as far as DHCP is concerned. */
export interface ServedNetwork extends Pick<DhcpWords, 'dhcp_served'> {
  readonly subnets: readonly { readonly id: string; readonly enable_dhcp: boolean }[];
}

export function createHooks(settings: DhcpSettings, scheduling: DhcpScheduling): DhcpHooks {
  return {
    columns: scheduling.columns,

    async serve(tx, networks, notify) {
      const all = [...networks];
      const served = new Set(all.filter(({ dhcp_served }) => dhcp_served).map(({ id }) => id));
      const wanting = all.filter(({ dhcp_wanted }) => dhcp_wanted).map(({ id }) => id);
      const given = await scheduling.schedule(tx, wanting);
      for (const { network_id, host } of given) {
        served.add(network_id);
        if (settings.notify) notify(networkGiven(network_id, host));
      }
      return served;
    },

    schedules: ({ device_id }) => device_id !== RESERVED_DHCP_PORT,

    tellSubnets(served, subnets, notify) {
      if (!settings.notify) return;
      for (const subnet of subnets) if (served.has(String(subnet['network_id']))) notify(subnetCreated(subnet));
    },

    tellPorts(served, ports, notify) {
      if (!settings.notify) return;
      for (const port of ports) {
        if (served.has(String(port['network_id']))) notify(...portCreated(port, settings.agentsPerNetwork));
      }
    },

    awaited({ dhcp_served, subnets }, device_owner, needs) {
      if (!dhcp_served || WITHOUT_DHCP.has(device_owner)) return false;
      const withDhcp = new Set(subnets.filter(({ enable_dhcp }) => enable_dhcp).map(({ id }) => id));
      // Which of several subnets an address will come from is not known yet: agents report every port of their networks.
      return needs.some((need) =>
        need.kind === 'exact' ? withDhcp.has(need.subnet_id) : need.subnets.some(({ id }) => withDhcp.has(id)),
      );
    },
  };
}
