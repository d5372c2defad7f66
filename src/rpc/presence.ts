/**
 * Presence: an agent's process publishes a retained birth `{epoch, alive: true}` after each connection, and its will is
 * `{epoch, alive: false}` on the same topic, retained too, so that whoever subscribes later sees the last state. The epoch
 * grows with each connection: the will of a connection that was given up late cannot speak against the one that followed.
 *
 * The end of the broker is not the end of the agents. Mosquitto publishes everybody's will when it is stopped, and keeps them as
 * retained messages for its next start. So a will counts only when the connection that it came by has outlived it for a while,
 * and one that was there before us when its agent had the time to come back:
 *
 *   will ──▶ held ──2 s (20 s if retained), connection still there──▶ told
 *                 ├──a newer birth──▶ forgotten
 *                 └──connection lost──▶ forgotten; on the next one it comes again, as retained
 */
import * as v from 'valibot';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Presence, PresenceHandler } from '#src/lib/rpc.ts';
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
  /** Milliseconds for which wills are held (2,000, and 20,000 for those retained). */
  readonly hold?: { readonly will: number; readonly retained: number };
}

const HOLD = { will: 2000, retained: 20_000 };

/**
 * Tells the handlers of every birth and will, retained ones included; births are acknowledged when all have taken them, wills are
 * retained anyway. Every worker that watches is told of each: handlers ignore what they know.
 */
export async function watchPresence(options: PresenceWatchOptions): Promise<Stoppable> {
  const { connection, topics, handlers, log, hold = HOLD } = options;
  const held = new Map<string, { readonly epoch: number; readonly timer: ReturnType<typeof setTimeout> }>();

  const tell = async (presence: Presence): Promise<void> => {
    try {
      await Promise.all(handlers.map((handler) => handler(presence)));
    } catch (error) {
      log.error('presence not recorded', { ...presence, error });
    }
  };
  const forget = (key: string): void => {
    clearTimeout(held.get(key)?.timer);
    held.delete(key);
  };
  const holdBack = (key: string, presence: Presence, milliseconds: number): void => {
    const { generation } = connection;
    const timer = setTimeout(() => {
      held.delete(key);
      if (connection.connected && connection.generation === generation) void tell(presence);
      else log.info('a will is not believed: the connection to the broker broke with it', { ...presence });
    }, milliseconds);
    held.set(key, { epoch: presence.epoch, timer });
  };

  const subscription = await connection.subscribe(topics.allPresence(), (message) => {
    const parsed = topics.parse(message.topic);
    const said = readPresence(message.payload);
    const names = parsed?.kind === 'presence' ? [parsed.host, parsed.binary] : [];
    if (parsed?.kind !== 'presence' || said === null || names.some(({ length }) => length > MAX_NAME)) {
      // An empty payload clears a retained message: nothing is said by that.
      if (message.payload.length > 0) log.warn('presence not understood', { topic: message.topic });
      message.ack();
      return;
    }
    const presence = { host: parsed.host, binary: parsed.binary, ...said };
    const key = `${presence.host}\n${presence.binary}`;
    const known = held.get(key);
    if (presence.alive) {
      if (known !== undefined && presence.epoch > known.epoch) forget(key);
      void tell(presence).finally(() => message.ack());
      return;
    }
    message.ack();
    if (known !== undefined && known.epoch > presence.epoch) return;
    forget(key);
    holdBack(key, presence, message.retained ? hold.retained : hold.will);
  });
  return {
    stop: async () => {
      for (const key of [...held.keys()]) forget(key);
      await subscription.stop();
    },
  };
}
