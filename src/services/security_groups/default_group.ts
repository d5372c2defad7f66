/**
 * The default group of a project: made when it is first needed, by a list of groups, a new group, a port or a network. It is
 * counted against the project's limits, and never refused by them. That there is one is up to a unique index.
 */
import { showRows } from '#src/db/mod.ts';
import type { ListQuery } from '#src/lib/api/query.ts';
import type { CallbackRegistry } from '#src/lib/callbacks.ts';
import type { Context } from '#src/lib/context.ts';
import type { Database, Transaction } from '#src/lib/database.ts';
import type { Resource, ResourceList } from '#src/lib/plugin.ts';
import type { Quota } from '#src/lib/quota.ts';
import { publisher } from './callbacks.ts';
import { groupReading } from './reading.ts';
import { defaultGroup, makeGroups, withoutDefaultGroup } from './store.ts';

export interface DefaultGroupHost {
  readonly callbacks: CallbackRegistry;
  readonly quota: Quota;
}

/** Makes the default groups that the projects lack; answers those made, of which the caller publishes `after_create`. */
export async function makeDefaultGroups(
  { callbacks, quota }: DefaultGroupHost,
  tx: Transaction,
  context: Context,
  projects: readonly string[],
): Promise<readonly Resource[]> {
  const made = await makeGroups(tx, projects.map(defaultGroup));
  if (made.length === 0) return [];
  const resources = await showRows(
    tx,
    groupReading(context),
    made.map(({ id }) => id),
  );
  await publisher(callbacks, 'security_group').precommitCreate(tx, context, resources);
  for (const { project_id, rules } of made) {
    await quota.count(tx, project_id, { security_group: 1, security_group_rule: rules });
  }
  return resources;
}

/** A list of groups or of rules, which shows the default group of the project that it is about: made now if there is none. */
export async function listWithDefaultGroup(
  host: DefaultGroupHost & { readonly db: Database },
  context: Context,
  query: ListQuery,
  list: () => Promise<ResourceList>,
): Promise<ResourceList> {
  const project = askedProject(context, query);
  if (project === undefined) return await list();
  // One after the other: a group that somebody else has just made is in the list, or is made here.
  const lacking = await withoutDefaultGroup(host.db.sql, [project]);
  if (lacking.length > 0) {
    const made = await host.db.transaction({ label: 'create_security_group' }, (tx) =>
      makeDefaultGroups(host, tx, context, lacking),
    );
    await publisher(host.callbacks, 'security_group').afterCreate(context, made);
  }
  return await list();
}

/** What the column for a project's id holds. */
const LONGEST_ID = 255;

/** The project that the list is about, the first it filters by or the caller's own, where the caller may make groups in it. */
function askedProject(context: Context, query: ListQuery): string | undefined {
  if (context.project_id === null) return undefined;
  const asked = query.filters.find(({ attribute }) => attribute === 'project_id')?.values[0] ?? context.project_id;
  if (typeof asked !== 'string' || asked === '' || asked.length > LONGEST_ID) return undefined;
  return asked === context.project_id || context.is_admin ? asked : undefined;
}
