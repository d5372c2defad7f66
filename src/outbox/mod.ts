/**
 * The outbox: a notification is written in the transaction that causes it and sent after the commit, in order for each key, at
 * least once. Writers need only the database; the relay needs a broker.
 */
export { type RelayOptions, startRelay } from './relay.ts';
export { renderRows } from './render.ts';
export type { OutboxMessage, OutboxRow, RenderedRow } from './row.ts';
export type { MessageSources } from './sources.ts';
export { createOutbox } from './writer.ts';
