/**
 * An agent that was dead, or has never been there, may be why ports of its host are not bound: when it reports (again), they are
 * tried once more (neutron.plugins.ml2.plugin, `_retry_binding_revived_agents`).
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Sql } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { MechanismManager } from '../managers/mechanism.ts';
import type { Ml2 } from '../state.ts';

/** Ports that are tried together. */
const BATCH = 200;

/** Ports that could not be bound to a host where an enabled agent of the type is; in the order of ids, from after one on. */
async function failedPorts(
  sql: Sql,
  { host, agent_type }: { readonly host: string; readonly agent_type: string },
  after: string,
): Promise<readonly string[]> {
  const rows = await sql<{ port_id: string }[]>`
    select port_id from port_bindings
    where host = ${host} and status = 'ACTIVE' and vif_type = 'binding_failed' and port_id > ${after}
      and exists (select from agents where host = ${host} and agent_type = ${agent_type} and admin_state_up)
    order by port_id limit ${BATCH}`;
  return rows.map(({ port_id }) => port_id);
}

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Subscribes to the life of agents that drivers bind by. */
export function bindOnRevival(ml2: Ml2 & { readonly log: Logger; readonly mechanisms: MechanismManager }): void {
  const types = new Set(ml2.mechanisms.drivers.map(({ agent_type }) => agent_type));

  const retry = async ({ context, latest }: CallbackPayload<Resource>): Promise<void> => {
    const { host, agent_type, agent_status } = (latest ?? {}) as Readonly<Record<string, string | undefined>>;
    if (host === undefined || agent_type === undefined || !types.has(agent_type)) return;
    if (agent_status !== 'new' && agent_status !== 'revived') return;
    for (let after = FIRST; ; ) {
      const ports = await failedPorts(ml2.db.sql, { host, agent_type }, after);
      if (ports.length === 0) return;
      await ml2.binder.bind(context, ports);
      after = ports.at(-1) ?? after;
    }
  };

  for (const event of ['after_create', 'after_update'] as const) {
    ml2.callbacks.subscribe('agent', event, (payload) => retry(payload as CallbackPayload<Resource>));
  }
}
