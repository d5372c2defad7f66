/**
 * Shares: who else may use an object (neutron.db.rbac_db_models). Each type of object has a table of its own, so that shares go
 * with their object and point to nothing else; the composition is the same for all.
 */
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { index, pgTable, unique, uuid, varchar } from 'drizzle-orm/pg-core';
import { hasId, hasProject } from '../columns.ts';

/** The table `<object>_rbacs` with the column `object_id`; `target_project` is a project's id, or `*` for all. */
export const rbacTable = (object: string, id: () => AnyPgColumn) =>
  pgTable(
    `${object}_rbacs`,
    {
      ...hasId(),
      ...hasProject(),
      object_id: uuid().notNull().references(id, { onDelete: 'cascade' }),
      action: varchar({ length: 255 }).notNull(),
      target_project: varchar({ length: 255 }).notNull(),
    },
    (table) => [
      unique(`${object}_rbacs_once`).on(table.object_id, table.action, table.target_project),
      index().on(table.target_project, table.action),
      index().on(table.project_id),
    ],
  );
