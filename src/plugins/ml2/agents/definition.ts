/** The extensions `agent`, `agent_sort_key`, `agent-resources-synced` and `availability_zone` (neutron_lib.api.definitions). */
import { ATTR_NOT_SPECIFIED, type AttributeSpec } from '#src/lib/api/attributes.ts';
import { READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { BOOLEAN, OBJECT, orNull, PLAIN_TIME, TEXT } from '#src/lib/api/schema.ts';

const FILTER = { ...READ_ONLY, is_filter: true, is_sort_key: true, response: TEXT } as const satisfies AttributeSpec;
const TIMED = { ...READ_ONLY, is_sort_key: true, response: PLAIN_TIME } as const satisfies AttributeSpec;

const AGENTS: ResourceDefinition = {
  collection: 'agents',
  member: 'agent',
  operations: ['list', 'show', 'update', 'delete'],
  quota: false,
  attributes: {
    id: { ...FILTER, validate: { 'type:uuid': null }, primary_key: true },
    agent_type: FILTER,
    binary: FILTER,
    topic: FILTER,
    host: FILTER,
    admin_state_up: { ...FILTER, allow_put: true, convert_to: 'convert_to_boolean', response: BOOLEAN },
    created_at: TIMED,
    started_at: TIMED,
    heartbeat_timestamp: TIMED,
    alive: { ...FILTER, response: BOOLEAN },
    configurations: { ...READ_ONLY, response: OBJECT },
    description: { ...FILTER, allow_put: true, validate: { 'type:string_or_none': 255 }, response: orNull(TEXT) },
  },
};

const AVAILABILITY_ZONES: ResourceDefinition = {
  collection: 'availability_zones',
  member: 'availability_zone',
  operations: ['list'],
  key: 'name',
  quota: false,
  attributes: {
    name: { ...READ_ONLY, is_filter: true, response: TEXT },
    resource: { ...READ_ONLY, is_filter: true, response: TEXT },
    state: { ...READ_ONLY, is_filter: true, response: TEXT },
  },
};

export const agentExtensions: readonly ExtensionDefinition[] = [
  {
    alias: 'agent',
    name: 'agent',
    description: 'The agent management extension.',
    updated: '2013-02-03T10:00:00-00:00',
    resources: [AGENTS],
  },
  {
    alias: 'agent_sort_key',
    name: 'Agents Sort Key',
    description: 'Agents can be sorted by their attributes.',
    updated: '2013-02-03T10:00:00-00:00',
    required_extensions: ['agent'],
  },
  {
    alias: 'agent-resources-synced',
    name: "Agent's Resource View Synced to Placement",
    description: "Whether an agent's resources have been reported to Placement.",
    updated: '2018-12-19T00:00:00-00:00',
    required_extensions: ['agent'],
    attributes: {
      agents: { resources_synced: { ...READ_ONLY, default: ATTR_NOT_SPECIFIED, response: orNull(BOOLEAN) } },
    },
  },
  {
    alias: 'availability_zone',
    name: 'Availability Zone',
    description: 'Availability zones of agents.',
    updated: '2015-01-01T10:00:00-00:00',
    required_extensions: ['agent'],
    resources: [AVAILABILITY_ZONES],
    attributes: { agents: { availability_zone: { ...FILTER, response: orNull(TEXT) } } },
  },
  {
    alias: 'availability_zone_filter',
    name: 'Availability Zone Filter Extension',
    description: 'Availability zones are found by name, resource and state.',
    updated: '2018-06-22T10:00:00-00:00',
    required_extensions: ['availability_zone'],
  },
];
