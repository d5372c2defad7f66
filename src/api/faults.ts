/**
 * From what was thrown to what a client may see. Errors of ours carry their own type, status and message; several at once
 * (a bulk create) are told as Neutron tells them; that the database is away is no fault of the request (503); anything else is a
 * defect: it is logged whole with the request's id, and the client gets a fixed text.
 */
import { defineError, HttpServiceUnavailable, NeutronError } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { isUnavailable } from '#src/lib/unavailable.ts';

const InternalServerError = defineError(
  'HTTPInternalServerError',
  500,
  () => 'Request Failed: internal server error while processing your request.',
);
const Conflict = defineError('Conflict', 409, (text: string) => text);

/** The wire's shape of an error. */
export function errorBody(error: NeutronError): unknown {
  return { NeutronError: { type: error.type, message: error.message, detail: '' } };
}

/** Several errors as one: of the first one's type when they share a status, else a conflict with a line for each. */
function combined(errors: readonly NeutronError[]): NeutronError {
  const first = errors[0]!;
  if (errors.every((error) => error.status === first.status)) {
    const message = errors.map((error) => error.message).join('\n');
    return new NeutronError(first.type, first.status, message, { headers: first.headers });
  }
  return new Conflict(errors.map((error) => `HTTP ${error.status} ${error.type}: ${error.message}`).join('\n'));
}

/** The error to answer; a defect is logged on the way. */
export function toNeutronError(error: unknown, log: Logger, fields: Readonly<Record<string, unknown>>): NeutronError {
  if (error instanceof NeutronError) {
    if (error.status >= 500) log.error('request failed', { ...fields, type: error.type, error });
    return error;
  }
  if (error instanceof AggregateError && error.errors.length > 0) {
    const errors: readonly unknown[] = error.errors;
    if (errors.every((inner) => inner instanceof NeutronError)) return combined(errors);
  }
  if (isUnavailable(error)) {
    log.warn('request failed: the database is away', { ...fields, error });
    return new HttpServiceUnavailable('The database cannot be reached at the moment: try again.');
  }
  log.error('request failed: internal server error', {
    ...fields,
    error,
    stack: error instanceof Error ? error.stack : undefined,
  });
  return new InternalServerError();
}
