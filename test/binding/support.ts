/** Agents, drivers and requests for the tests of port binding. */
import { allOptions, configFrom } from '#src/config/mod.ts';
import type { Config, OptionValue } from '#src/lib/config.ts';
import { defineError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type LogFields, type Logger, silentLogger } from '#src/lib/log.ts';
import type { BindingOffer, BindingRequest, HostAgent, MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import { ADMIN, type World } from '../ml2/support.ts';
import type { TestDatabase } from '../support/database.ts';

/** An error that a driver throws on purpose. */
export const Refused = defineError('Refused', 409, (text: string) => text);

export type Configurations = Readonly<Record<string, unknown>>;
type Options = Readonly<Record<string, Readonly<Record<string, OptionValue>>>>;

export const configOf = (options: Options = {}): Config => configFrom(allOptions, options);

/** An Open vSwitch agent's report, as far as binding reads it. */
export const OVS: Configurations = {
  bridge_mappings: { physnet1: 'br-ex' },
  tunnel_types: ['vxlan'],
  ovs_hybrid_plug: false,
  datapath_type: 'system',
  integration_bridge: 'br-int',
};

/** Puts an agent there that has just reported, or reported an hour ago. */
export async function putAgent(
  { sql }: Pick<TestDatabase, 'sql'>,
  host: string,
  configurations: Configurations = OVS,
  { agent_type = 'Open vSwitch agent', alive = true, enabled = true } = {},
): Promise<void> {
  await sql`
    insert into agents (id, agent_type, "binary", topic, host, admin_state_up, created_at, started_at, heartbeat_timestamp,
      configurations)
    values (${newId<'agent'>()}, ${agent_type}, ${agent_type}, 'N/A', ${host}, ${enabled}, now(), now(),
      now() - ${alive ? '0' : '1 hour'}::interval, ${JSON.stringify(configurations)}::text::json)
    on conflict (agent_type, host) do update
    set heartbeat_timestamp = excluded.heartbeat_timestamp, configurations = excluded.configurations`;
}

/** A request as the engine makes it, with what was refused. */
export function request(parts: Partial<BindingRequest>): {
  readonly request: BindingRequest;
  readonly refused: string[];
} {
  const refused: string[] = [];
  const port = { id: '11111111-2222-3333-4444-555555555555', fixed_ips: [] };
  const whole: BindingRequest = {
    context: ADMIN,
    port,
    network: { id: 'network', mtu: 1500 },
    host: 'h1',
    vnic_type: 'normal',
    profile: {},
    segments: [],
    levels: [],
    agents: [],
    refuse: (reason, segment) => void refused.push(segment === undefined ? reason : `${segment.id}: ${reason}`),
    allocateDynamicSegment: () => Promise.reject(new Error('there are no dynamic segments here')),
    ...parts,
  };
  return { request: whole, refused };
}

export const segment = (
  network_type: string,
  physical_network: string | null,
  segmentation_id: number | null,
): Segment => ({
  id: `${network_type} ${physical_network ?? ''}${segmentation_id ?? ''}`.trim(),
  network_type,
  physical_network,
  segmentation_id,
});

export const hostAgent = (agent_type: string, configurations: Configurations, alive = true): HostAgent => ({
  agent_type,
  host: 'h1',
  alive,
  heartbeat_timestamp: '2026-01-31 12:00:00',
  configurations,
});

/** A driver of a test's own, which binds the first segment unless it is told otherwise. */
export function driver(
  name: string,
  bind: (request: BindingRequest) => Promise<BindingOffer | null> | BindingOffer | null = (asked) =>
    bound(asked.segments[0]!),
  more: Partial<MechanismDriver> = {},
): MechanismDriver {
  return { name, connectivity: 'l2', bind_port: bind, ...more };
}

export const bound = (chosen: Segment, vif_type = 'ovs'): BindingOffer => ({
  kind: 'bound',
  segment: chosen,
  vif_type,
  vif_details: { connectivity: 'l2' },
});

/** Keeps the warnings and errors. */
export function recordingLog(): { readonly log: Logger; readonly lines: { message: string; fields: LogFields }[] } {
  const lines: { message: string; fields: LogFields }[] = [];
  const keep = (message: string, fields: LogFields = {}) => void lines.push({ message, fields });
  const log: Logger = { ...silentLogger, warn: keep, error: keep, child: () => log };
  return { log, lines };
}

/** The levels of a port's binding: driver and type of network, the top first. */
export async function levels(world: World, port_id: string): Promise<readonly string[]> {
  const rows = await world.database.sql<{ driver: string; network_type: string }[]>`
    select l.driver, s.network_type from port_binding_levels l join network_segments s on s.id = l.segment_id
    where l.port_id = ${port_id} order by l.level`;
  return rows.map((row) => `${row.driver}: ${row.network_type}`);
}

/** Why a port is not bound: `driver: reason`. */
export async function failures(world: World, port_id: string): Promise<readonly string[]> {
  const rows = await world.database.sql<{ driver: string; reason: string }[]>`
    select driver, reason from port_binding_failures where port_id = ${port_id} order by place`;
  return rows.map((row) => `${row.driver}: ${row.reason}`);
}
