/**
 * Agents: the API extension, the state reports that make them, their presence, and the look at their health. The ML2 plugin
 * takes these parts up as its own.
 */

import { adminContext } from '#src/lib/context.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { Plugin, PluginHost } from '#src/lib/plugin.ts';
import { agentExtensions } from './definition.ts';
import { livenessWorker } from './liveness.ts';
import { createPresenceRecorder } from './presence.ts';
import { createReporter } from './reports.ts';
import { agentEndpoint } from './rpc.ts';
import { agentVerbs } from './service.ts';
import { agentObjects, findAgent } from './store.ts';

/** What a core plugin merges into its own. */
export type AgentApi = Pick<Plugin, 'extensions' | 'verbs'> &
  Required<Pick<Plugin, 'rpcListeners' | 'stateReportListeners' | 'presence' | 'workers'>>;

/** The agents' part of a core plugin. */
export function agentApi(host: PluginHost): AgentApi {
  const { config, db, log, metrics, clock, callbacks } = host;
  const downTime = config.integer('DEFAULT', 'agent_down_time');
  const verbs = agentVerbs(host);
  const endpoint = agentEndpoint({
    report: createReporter({ db, downTime, enableNew: config.boolean('DEFAULT', 'enable_new_agents') }),
    async changed(context, report, { id, status }) {
      const event = status === 'new' ? 'after_create' : 'after_update';
      const latest = { ...report, id, agent_status: status };
      await callbacks.publish('agent', event, { context, resource_id: id, latest });
    },
    agentObjects: (filter) => agentObjects(db.sql, downTime, filter),
    async deleteAgent(name, agent_type) {
      const id = await findAgent(db.sql, agent_type, name);
      if (id === undefined) return;
      try {
        await verbs['delete_agent']!(adminContext(), { id, parents: {} });
      } catch (error) {
        // Gone meanwhile: what was asked for is so.
        if (!(error instanceof NeutronError && error.type === 'AgentNotFound')) throw error;
      }
    },
    dhcpLoadType: config.string('DEFAULT', 'dhcp_load_type'),
    downTime,
    clock,
    log,
  });
  const presence = createPresenceRecorder(db);
  return {
    extensions: agentExtensions,
    verbs,
    rpcListeners: () => [{ topic: 'q-plugin', endpoints: [endpoint] }],
    stateReportListeners: () => [{ topic: 'q-reports-plugin', endpoints: [endpoint] }],
    presence: () => presence,
    workers: () => [livenessWorker({ db, log, metrics, downTime })],
  };
}
