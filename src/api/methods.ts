/** What is there to be read only. */
import { methodNotAllowed } from './errors.ts';
import type { ApiContext } from './state.ts';

/** Throws 405 unless the request reads. */
export function onlyRead(c: ApiContext): void {
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') throw methodNotAllowed(c.req.method);
}
