/**
 * Ports by which the agents of hosts lead floating IPs of distributed routers to external networks: one for each agent and network,
 * of nobody's (neutron.db.l3_dvr_db, `create_fip_agent_gw_port_if_not_exists`). They are made when a floating IP needs one or the
 * agent asks, and go when the agent says that it needs it no more, with the agent, or with the network's last gateway.
 *
 * The row of `agent_gateway_ports` is written first: of two who need the port at once the second waits for the first, and has its
 * port.
 */
import { type Context, elevated } from '#src/lib/context.ts';
import type { Queryable } from '#src/lib/database.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import type { RouterHost } from '../host.ts';
import { externalNetworkLeft } from '../notifications/mod.ts';
import { GATEWAY } from '../routers/store.ts';
import { AGENT_GATEWAY, routersOn } from './hosts.ts';

/** An agent that may have a port on a network. */
interface Place {
  readonly agent_id: string;
  readonly port_id: string | null;
  /** Whether a distributed router that is on the host has a gateway on the network. */
  readonly concerned: boolean;
}

/** Where a port is, or is to be. */
export interface GatewayPlace {
  readonly network_id: string;
  readonly host: string;
}

/** Agents in these modes lead floating IPs out of their hosts. */
const MODES = `('dvr', 'dvr_snat')`;

async function placeOf(sql: Queryable, { network_id, host }: GatewayPlace, dhcp: boolean): Promise<Place | undefined> {
  const [place] = await sql.unsafe<Place[]>(
    `select a.id as agent_id, g.port_id, g.port_id is null and exists (
       select 1 from router_ports o join ports p on p.id = o.port_id
       where p.network_id = $1::uuid and o.port_type = '${GATEWAY}' and o.router_id in (
         select router_id from (${routersOn('$2', dhcp)}) d
         union all
         select s.router_id from router_l3_agents s join routers r on r.id = s.router_id and r.distributed
         where s.agent_id = a.id)) as concerned
     from agents a left join agent_gateway_ports g on g.agent_id = a.id and g.network_id = $1::uuid
     where a.host = $2 and a.agent_type = 'L3 agent' and a.configurations->>'agent_mode' in ${MODES}`,
    [network_id, host],
    { prepare: true },
  );
  return place;
}

export interface AgentGateways {
  /** The id of the port; made where there is none. Undefined: the host has no agent for one, or no router that needs it. */
  ensure(context: Context, place: GatewayPlace): Promise<string | undefined>;
  /** Takes it away, if it is there. */
  release(context: Context, place: GatewayPlace): Promise<void>;
  /** The same of all that an agent has. */
  releaseAgent(context: Context, agent_id: string): Promise<void>;
  /** The same of all on a network that no distributed router leads to any more; their agents are told. */
  releaseNetwork(context: Context, network_id: string): Promise<void>;
}

interface GatewayPort {
  readonly port_id: string;
  readonly host: string;
}

/** Ports with the hosts of their agents, as a condition on the row `g` and the agent `a` has them. */
const portsWhere = (condition: string) => (sql: Queryable, id: string, host: string | null) =>
  sql.unsafe<(GatewayPort & Record<string, unknown>)[]>(
    `select g.port_id, a.host from agent_gateway_ports g join agents a on a.id = g.agent_id
     where g.port_id is not null and (${condition}) and ($2::text is null or a.host = $2) order by g.port_id`,
    [id, host],
    { prepare: true },
  );

const OF_PLACE = portsWhere('g.network_id = $1::uuid');
const OF_AGENT = portsWhere('g.agent_id = $1::uuid');
const OF_NETWORK_LEFT = portsWhere(`g.network_id = $1::uuid and not exists (
  select 1 from ports p join router_ports o on o.port_id = p.id join routers r on r.id = o.router_id
  where p.network_id = g.network_id and o.port_type = '${GATEWAY}' and r.distributed)`);

export function agentGateways({ acting, config, db, outbox, together }: RouterHost): AgentGateways {
  const dhcp = config.boolean('DEFAULT', 'host_dvr_for_dhcp');

  const remove = async (
    context: Context,
    find: (sql: Queryable) => Promise<readonly GatewayPort[]>,
    tell: (hosts: readonly string[]) => readonly Notification[] = () => [],
  ): Promise<void> => {
    // Whoever asks twice asks for nothing the second time.
    if ((await find(db.sql)).length === 0) return;
    const own = acting.as(elevated(context));
    try {
      await together({ label: 'delete_agent_gateway_ports' }, async (tx, verbs) => {
        const found = await find(tx);
        for (const { port_id } of found) await verbs['delete_port']?.(own, { id: port_id, parents: {} });
        const told = found.length === 0 ? [] : tell(found.map(({ host }) => host));
        if (told.length > 0) await outbox.add(tx, context, told);
      });
    } catch (error) {
      if (!(error instanceof NeutronError && error.type === 'PortNotFound')) throw error;
      await remove(context, find, tell);
    }
  };

  return {
    async ensure(context, { network_id, host }) {
      const place = await placeOf(db.sql, { network_id, host }, dhcp);
      if (place === undefined) return undefined;
      const { agent_id, port_id, concerned } = place;
      if (port_id !== null) return port_id;
      if (!concerned) return undefined;
      const body = {
        ...{ project_id: '', network_id, device_id: agent_id, device_owner: AGENT_GATEWAY, name: '' },
        ...{ admin_state_up: true, 'binding:host_id': host },
      };
      return await together({ label: 'create_agent_gateway_port' }, async (tx, verbs) => {
        const mine = await tx`
          insert into agent_gateway_ports (network_id, agent_id)
          select ${network_id}, id from agents where id = ${agent_id}
          on conflict do nothing returning 1`;
        if (mine.length === 0) {
          const [other] = await tx<{ port_id: string }[]>`
            select port_id from agent_gateway_ports where network_id = ${network_id} and agent_id = ${agent_id}`;
          return other?.port_id;
        }
        const own = acting.as(elevated(context));
        const port = (await verbs['create_port']?.(own, { parents: {}, body })) as Resource;
        const id = String(port['id']);
        await tx`
          update agent_gateway_ports set port_id = ${id} where network_id = ${network_id} and agent_id = ${agent_id}`;
        return id;
      });
    },

    release: (context, { network_id, host }) => remove(context, (sql) => OF_PLACE(sql, network_id, host)),

    releaseAgent: (context, agent_id) => remove(context, (sql) => OF_AGENT(sql, agent_id, null)),

    releaseNetwork: (context, network_id) =>
      remove(
        context,
        (sql) => OF_NETWORK_LEFT(sql, network_id, null),
        (hosts) => [externalNetworkLeft(network_id, hosts)],
      ),
  };
}
