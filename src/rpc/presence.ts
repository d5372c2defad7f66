/**
 * Presence: an agent's process publishes a retained birth `{epoch, alive: true}` after each connection, and its will is
 * `{epoch, alive: false}` on the same topic, retained too, so that whoever subscribes later sees the last state. The epoch
 * grows with each connection: the will of a connection that was given up late cannot speak against the one that followed.
 */
import * as v from 'valibot';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { PresenceHandler } from '#src/lib/rpc.ts';
import type { Topics } from './topics.ts';
import type { MqttConnection } from './transport.ts';

const PRESENCE = v.object({
  epoch: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  alive: v.optional(v.boolean(), true),
});
const MAX_BYTES = 1024;
const MAX_NAME = 255;

/** The payload of a birth or will. */
export function presencePayload(epoch: number, alive: boolean): string {
  return JSON.stringify({ epoch, alive });
}

/** Reads a birth or will; null when it is none. */
export function readPresence(payload: Uint8Array): { readonly epoch: number; readonly alive: boolean } | null {
  if (payload.length === 0 || payload.length > MAX_BYTES) return null;
  try {
    const parsed = v.safeParse(PRESENCE, JSON.parse(new TextDecoder().decode(payload)));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}

export interface PresenceWatchOptions {
  readonly connection: MqttConnection;
  readonly topics: Topics;
  readonly handlers: readonly PresenceHandler[];
  readonly log: Logger;
}

/**
 * Tells the handlers of every birth and will, retained ones included; acknowledged when all have taken it. Every worker that
 * watches is told of each: handlers ignore what they know.
 */
export function watchPresence({ connection, topics, handlers, log }: PresenceWatchOptions): Promise<Stoppable> {
  return connection.subscribe(topics.allPresence(), (message) => {
    const parsed = topics.parse(message.topic);
    const presence = readPresence(message.payload);
    if (parsed?.kind !== 'presence' || presence === null || parsed.host.length > MAX_NAME) {
      // An empty payload clears a retained message: nothing is said by that.
      if (message.payload.length > 0) log.warn('presence not understood', { topic: message.topic });
      message.ack();
      return;
    }
    const told = { host: parsed.host, binary: parsed.binary, ...presence };
    Promise.all(handlers.map((handler) => handler(told)))
      .catch((error: unknown) => log.error('presence not recorded', { ...told, error }))
      .finally(() => message.ack());
  });
}
