/**
 * Lists of ports that agents ask for. One that may be too long for a message is asked for in parts: `limit`, and `marker`, the id
 * of the last port of the part before, which may be gone by then. Without them the whole list is answered, or TooManyForOneAnswer.
 */
import { listRows, type Scope, type TableSql } from '#src/db/mod.ts';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Queryable } from '#src/lib/database.ts';
import { TooManyForOneAnswer } from '../errors.ts';

/** Ports in an answer at most: even with every attribute filled they stay below what a message may be. */
const MOST_PORTS = 400;
const BY_ID = [{ attribute: 'id', direction: 'asc' }] as const;

type Filters = Parameters<typeof listRows>[2]['filters'];

export interface PortPage {
  readonly limit?: number | undefined;
  readonly marker?: string | undefined;
}

/** The ports that the filters find, as the API has them, in the order of ids. */
export async function listPorts(
  sql: Queryable,
  reading: TableSql,
  method: string,
  { filters, scope, page }: { readonly filters: Filters; readonly scope?: Scope; readonly page: PortPage },
): Promise<readonly JsonObject[]> {
  const limit = Math.min(page.limit ?? MOST_PORTS, MOST_PORTS);
  // A place among the ids: whether another's port is there is not told.
  const behind: Scope = (parameters) =>
    [page.marker === undefined ? undefined : `p.id > ${parameters.add(page.marker, 'uuid')}`, scope?.(parameters)]
      .filter((condition) => condition !== undefined)
      .join(' and ') || undefined;
  const query = { filters, sorts: BY_ID, limit, reverse: false };
  const { items, more } = await listRows(sql, reading, query, behind);
  if (more && page.limit === undefined) throw new TooManyForOneAnswer(method, limit);
  return items as readonly JsonObject[];
}
