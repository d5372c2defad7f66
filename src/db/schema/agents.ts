/** Agents as they report themselves, what is known of their processes' connections, and what is scheduled to them. */
import {
  bigint,
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  smallint,
  timestamp,
  unique,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { hasId } from '../columns.ts';
import { networks } from './networks.ts';

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

/** Which DHCP agents serve a network. The place makes two schedulers that choose at once meet: there is one agent in each. */
export const networkDhcpAgents = pgTable(
  'network_dhcp_agents',
  {
    network_id: uuid()
      .notNull()
      .references(() => networks.id, { onDelete: 'cascade' }),
    agent_id: uuid()
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    /** 1, 2, ... up to `dhcp_agents_per_network`, and further by hand. */
    place: smallint().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network_id, table.agent_id] }),
    unique('network_dhcp_agents_place').on(table.network_id, table.place),
    index().on(table.agent_id),
  ],
);
