/**
 * Quotas in PostgreSQL. Usage is a row for each project and resource, made from a count when it is first charged and then
 * kept by the transactions themselves; its row lock is what makes limits exact, so a charge comes last in a transaction.
 *
 * Why the count is safe: whoever changes a project's objects charges that one key. The first to insert the row counts what
 * is committed and what is its own; all others wait for the key and then add their own change.
 */
import type { Queryable, Transaction } from '#src/lib/database.ts';
import type { QuotaResource } from '#src/lib/quota.ts';

/** A resource with the limit of projects that have none of their own. */
export interface LimitedResource extends QuotaResource {
  readonly limit: number;
}

export interface Charge {
  readonly resource: LimitedResource;
  readonly delta: number;
}

export interface Standing {
  readonly resource: string;
  readonly limit: number;
  readonly used: number;
}

interface Charged {
  readonly resource: string;
  readonly limit: number;
  readonly in_use: number;
}

/** Adds to the usage rows and answers what stands in them now. Locks in the order of names, so that charges never deadlock. */
export async function charge(
  tx: Transaction,
  project: string,
  charges: readonly Charge[],
): Promise<readonly Standing[]> {
  const ordered = charges.toSorted((one, other) => (one.resource.name < other.resource.name ? -1 : 1));
  const rows =
    ordered.length === 1 ? await chargeOne(tx, project, ordered[0]!) : await chargeSeveral(tx, project, ordered);
  const standings: Standing[] = rows.map((row) => ({ resource: row.resource, limit: row.limit, used: row.in_use }));
  for (const charged of ordered) {
    if (rows.some((row) => row.resource === charged.resource.name)) continue;
    standings.push(await chargeFirst(tx, project, charged));
  }
  return standings;
}

function chargeOne(tx: Transaction, project: string, { resource, delta }: Charge): Promise<readonly Charged[]> {
  return tx<Charged[]>`
    UPDATE quota_usages SET in_use = greatest(in_use + ${delta}::int, 0)
    WHERE project_id = ${project} AND resource = ${resource.name}
    RETURNING resource, in_use, coalesce(
      (SELECT q."limit" FROM quotas q WHERE q.project_id = ${project} AND q.resource = ${resource.name}),
      ${resource.limit}::int) AS "limit"`;
}

function chargeSeveral(tx: Transaction, project: string, charges: readonly Charge[]): Promise<readonly Charged[]> {
  const names = charges.map(({ resource }) => resource.name);
  return tx<Charged[]>`
    WITH locked AS MATERIALIZED (
      SELECT u.resource FROM quota_usages u
      WHERE u.project_id = ${project} AND u.resource = ANY(${names}::text[])
      ORDER BY u.resource FOR UPDATE
    ), asked AS (
      SELECT * FROM unnest(${names}::text[], ${charges.map(({ delta }) => delta)}::int[],
        ${charges.map(({ resource }) => resource.limit)}::int[]) AS a(resource, delta, standard)
    )
    UPDATE quota_usages u SET in_use = greatest(u.in_use + asked.delta, 0)
    FROM locked JOIN asked USING (resource)
    WHERE u.project_id = ${project} AND u.resource = locked.resource
    RETURNING u.resource, u.in_use, coalesce(
      (SELECT q."limit" FROM quotas q WHERE q.project_id = ${project} AND q.resource = u.resource), asked.standard) AS "limit"`;
}

/** The objects that this transaction has written are in the count already; the delta counts where somebody else was first. */
async function chargeFirst(tx: Transaction, project: string, { resource, delta }: Charge): Promise<Standing> {
  const [row] = await tx<Charged[]>`
    INSERT INTO quota_usages AS u (project_id, resource, in_use)
    SELECT ${project}::text, ${resource.name}::text, count(*)::int FROM ${tx(resource.table)} WHERE project_id = ${project}
    ON CONFLICT (project_id, resource) DO UPDATE SET in_use = greatest(u.in_use + ${delta}::int, 0)
    RETURNING resource, in_use, coalesce(
      (SELECT q."limit" FROM quotas q WHERE q.project_id = ${project} AND q.resource = ${resource.name}),
      ${resource.limit}::int) AS "limit"`;
  return { resource: row!.resource, limit: row!.limit, used: row!.in_use };
}

/** Limits and usage as they are committed; takes no lock. Without a usage row the objects are counted. */
export async function readStandings(
  sql: Queryable,
  project: string,
  resources: readonly LimitedResource[],
): Promise<readonly Standing[]> {
  if (resources.length === 0) return [];
  const [first, ...rest] = resources.map(
    (resource) => sql`
      SELECT ${resource.name}::text AS resource,
        coalesce((SELECT "limit" FROM quotas WHERE project_id = ${project} AND resource = ${resource.name}),
          ${resource.limit}::int) AS "limit",
        coalesce((SELECT in_use FROM quota_usages WHERE project_id = ${project} AND resource = ${resource.name}),
          (SELECT count(*)::int FROM ${sql(resource.table)} WHERE project_id = ${project})) AS used`,
  );
  const all = rest.reduce((union, next) => sql`${union} UNION ALL ${next}`, first!);
  return sql<Standing[]>`${all}`;
}

/** The limits that are set, of one project or of all, ordered by project. */
export function readLimits(
  sql: Queryable,
  project?: string,
): Promise<readonly { readonly project_id: string; readonly resource: string; readonly limit: number }[]> {
  return sql`
    SELECT project_id, resource, "limit" FROM quotas
    ${project === undefined ? sql`` : sql`WHERE project_id = ${project}`} ORDER BY project_id, resource`;
}

/** Sets limits, in the order of names. */
export async function writeLimits(
  tx: Transaction,
  project: string,
  limits: ReadonlyMap<string, number>,
): Promise<void> {
  const names = [...limits.keys()].toSorted();
  await tx`
    INSERT INTO quotas (project_id, resource, "limit")
    SELECT ${project}::text, resource, "limit"
    FROM unnest(${names}::text[], ${names.map((name) => limits.get(name)!)}::int[]) AS l(resource, "limit")
    ON CONFLICT (project_id, resource) DO UPDATE SET "limit" = excluded."limit"`;
}

/** Takes a project's limits away; says how many there were. */
export async function removeLimits(sql: Queryable, project: string): Promise<number> {
  return (await sql`DELETE FROM quotas WHERE project_id = ${project}`).count;
}

/** The keys of all usage rows of a resource. */
export async function usageProjects(sql: Queryable, resource: string): Promise<readonly string[]> {
  const rows = await sql<{ project_id: string }[]>`
    SELECT project_id FROM quota_usages WHERE resource = ${resource} ORDER BY project_id`;
  return rows.map((row) => row.project_id);
}

/**
 * Counts the objects again and answers what the row said before and says now. Two statements on purpose: the second one's
 * snapshot is taken under the lock, when all who charged have committed and all others wait.
 */
export async function recount(
  tx: Transaction,
  project: string,
  resource: QuotaResource,
): Promise<{ readonly was: number; readonly is: number } | null> {
  const [before] = await tx<{ in_use: number }[]>`
    SELECT in_use FROM quota_usages WHERE project_id = ${project} AND resource = ${resource.name} FOR UPDATE`;
  if (before === undefined) return null;
  const [after] = await tx<{ in_use: number }[]>`
    UPDATE quota_usages SET in_use = (SELECT count(*)::int FROM ${tx(resource.table)} WHERE project_id = ${project})
    WHERE project_id = ${project} AND resource = ${resource.name} RETURNING in_use`;
  return { was: before.in_use, is: after!.in_use };
}
