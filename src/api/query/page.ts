/** `limit`, `marker` and `page_reverse`. */
import { BadRequest } from '#src/lib/errors.ts';

export interface Page {
  /** Undefined: everything. */
  readonly limit: number | undefined;
  readonly marker: string | undefined;
  readonly reverse: boolean;
}

function requestedLimit(params: URLSearchParams): number {
  const text = params.get('limit') ?? '';
  if (text === '') return 0;
  if (!/^\+?\d+$/.test(text)) {
    throw new BadRequest('limit', `Limit must be an integer 0 or greater and not '${text}'`);
  }
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** Reads the page; 0 or no limit at all is the configured maximum, if there is one. */
export function parsePage(params: URLSearchParams, maxLimit: number | undefined): Page {
  const asked = requestedLimit(params) || undefined;
  const limit = asked === undefined ? maxLimit : Math.min(asked, maxLimit ?? asked);
  const marker = params.get('marker') ?? '';
  return {
    limit,
    marker: marker === '' ? undefined : marker,
    reverse: (params.get('page_reverse') ?? '').toLowerCase() === 'true',
  };
}

/** `pagination_max_limit`: a number, or no limit for "infinite", negative numbers and 0. */
export function maxLimit(configured: string): number | undefined {
  const limit = Number(configured);
  return Number.isInteger(limit) && limit > 0 ? limit : undefined;
}
