/**
 * The extension `dhcp_agent_scheduler` (neutron_lib.api.definitions.dhcpagentscheduler): the networks of an agent, and the agents
 * of a network.
 */
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { listOf, OBJECT, objectOf, UUID } from '#src/lib/api/schema.ts';

const NETWORKS_OF_AGENT: ResourceDefinition = {
  collection: 'dhcp-networks',
  member: 'dhcp-network',
  parent: { collection: 'agents', member: 'agent' },
  operations: ['list', 'create', 'delete'],
  attributes: {},
  raw: true,
  quota: false,
  policy_names: { list: 'get_dhcp-networks', create: 'create_dhcp-network', delete: 'delete_dhcp-network' },
  requests: { create: objectOf({ network_id: UUID }) },
  responses: { list: objectOf({ networks: listOf(OBJECT) }), create: { type: 'null' } },
};

const AGENTS_OF_NETWORK: ResourceDefinition = {
  collection: 'dhcp-agents',
  member: 'dhcp-agent',
  parent: { collection: 'networks', member: 'network' },
  operations: ['list'],
  attributes: {},
  raw: true,
  quota: false,
  policy_names: { list: 'get_dhcp-agents' },
  responses: { list: objectOf({ agents: listOf(OBJECT) }) },
};

export const DHCP_AGENT_SCHEDULER: ExtensionDefinition = {
  alias: 'dhcp_agent_scheduler',
  name: 'DHCP Agent Scheduler',
  description: 'Schedule networks among dhcp agents',
  updated: '2013-02-07T10:00:00-00:00',
  required_extensions: ['agent'],
  resources: [NETWORKS_OF_AGENT, AGENTS_OF_NETWORK],
};
