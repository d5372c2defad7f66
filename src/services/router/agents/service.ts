/** The verbs that say by hand which agents have a router (neutron.db.l3_agentschedulers_db). */
import { listRows, showRow } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { AgentNotFound, BadRequest } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import { Messages } from '#src/lib/messages.ts';
import type { Call, Resource, ResourceList, Verb } from '#src/lib/plugin.ts';
import { RouterNotFound } from '../errors.ts';
import type { RouterHost } from '../host.ts';
import { routerAdded, routerRemoved, routerUpdated } from '../notifications/mod.ts';
import { routerScope } from '../reading.ts';
import { lockRouters } from '../routers/store.ts';
import {
  DVRL3CannotAssignToDvrAgent,
  DVRL3CannotRemoveFromDvrAgent,
  InvalidL3Agent,
  RouterHostedByL3Agent,
  RouterL3AgentMismatch,
  RouterSchedulingFailed,
} from './errors.ts';
import { publishAgents } from './scheduling.ts';
import { agentsOfRouters, findAgent, giveByHand, holdersOf, type L3Agent, routersOf, takeRouter } from './store.ts';

/** Agents in these modes have no routers of their own: they take their parts of distributed routers. */
const DISTRIBUTED_ONLY: readonly string[] = ['dvr', 'dvr_no_external'];
/** The columns of a router that these verbs need. */
const KIND = ['id', 'ha', 'distributed', 'gw_port_id'];

interface Router {
  readonly id: string;
  readonly ha: boolean;
  readonly distributed: boolean;
  readonly gw_port_id: string | null;
}

/** The router that the body names. */
function routerOf({ body }: Call): string {
  const router_id = body?.['router_id'];
  if (typeof router_id !== 'string') throw new BadRequest('l3-routers', 'the body names no router_id');
  return router_id;
}

/** Throws where the router is nothing for the agent. */
function refuseMismatch(agent: L3Agent, router: Router, disabledServe: boolean): void {
  if (agent.agent_type !== 'L3 agent') throw new InvalidL3Agent(agent.id);
  if (DISTRIBUTED_ONLY.includes(agent.mode)) throw new DVRL3CannotAssignToDvrAgent();
  if (agent.mode === 'legacy' && router.distributed) throw new RouterL3AgentMismatch(router.id, agent.id);
  const serves = agent.admin_state_up || disabledServe;
  if (!serves || (router.gw_port_id === null && !agent.for_internal)) throw new InvalidL3Agent(agent.id);
}

export function agentVerbs(host: RouterHost): Readonly<Record<string, Verb>> {
  const { db, outbox, callbacks, reading, together, config } = host;
  const { downTime } = host.scheduling.settings;
  const disabledServe = config.boolean('DEFAULT', 'enable_services_on_agents_with_admin_state_down');
  const table = agentsOfRouters(downTime);

  /** The agent of the URL; throws AgentNotFound. */
  const agentOf = async ({ parents }: Call, tx?: Transaction): Promise<L3Agent> => {
    const id = parents['agent'] ?? '';
    const agent = isUuid(id) ? await findAgent(tx ?? db.sql, id, tx !== undefined) : undefined;
    if (agent === undefined) throw new AgentNotFound(id);
    return agent;
  };

  const lockedRouter = async (tx: Transaction, context: Context, id: string): Promise<Router> => {
    if (!isUuid(id)) throw new RouterNotFound(id);
    const [, router] = await Promise.all([
      lockRouters(tx, [id], 'no key update'),
      showRow(tx, reading.routers, id, KIND, routerScope(context)),
    ]);
    if (router === undefined) throw new RouterNotFound(id);
    return router as unknown as Router;
  };

  /** Routers as Neutron shows them here: with what it knows itself, but not with what is ours alone. */
  const plain = (router: Resource): Resource =>
    Object.fromEntries(
      Object.entries(router).filter(([name]) => name === 'ha_vr_id' || !host.routers.internal.has(name)),
    );

  return {
    'get_agent_l3-routers': async (context, call) => {
      const { id } = await agentOf(call);
      const values = await routersOf(db.sql, id);
      if (values.length === 0) return { routers: [] };
      const query = {
        filters: [{ attribute: 'id', operator: 'in', values }],
        sorts: [{ attribute: 'id', direction: 'asc' }],
        reverse: false,
      } as const;
      const { items } = await listRows(db.sql, reading.routers, query, routerScope(context));
      return { routers: items.map(plain) };
    },

    'create_agent_l3-router': async (context, call) => {
      const router_id = routerOf(call);
      await together({ label: 'add_router_to_l3_agent' }, async (tx, verbs) => {
        const router = await lockedRouter(tx, context, router_id);
        const agent = await agentOf(call, tx);
        refuseMismatch(agent, router, disabledServe);
        const holders = await holdersOf(tx, router_id);
        if (holders.includes(agent.id)) return;
        if (!router.ha && holders[0] !== undefined) throw new RouterHostedByL3Agent(router_id, holders[0]);
        if (!(await giveByHand(tx, router_id, agent.id))) throw new RouterSchedulingFailed(router_id, agent.id);
        const messages = new Messages();
        const { notify } = messages;
        const agents = [{ agent_id: agent.id, host: agent.host }];
        await publishAgents(callbacks, 'create', { tx, context, verbs, notify }, router, agents);
        notify(routerAdded(router_id, agent.host));
        messages.send(outbox, tx, context);
      });
      return null;
    },

    'delete_agent_l3-router': async (context, call) => {
      const router_id = call.id ?? '';
      await together({ label: 'remove_router_from_l3_agent' }, async (tx, verbs) => {
        // The agent's errors come before the router's.
        const { mode } = await agentOf(call);
        if (DISTRIBUTED_ONLY.includes(mode)) throw new DVRL3CannotRemoveFromDvrAgent();
        const router = await lockedRouter(tx, context, router_id);
        const { id, host, agent_type } = await agentOf(call, tx);
        const messages = new Messages();
        const { notify } = messages;
        if (await takeRouter(tx, router_id, id)) {
          await publishAgents(callbacks, 'delete', { tx, context, verbs, notify }, router, [{ agent_id: id, host }]);
        }
        // Also where it had none: whoever asks for this believes that the agent serves the router. What else the host has of a
        // distributed router stays, and the agent asks what that is.
        if (agent_type === 'L3 agent') {
          notify(router.distributed ? routerUpdated(router_id, { host }) : routerRemoved(router_id, host));
        }
        messages.send(outbox, tx, context);
      });
    },

    'get_router_l3-agents': async (context, { parents }): Promise<Resource> => {
      const id = parents['router'] ?? '';
      if (!isUuid(id)) throw new RouterNotFound(id);
      const query = {
        filters: [{ attribute: 'router_id', operator: 'in', values: [id] }],
        sorts: [{ attribute: 'place', direction: 'asc' }],
        reverse: false,
      } as const;
      const [router, agents] = await Promise.all([
        showRow(db.sql, reading.routers, id, ['id'], routerScope(context)),
        listRows(db.sql, table, query) as Promise<ResourceList>,
      ]);
      if (router === undefined) throw new RouterNotFound(id);
      return { agents: agents.items };
    },
  };
}
