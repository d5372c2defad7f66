/** The verbs of agents and availability zones. Agents are made by their reports alone. */
import { agentTable, listRows, showRow } from '#src/db/mod.ts';
import type { ListQuery } from '#src/lib/api/query.ts';
import { AgentNotFound } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { PluginHost, Resource, ResourceList, Verb } from '#src/lib/plugin.ts';
import { agentUpdated } from './notifier.ts';
import { availabilityZones, lockAgent, removeAgent, writeAgent } from './store.ts';

interface AgentUpdate {
  readonly admin_state_up?: boolean;
  readonly description?: string | null;
}

/** Filters, sorts and pages rows that are few and made here. */
function select(rows: readonly Resource[], query: ListQuery): ResourceList {
  const items = rows.filter((row) =>
    query.filters.every(({ attribute, values }) => !(attribute in row) || values.includes(row[attribute] as string)),
  );
  return { items, more: false };
}

/** The verbs by Neutron's names. */
export function agentVerbs(host: PluginHost): Readonly<Record<string, Verb>> {
  const { db, callbacks, outbox } = host;
  const table = agentTable(host.config.integer('DEFAULT', 'agent_down_time'));

  async function show(id: string, fields?: readonly string[]): Promise<Resource> {
    const agent = await showRow(db.sql, table, id, fields);
    if (agent === undefined) throw new AgentNotFound(id);
    return agent;
  }

  return {
    get_agents: (_context, { query }) => listRows(db.sql, table, query!),
    get_agent: (_context, { id, fields }) => show(id!, fields),

    async update_agent(context, { id, body }) {
      if (!isUuid(id!)) throw new AgentNotFound(id!);
      const original = await show(id!);
      const request = body as AgentUpdate & Resource;
      const resource_id = id!;
      await callbacks.publish('agent', 'before_update', { context, resource_id, original, request });
      await db.transaction({ label: 'update_agent' }, async (tx) => {
        const agent = await lockAgent(tx, resource_id);
        if (agent === undefined) throw new AgentNotFound(resource_id);
        await writeAgent(tx, resource_id, request);
        await callbacks.publish('agent', 'precommit_update', { context, resource_id, original, request, tx });
        const { admin_state_up } = request;
        if (admin_state_up !== undefined && admin_state_up !== agent.admin_state_up) {
          await outbox.add(tx, context, agentUpdated(resource_id, agent, admin_state_up));
        }
      });
      const latest = await show(resource_id);
      await callbacks.publish('agent', 'after_update', { context, resource_id, original, latest, request });
      return latest;
    },

    async delete_agent(context, { id }) {
      const original = await show(id!);
      const resource_id = id!;
      await callbacks.publish('agent', 'before_delete', { context, resource_id, original });
      await db.transaction({ label: 'delete_agent' }, async (tx) => {
        if ((await lockAgent(tx, resource_id)) === undefined) throw new AgentNotFound(resource_id);
        await callbacks.publish('agent', 'precommit_delete', { context, resource_id, original, tx });
        await removeAgent(tx, resource_id);
      });
      await callbacks.publish('agent', 'after_delete', { context, resource_id, original });
    },

    get_availability_zones: async (_context, { query }) => select(await availabilityZones(db.sql), query!),
  };
}
