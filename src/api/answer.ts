/**
 * Answers as the API writes them. Headers go in as a plain record and once, because a server that is given one need not
 * build a Headers object for each answer.
 */
import type { NeutronError } from '#src/lib/errors.ts';
import { errorBody } from './faults.ts';
import type { ApiContext } from './state.ts';

type HeaderRecord = Record<string, string>;

function headersOf(c: ApiContext, type: string | undefined, more: Readonly<HeaderRecord> | undefined): HeaderRecord {
  const headers: HeaderRecord = { ...more };
  if (type !== undefined) headers['Content-Type'] = type;
  const id = c.env.trace.request_id;
  if (id !== undefined) {
    headers['X-Openstack-Request-Id'] = id;
    c.env.trace.identified = true;
  }
  return headers;
}

/** An answer with a JSON body. */
export function answerJson(c: ApiContext, status: number, body: unknown, headers?: Readonly<HeaderRecord>): Response {
  return new Response(JSON.stringify(body), { status, headers: headersOf(c, 'application/json', headers) });
}

/** An answer in plain text, or text of another type. */
export function answerText(
  c: ApiContext,
  status: number,
  text: string,
  type = 'text/plain; charset=UTF-8',
  headers?: Readonly<HeaderRecord>,
): Response {
  return new Response(text, { status, headers: headersOf(c, type, headers) });
}

/** An answer without a body. */
export function answerEmpty(c: ApiContext, status: number): Response {
  return new Response(null, { status, headers: headersOf(c, undefined, undefined) });
}

/** The answer to an error. */
export function answerError(c: ApiContext, error: NeutronError): Response {
  return answerJson(c, error.status, errorBody(error), error.headers);
}
