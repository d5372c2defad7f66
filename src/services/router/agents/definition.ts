/**
 * The extensions `l3_agent_scheduler` (neutron.extensions.l3agentscheduler), the routers of an agent and the agents of a router,
 * and `router_availability_zone` (neutron_lib.api.definitions.router_availability_zone).
 */
import { READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { listOf, OBJECT, objectOf, TEXT, UUID } from '#src/lib/api/schema.ts';

const ROUTERS_OF_AGENT: ResourceDefinition = {
  collection: 'l3-routers',
  member: 'l3-router',
  parent: { collection: 'agents', member: 'agent' },
  operations: ['list', 'create', 'delete'],
  attributes: {},
  raw: true,
  quota: false,
  policy_names: { list: 'get_l3-routers', create: 'create_l3-router', delete: 'delete_l3-router' },
  requests: { create: objectOf({ router_id: UUID }) },
  responses: { list: objectOf({ routers: listOf(OBJECT) }), create: { type: 'null' } },
};

const AGENTS_OF_ROUTER: ResourceDefinition = {
  collection: 'l3-agents',
  member: 'l3-agent',
  parent: { collection: 'routers', member: 'router' },
  operations: ['list'],
  attributes: {},
  raw: true,
  quota: false,
  policy_names: { list: 'get_l3-agents' },
  responses: { list: objectOf({ agents: listOf(OBJECT) }) },
};

export const L3_AGENT_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'l3_agent_scheduler',
    name: 'L3 Agent Scheduler',
    description: 'Schedule routers among l3 agents',
    updated: '2013-02-07T10:00:00-00:00',
    required_extensions: ['router', 'agent'],
    resources: [ROUTERS_OF_AGENT, AGENTS_OF_ROUTER],
  },
  {
    alias: 'router_availability_zone',
    name: 'Router Availability Zone',
    description: 'Routers name the availability zones that are to serve them',
    updated: '2015-01-01T10:00:00-00:00',
    required_extensions: ['router', 'availability_zone'],
    attributes: {
      routers: {
        availability_zones: { ...READ_ONLY, response: listOf(TEXT) },
        availability_zone_hints: {
          allow_post: true,
          allow_put: false,
          default: [],
          validate: { 'type:availability_zone_hint_list': null },
          is_visible: true,
        },
      },
    },
  },
];
