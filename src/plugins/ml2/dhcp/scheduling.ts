/**
 * Which DHCP agents serve a network (neutron.scheduler.dhcp_agent_scheduler). Neutron schedules after the request has been
 * answered, and a crash in between leaves the network without DHCP; here it belongs to the transaction that makes the subnet
 * or port.
 *
 * What it costs where there is nothing to do is two words in a reading that is made anyway: `dhcp_wanted` and `dhcp_served`.
 */
import { AGENTS_FROM, aliveSql } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { HostAgent } from '#src/lib/ml2/mechanism_driver.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { chooseAgents } from '#src/scheduler/mod.ts';
import type { MechanismManager } from '../managers/mechanism.ts';
import {
  candidates,
  type DhcpCandidate,
  giveNetworks,
  type Scheduled,
  type UnservedNetwork,
  unservedNetworks,
} from './candidates.ts';
import { networkGiven } from './messages.ts';
import type { DhcpSettings } from './settings.ts';

/** What the reading of a network `n` says of its agents. */
export interface DhcpWords {
  /** It has agents. */
  readonly dhcp_served: boolean;
  /** It has fewer than it should, and there is somebody who could serve it. */
  readonly dhcp_wanted: boolean;
}

export interface DhcpScheduling {
  /** SQL of the words above, over a network `n`. */
  readonly columns: string;
  readonly wanted: string;
  /** Gives networks agents until they have as many as they should; whom they were given to. */
  schedule(tx: Transaction, ids: readonly string[]): Promise<readonly Given[]>;
}

export interface Given extends Scheduled {
  readonly host: string;
}

export function createScheduling(settings: DhcpSettings, mechanisms: MechanismManager): DhcpScheduling {
  const { automatic, agentsPerNetwork, downTime, enabled } = settings;
  const own = 'from network_dhcp_agents d where d.network_id = n.id';

  const choose = (network: UnservedNetwork, agents: readonly DhcpCandidate[]): readonly DhcpCandidate[] => {
    const { present, zone_hints, segments } = network;
    const has = new Set(present.map(({ agent_id }) => agent_id));
    const zones = zone_hints.length > 0 ? zone_hints : settings.defaultZones;
    const possible = agents.filter(
      ({ id, availability_zone }) =>
        !has.has(id) && (zones.length === 0 || (availability_zone !== null && zones.includes(availability_zone))),
    );
    const byHost = new Map<string, readonly HostAgent[]>(possible.map(({ host, host_agents }) => [host, host_agents]));
    const reach = new Set(mechanisms.hostsWithAccess(byHost, segments));
    const there = present.map(({ zone }) => zone);
    const able = possible.filter(({ host }) => reach.has(host));
    return chooseAgents(able, agentsPerNetwork - present.length, settings.method, there);
  };

  const wanted = automatic
    ? `((select count(*) ${own}) < ${agentsPerNetwork} and exists (
         select 1 from ${AGENTS_FROM} where a.agent_type = 'DHCP agent' and a.admin_state_up
           and not exists (select 1 ${own} and d.agent_id = a.id) and ${aliveSql(downTime)}))`
    : 'false';
  return {
    columns: `${enabled ? `exists (select 1 ${own})` : 'false'} as dhcp_served, ${wanted} as dhcp_wanted`,
    wanted,

    async schedule(tx, ids) {
      if (!automatic || ids.length === 0) return [];
      const [found, networks] = await Promise.all([candidates(tx, downTime), unservedNetworks(tx, ids)]);
      // Each choice weighs on those after it.
      const load = new Map(found.map((agent) => [agent.id, agent.load]));
      const rows: (Scheduled & { place: number })[] = [];
      for (const network of networks) {
        const places = freePlaces(network);
        const agents = found.map((agent) => ({ ...agent, load: load.get(agent.id)! }));
        for (const { id: agent_id } of choose(network, agents)) {
          load.set(agent_id, load.get(agent_id)! + 1);
          rows.push({ network_id: network.id, agent_id, place: places.next().value });
        }
      }
      if (rows.length === 0) return [];
      const hosts = new Map(found.map(({ id, host }) => [id, host]));
      const given = await giveNetworks(tx, rows);
      return given.map((one) => ({ ...one, host: hosts.get(one.agent_id)! }));
    },
  };
}

/** The places that no agent of the network has, from the first on. */
function* freePlaces({ present }: Pick<UnservedNetwork, 'present'>): Generator<number, never> {
  const taken = new Set(present.map(({ place }) => place));
  for (let place = 1; ; place++) if (!taken.has(place)) yield place;
}

/** What agents are told of networks that they were given. */
export function tellGiven(given: readonly Given[]): readonly Notification[] {
  return given.map(({ network_id, host }) => networkGiven(network_id, host));
}
