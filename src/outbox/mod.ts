/**
 * The outbox: a notification is written in the transaction that causes it and sent after the commit, in order for each key, at
 * least once. Writers need only the database; the relay needs a broker.
 */
export { type OutboxMessage, type RelayOptions, startRelay } from './relay.ts';
export { createOutbox } from './writer.ts';
