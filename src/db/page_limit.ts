/** The limit of a page, in a form that PostgreSQL plans well for. */
import type { Parameters } from './sql_text.ts';

/** From here on a page is as good as everything. */
const HUGE = 65_536;

/**
 * The statement with at most so many rows. Of a limit that is a parameter a prepared plan knows nothing and expects a tenth of
 * all rows, so it would sort the whole table for a page. A power of two inside tells it enough, and the parameter around
 * it keeps the statement's text the same for many limits.
 */
export function limited(text: string, limit: number | undefined, parameters: Parameters): string {
  if (limit === undefined) return text;
  const most = parameters.add(limit, 'bigint');
  if (limit > HUGE) return `${text} limit ${most}`;
  return `select * from (${text} limit ${2 ** Math.ceil(Math.log2(limit))}) page limit ${most}`;
}
