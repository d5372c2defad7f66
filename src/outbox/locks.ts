/**
 * Names that the writers and the relay agree on.
 *
 * NOTIFY makes committing transactions wait for each other (PostgreSQL holds one lock from before the commit's flush to after
 * it), so a writer notifies only when the relay sleeps. A sleeping relay holds ASLEEP; a writer that can share that lock
 * knows it to be awake, says nothing, and keeps its share until it has committed. The relay gets ASLEEP only when no such
 * writer is left, and then looks once more before it sleeps: nothing committed can be missed.
 */

/** The channel that wakes relays. */
export const CHANNEL = 'nucleon_outbox';
/** Session advisory lock of the one relay that sends. */
export const LEADER = 7_305_982_115;
/** Advisory lock of a relay that waits to be notified. */
export const ASLEEP = 7_305_982_116;
