/** Agents as they report themselves, and what is known of their processes' connections. */
import { bigint, boolean, integer, json, pgTable, primaryKey, timestamp, unique, varchar } from 'drizzle-orm/pg-core';
import { hasId } from '#src/db/columns.ts';

const time = () => timestamp({ withTimezone: true }).notNull();

export const agents = pgTable(
  'agents',
  {
    ...hasId(),
    agent_type: varchar({ length: 255 }).notNull(),
    binary: varchar({ length: 255 }).notNull(),
    topic: varchar({ length: 255 }).notNull(),
    host: varchar({ length: 255 }).notNull(),
    admin_state_up: boolean().notNull(),
    availability_zone: varchar({ length: 255 }),
    created_at: time(),
    started_at: time(),
    heartbeat_timestamp: time(),
    description: varchar({ length: 255 }),
    // json, not jsonb: what agents say is given back as they said it.
    configurations: json().notNull(),
    resource_versions: json(),
    load: integer().notNull().default(0),
    resources_synced: boolean(),
  },
  (table) => [unique('uniq_agents0agent_type0host').on(table.agent_type, table.host)],
);

/** The newest birth of a process, and whether its will has come since. A process may connect before it reports. */
export const agentPresence = pgTable(
  'agent_presence',
  {
    host: varchar({ length: 255 }).notNull(),
    binary: varchar({ length: 255 }).notNull(),
    epoch: bigint({ mode: 'number' }).notNull(),
    alive: boolean().notNull(),
    changed_at: time(),
  },
  (table) => [primaryKey({ columns: [table.host, table.binary] })],
);
