/**
 * Column sets that tables are composed of, where Neutron's models inherit from HasId, HasProject and HasStandardAttributes
 * (neutron_lib.db.model_base, neutron.db.standard_attr). Spread them: `pgTable('ports', {...hasId(), ...hasProject()})`.
 */
import { sql } from 'drizzle-orm';
import { bigint, integer, pgSequence, text, timestamp, uuid, varchar } from 'drizzle-orm/pg-core';

/** Numbers every object that has standard attributes, over all tables: what refers to objects of any kind refers to it. */
export const standardAttrId = pgSequence('standard_attr_id_seq');

export const hasId = () => ({
  id: uuid().primaryKey(),
});

export const hasProject = () => ({
  project_id: varchar({ length: 255 }).notNull(),
});

/** Description, tags, revision and timestamps, as columns of the object's own row: one row to read, lock and write. */
export const hasStandardAttributes = () => ({
  standard_attr_id: bigint({ mode: 'number' }).notNull().default(sql`nextval('standard_attr_id_seq')`),
  description: varchar({ length: 255 }).notNull().default(''),
  /** Each once, in the order of the code points. */
  tags: text().array().notNull().default(sql`'{}'`),
  /** Starts at 0 and grows by one with each committed change; what If-Match compares. */
  revision_number: integer().notNull().default(0),
  created_at: timestamp({ withTimezone: true }).notNull().defaultNow(),
  updated_at: timestamp({ withTimezone: true }).notNull().defaultNow(),
});
