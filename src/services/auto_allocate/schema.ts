/** The network and router that a project was given. One of each: the key is what two who ask at once meet at. */
import { pgTable, uuid, varchar } from 'drizzle-orm/pg-core';
import { networks } from '#src/db/schema/networks.ts';
import { routers } from '#src/db/schema/routers.ts';

export const autoAllocatedTopologies = pgTable('auto_allocated_topologies', {
  project_id: varchar({ length: 255 }).primaryKey(),
  network_id: uuid()
    .notNull()
    .unique('auto_allocated_topologies_network')
    .references(() => networks.id, { onDelete: 'cascade' }),
  router_id: uuid()
    .unique('auto_allocated_topologies_router')
    .references(() => routers.id, { onDelete: 'set null' }),
});
