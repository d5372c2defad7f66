/**
 * Quotas in PostgreSQL. What a project has is a row for each resource, which creations and deletions keep in their own
 * transactions; there is one only for projects that have a limit: it is made by a count when the first of them creates
 * something, and setting the limit to unlimited takes it away. Charging is one statement, the function `charge_quota` of the
 * migrations, which tells why that is exact.
 */
import type { Queryable, Statement, Transaction } from '#src/lib/database.ts';
import type { QuotaResource } from '#src/lib/quota.ts';

/** The constraint that `charge_quota` names when it refuses; the error's detail has the resources, comma between. */
export const LIMIT_EXCEEDED = 'quota_limit';

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

/** Charges all; with `refusing` it fails where a limit is exceeded. */
export function charge(tx: Transaction, project: string, charges: readonly Charge[], refusing: boolean): Statement {
  const rows = charges.map(({ resource: { name, limit, table, tables }, delta }) => ({
    resource: name,
    delta,
    standard: limit,
    tables: tables ?? [table],
    kept: tables === undefined,
  }));
  return tx.unsafe('select charge_quota($1::text, $2::json, $3::boolean)', [project, rows as never, refusing], {
    prepare: true,
  });
}

/** The number of the project's rows. */
function counted(sql: Queryable, { table, tables = [table] }: QuotaResource, project: string) {
  const counts = tables.map((name) => sql`(SELECT count(*) FROM ${sql(name)} WHERE project_id = ${project})`);
  const sum = counts.reduce((all, next) => sql`${all} + ${next}`, sql`0`);
  return sql`(${sum})::int`;
}

/**
 * Limits and usage as they are committed; takes no lock. Without a usage row the objects are counted, but not those that have no
 * limit where only limits are of interest: then 0.
 */
export async function readStandings(
  sql: Queryable,
  project: string,
  resources: readonly LimitedResource[],
  { uncountedIfUnlimited = false } = {},
): Promise<readonly Standing[]> {
  if (resources.length === 0) return [];
  const [first, ...rest] = resources.map(
    (resource) => sql`
      SELECT l.resource, l."limit", CASE WHEN l."limit" < 0 AND ${uncountedIfUnlimited} THEN 0 ELSE
        coalesce((SELECT in_use FROM quota_usages
            WHERE project_id = ${project} AND resource = ${resource.name} AND ${resource.tables === undefined}),
          ${counted(sql, resource, project)}) END AS used
      FROM (SELECT ${resource.name}::text AS resource, coalesce(
        (SELECT "limit" FROM quotas WHERE project_id = ${project} AND resource = ${resource.name}),
        ${resource.limit}::int) AS "limit") l`,
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

/** Sets limits, in the order of names. Where there is none any more, nobody counts from now on. */
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
  await forget(
    tx,
    project,
    names.filter((name) => limits.get(name)! < 0),
  );
}

/** Takes a project's limits away; says how many there were. */
export async function removeLimits(sql: Queryable, project: string): Promise<number> {
  return (await sql`DELETE FROM quotas WHERE project_id = ${project}`).count;
}

/** Takes usage rows away, for resources of which the project has no limit; waits for all who charge them now. */
export async function forget(tx: Transaction, project: string, names: readonly string[]): Promise<void> {
  if (names.length > 0) await tx`SELECT forget_quota(${project}, name) FROM unnest(${names}::text[]) AS n(name)`;
}

/** Projects that have a usage row of the resource, with their limits. */
export function usages(
  sql: Queryable,
  { name, limit }: LimitedResource,
): Promise<readonly { readonly project_id: string; readonly limit: number }[]> {
  return sql`
    SELECT u.project_id, quota_limit_of(u.project_id, u.resource, ${limit}::int) AS "limit"
    FROM quota_usages u WHERE u.resource = ${name} ORDER BY u.project_id`;
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
    UPDATE quota_usages SET in_use = ${counted(tx, resource, project)}
    WHERE project_id = ${project} AND resource = ${resource.name} RETURNING in_use`;
  return { was: before.in_use, is: after!.in_use };
}
