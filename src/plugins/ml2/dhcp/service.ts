/** The verbs that say by hand which agents serve a network. */
import { agentTable, showRows } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { AgentNotFound, BadRequest, NetworkNotFound } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { Call, Resource, ResourceList, Verb } from '#src/lib/plugin.ts';
import { InvalidDHCPAgent, NetworkHostedByDHCPAgent, NetworkNotHostedByDhcpAgent } from './errors.ts';
import { networkGiven, networkTaken } from './messages.ts';
import type { DhcpHost } from './mod.ts';
import type { AgentPorts } from './ports.ts';
import { agentsOf, findAgent, giveByHand, networksOf, takeNetwork } from './store.ts';

/** The network that the body names. */
function networkOf({ body }: Call): string {
  const network_id = body?.['network_id'];
  if (typeof network_id !== 'string') throw new BadRequest('dhcp-networks', 'the body names no network_id');
  return network_id;
}

export function dhcpVerbs(host: DhcpHost, ports: AgentPorts): Readonly<Record<string, Verb>> {
  const { db, outbox } = host;
  const { settings } = host.dhcp;
  // As Neutron answers here and nowhere else: with what other lists of agents leave out.
  const shown = agentTable(settings.downTime);
  const table = {
    ...shown,
    attributes: {
      ...shown.attributes,
      resource_versions: { select: `coalesce(a.resource_versions, '{}')` },
      ha_chassis_priority: { select: 'null::text' },
    },
  };

  /** The agent of the URL; throws AgentNotFound. */
  const agentOf = async ({ parents }: Call) => {
    const id = parents['agent'] ?? '';
    const agent = isUuid(id) ? await findAgent(db.sql, id) : undefined;
    if (agent === undefined) throw new AgentNotFound(id);
    return agent;
  };

  return {
    'get_agent_dhcp-networks': async (context, call) => {
      const { id } = await agentOf(call);
      const values = await networksOf(db.sql, id);
      if (values.length === 0) return { networks: [] };
      const query = {
        filters: [{ attribute: 'id', operator: 'in', values }],
        sorts: [{ attribute: 'id', direction: 'asc' }],
        reverse: false,
      } as const;
      const found = (await ports.verb('get_networks')(context, { parents: {}, query })) as ResourceList;
      return { networks: found.items };
    },

    'create_agent_dhcp-network': async (context: Context, call) => {
      const network_id = networkOf(call);
      const agent = await agentOf(call);
      await db.transaction({ label: 'add_network_to_dhcp_agent' }, async (tx) => {
        if (!isUuid(network_id)) throw new NetworkNotFound(network_id);
        const given = await giveByHand(tx, network_id, agent.id, settings.disabledServe);
        if (given === 'no network') throw new NetworkNotFound(network_id);
        if (given === 'no agent') throw new InvalidDHCPAgent(agent.id);
        if (given === 'has it') throw new NetworkHostedByDHCPAgent(network_id, agent.id);
        await outbox.add(tx, context, [networkGiven(network_id, agent.host)]);
      });
      return null;
    },

    'delete_agent_dhcp-network': async (context: Context, call) => {
      const network_id = call.id ?? '';
      const agent = await agentOf(call);
      const refusal = new NetworkNotHostedByDhcpAgent(network_id, agent.id);
      if (!(await networksOf(db.sql, agent.id)).includes(network_id)) throw refusal;
      // First, so that an agent which is told to leave finds no port to release.
      await ports.reserve(context, [{ network_id, host: agent.host }]);
      await db.transaction({ label: 'remove_network_from_dhcp_agent' }, async (tx) => {
        if (!(await takeNetwork(tx, network_id, agent.id))) throw refusal;
        await outbox.add(tx, context, [networkTaken(network_id, agent.host)]);
      });
    },

    'get_network_dhcp-agents': async (_context, { parents }): Promise<Resource> => {
      const id = parents['network'] ?? '';
      const ids = isUuid(id) ? await agentsOf(db.sql, id) : [];
      return { agents: ids.length === 0 ? [] : await showRows(db.sql, table, ids) };
    },
  };
}
