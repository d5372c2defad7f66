/** What the suites of objects share: the whole API, calls as agents make them, and what was left for agents as it is sent. */
import { silentLogger } from '#src/lib/log.ts';
import { type OutboxRow, renderRows } from '#src/outbox/mod.ts';
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { sourcesOf } from '#src/server/workers/relay.ts';
import type { Stack } from '../support/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape are looked into by tests
type Any = any;

export interface Told {
  readonly topic: string;
  readonly method: string;
  readonly args: Any;
  readonly hosts: readonly (string | null)[];
}

export interface RpcOptions {
  readonly topic?: string;
  readonly version?: string;
  readonly namespace?: string;
}

/** Calls a method as an agent of the host does; the answer as it arrives. */
export async function rpc(stack: Stack, host: string, method: string, args: object, options: RpcOptions = {}) {
  const { topic = 'q-plugin', version = '1.0', namespace } = options;
  const endpoints = endpointsByTopic(stack.plugins.flatMap((plugin) => plugin.rpcListeners?.() ?? [])).get(topic) ?? [];
  const message = {
    method,
    args: args as never,
    version,
    context: {},
    ...(namespace === undefined ? {} : { namespace }),
  };
  return JSON.parse(JSON.stringify(await dispatch(endpoints, host, message))) as Any;
}

/** Runs the work and gives what it left for agents, as the relay would send it right after; and how many rows it took. */
export async function toldBy(stack: Stack, work: () => Promise<unknown>): Promise<readonly Told[]> {
  const { sql } = stack.database;
  await sql`delete from outbox`;
  await work();
  return await waiting(stack);
}

/** What is in the outbox, as the relay would send it now. */
export async function waiting(stack: Stack): Promise<readonly Told[]> {
  const { sql } = stack.database;
  const rows = await sql<OutboxRow[]>`
    select id, key, host, topic, payload, recipients, reads, object_id from outbox order by id`;
  const errors: unknown[] = [];
  const log = { ...silentLogger, error: (message: string, fields: unknown) => void errors.push([message, fields]) };
  const rendered = await renderRows(sql, rows, sourcesOf(stack.plugins), log);
  if (errors.length > 0) throw new Error('the relay would complain', { cause: errors });
  return rendered.flatMap(({ topic, payload, hosts }) => {
    if (hosts.length === 0) return [];
    const { method, args } = JSON.parse(payload);
    return [{ topic, method, args, hosts: [...hosts].sort() }];
  });
}

/** An L2 agent that has reported itself. */
export async function agent(stack: Stack, host: string, versions: object | null = null) {
  const configurations = { tunneling_ip: '192.0.2.1', tunnel_types: ['vxlan'], bridge_mappings: {}, vif_type: 'ovs' };
  await stack.database.sql.unsafe(
    `insert into agents (id, agent_type, "binary", topic, host, admin_state_up, created_at, started_at, heartbeat_timestamp,
       configurations, resource_versions)
     values (gen_random_uuid(), 'Open vSwitch agent', 'neutron-openvswitch-agent', 'N/A', $1, true, now(), now(),
       now() + interval '1 hour', $2::json, $3::json)`,
    [host, configurations as never, versions as never],
  );
}
