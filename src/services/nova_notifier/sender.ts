/**
 * Sends what waits, in the order it was caused in, at least once: an event is taken away when Nova has answered for it, so that
 * who is killed in between repeats it. One sender works at a time, over all machines.
 *
 *   looks ──something waits──▶ sends a batch ──Nova answered──▶ lets events gather for send_events_interval ─┐
 *     ▲                            │ ▲                                                                       │
 *     │                    no answer, or none that is Nova's                                                 │
 *     │                            ▼ │                                                                       │
 *     │                        waits, longer each time                                                       │
 *     └──────────────────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * Nova answers for each event on its own. One that it does not want (an instance that it does not have, or that is on no host
 * yet) is dropped and logged. A batch that it refuses as a whole is halved until the event that it means is alone.
 */
import type { ServiceSession } from '#src/identity/mod.ts';
import type { Database } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import { pause } from '#src/lib/pause.ts';
import { oldestEvents, removeEvents, type WaitingEvent } from './store.ts';

export interface SenderOptions {
  readonly db: Database;
  readonly nova: ServiceSession;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Seconds in which events gather after some were sent. */
  readonly interval: number;
  /** Seconds after which nobody waits for an event any more (3600). */
  readonly expiry?: number;
  /** Waiting in milliseconds: between looks, after the first failure and at most after many (250, 1000, 30000). */
  readonly pauses?: { readonly idle: number; readonly first: number; readonly longest: number };
}

const BATCH = 100;
const EXPIRY = 3600;
const PAUSES = { idle: 250, first: 1000, longest: 30_000 };

/** Works until the signal aborts. */
export function createSender(options: SenderOptions): (signal: AbortSignal) => Promise<void> {
  const { db, nova, log } = options;
  const { expiry = EXPIRY, pauses = PAUSES } = options;
  const counter = options.metrics.counter('nucleon_nova_events_total', 'Events for Nova', ['result']);

  const done = async (events: readonly WaitingEvent[], result: 'accepted' | 'refused' | 'expired') => {
    if (events.length === 0) return;
    await removeEvents(db.sql, events);
    counter.add({ result }, events.length);
  };

  /** One batch, or its halves. Throws when it is to be sent again. */
  const deliver = async (events: readonly WaitingEvent[], signal: AbortSignal): Promise<void> => {
    const answer = await post(nova, events, signal);
    switch (answer.kind) {
      case 'answered': {
        const refused = events.filter((_, index) => answer.codes[index] !== 200);
        for (const event of refused) {
          log.warn('Nova did not take an event', { event: shown(event), code: answer.codes[events.indexOf(event)] });
        }
        await done(
          events.filter((event) => !refused.includes(event)),
          'accepted',
        );
        return await done(refused, 'refused');
      }
      case 'unknown':
        log.warn('Nova has none of the instances of these events', { events: events.map(shown) });
        return await done(events, 'refused');
      case 'malformed': {
        if (events.length === 1) {
          log.error('Nova refused an event', { event: events.map(shown)[0], answer: answer.text });
          return await done(events, 'refused');
        }
        const half = Math.ceil(events.length / 2);
        await deliver(events.slice(0, half), signal);
        return await deliver(events.slice(half), signal);
      }
      default:
        return answer satisfies never;
    }
  };

  const dropExpired = async (events: readonly WaitingEvent[]): Promise<readonly WaitingEvent[]> => {
    const expired = events.filter(({ age }) => age > expiry);
    if (expired.length > 0) log.error('Nova could not be told for too long', { events: expired.map(shown) });
    await done(expired, 'expired');
    return events.filter((event) => !expired.includes(event));
  };

  return async (signal) => {
    let failures = 0;
    while (!signal.aborted) {
      const waiting = await oldestEvents(db.sql, BATCH);
      const events = await dropExpired(waiting);
      if (events.length === 0) {
        if (waiting.length === 0) await pause(pauses.idle, signal);
        continue;
      }
      try {
        await deliver(events, signal);
        failures = 0;
        if (waiting.length < BATCH) await pause(options.interval * 1000, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const wait = Math.min(pauses.first * 2 ** (failures - 1), pauses.longest) * (0.5 + Math.random() / 2);
        log.warn('Nova could not be told, and will be later', { events: events.length, failures, wait, error });
        await pause(wait, signal);
      }
    }
  };
}

const shown = ({ server_uuid, name, status, tag }: WaitingEvent) => ({ server_uuid, name, status, tag });

type NovaAnswer =
  /** A code for each event. */
  | { readonly kind: 'answered'; readonly codes: readonly unknown[] }
  /** No event is about an instance that is on a host. */
  | { readonly kind: 'unknown' }
  /** At least one event is none to Nova. */
  | { readonly kind: 'malformed'; readonly text: string };

/** Sends events in one request. Throws when nobody answers, or somebody who does not speak for Nova. */
async function post(nova: ServiceSession, events: readonly WaitingEvent[], signal: AbortSignal): Promise<NovaAnswer> {
  const sent = events.map(({ server_uuid, name, status, tag }) => ({
    server_uuid,
    name,
    ...(status === null ? {} : { status }),
    tag,
  }));
  const response = await nova.request('/os-server-external-events', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-OpenStack-Request-ID': `req-${crypto.randomUUID()}` },
    body: JSON.stringify({ events: sent }),
    signal,
  });
  const text = await response.text();
  const body = asObject(text);
  switch (response.status) {
    case 200:
    case 207: {
      const answered = body?.['events'];
      if (!Array.isArray(answered) || answered.length !== events.length) break;
      return { kind: 'answered', codes: answered.map((event: { readonly code?: unknown } | null) => event?.code) };
    }
    case 404:
      // Whoever stands before Nova says 404, too, but not in its words.
      if (body?.['itemNotFound'] === undefined) break;
      return { kind: 'unknown' };
    case 400:
      return { kind: 'malformed', text: text.slice(0, 500) };
  }
  throw new Error(`Nova answered ${response.status}: ${text.slice(0, 500)}`);
}

function asObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
