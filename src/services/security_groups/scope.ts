/** What a caller sees, as conditions inside the queries: its own groups and those that are shared with it. */
import type { Scope } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';

/** Whether the caller sees everything. */
const seesAll = (context: Context): boolean => context.is_admin || context.is_advsvc || context.is_service;

const limited =
  (condition: (project: string) => string) =>
  (context: Context): Scope =>
  (parameters) =>
    seesAll(context) ? undefined : `(${condition(parameters.add(context.project_id, 'text'))})`;

/** Ids of the objects of a table of shares that the project may use. */
export const sharedWith = (table: string, project: string): string =>
  `array(select s.object_id from ${table} s where s.target_project in (${project}, '*') and s.action = 'access_as_shared')`;

export const groupScope = limited(
  (project) => `g.project_id = ${project} or g.id = any(${sharedWith('security_group_rbacs', project)})`,
);

/** Of a group that is shared, its rules stand in the group; only the owner sees them by themselves. */
export const ruleScope = limited(
  (project) =>
    `r.project_id = ${project} or r.security_group_id = any(array(select id from security_groups where project_id = ${project}))`,
);

export const addressGroupScope = limited(
  (project) => `a.project_id = ${project} or a.id = any(${sharedWith('address_group_rbacs', project)})`,
);

export const statefulnessScope = limited((project) => `d.project_id = ${project}`);
