/** Whether an error says that a service below us (the database) is away for now, and the same may work a moment later. */

const AWAY: ReadonlySet<string> = new Set([
  // postgres.js' own
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
  // the system's
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  // PostgreSQL's: shut down, crashed, starting up, too many connections
  ...['57P01', '57P02', '57P03', '53300'],
]);

/** Looks at the error and what it was caused by. */
export function isUnavailable(error: unknown): boolean {
  for (let inner = error; typeof inner === 'object' && inner !== null; inner = 'cause' in inner ? inner.cause : null) {
    if ('code' in inner && typeof inner.code === 'string' && AWAY.has(inner.code)) return true;
  }
  return false;
}
