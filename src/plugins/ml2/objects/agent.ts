/** The object Agent 1.1: an agent's own host may ask for it. What counts as its revision is when it has last reported. */
import { apiTime, audienceOf, objectType } from '#src/db/mod.ts';
import type { VersionedObjectType } from '#src/lib/rpc.ts';
import { columnFilters } from './fields.ts';

export const agentObject: VersionedObjectType = objectType({
  name: 'Agent',
  version: '1.1',
  from: 'agents a',
  key: 'a.id',
  revision: `extract(epoch from date_trunc('second', a.heartbeat_timestamp))`,
  data: {
    columns: {
      id: 'a.id',
      agent_type: 'a.agent_type',
      binary: 'a."binary"',
      topic: 'a.topic',
      host: 'a.host',
      availability_zone: 'a.availability_zone',
      admin_state_up: 'a.admin_state_up',
      started_at: apiTime('a.started_at'),
      created_at: apiTime('a.created_at'),
      heartbeat_timestamp: apiTime('a.heartbeat_timestamp'),
      description: 'a.description',
      load: 'a.load',
      resources_synced: 'a.resources_synced',
    },
    // As agents have said them, nulls and all.
    others: { configurations: 'a.configurations', resource_versions: 'a.resource_versions' },
  },
  filters: columnFilters('a', {
    id: 'uuid',
    agent_type: 'text',
    binary: 'text',
    topic: 'text',
    host: 'text',
    availability_zone: 'text',
    admin_state_up: 'boolean',
    description: 'text',
    load: 'integer',
  }),
  concerns: (host) => `a.host = ${host}`,
  audience: audienceOf('select a.id, a.host from agents a where a.id = any($1::uuid[])'),
});
