/**
 * Which handler a message is for. A message that comes before its handler (a kept session delivers right after the
 * connection) waits, unacknowledged and bounded in number.
 */
import type { Logger } from '#src/lib/log.ts';
import type { MqttMessage } from './transport.ts';

interface Subscription {
  readonly levels: readonly string[];
  readonly handler: (message: MqttMessage) => void;
}

const WAITING = 1000;

/** Whether a topic name's levels are matched by a filter's. */
export function matches(filter: readonly string[], topic: readonly string[]): boolean {
  for (let index = 0; index < filter.length; index++) {
    const level = filter[index];
    if (level === '#') return true;
    if (index >= topic.length || (level !== '+' && level !== topic[index])) return false;
  }
  return filter.length === topic.length;
}

/** The levels of a filter; those of a shared subscription without its group. */
export function filterLevels(filter: string): readonly string[] {
  const levels = filter.split('/');
  return levels[0] === '$share' ? levels.slice(2) : levels;
}

export class Subscriptions {
  readonly #log: Logger;
  readonly #subscriptions = new Set<Subscription>();
  readonly #waiting: MqttMessage[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Adds a handler; the answer removes it. */
  add(filter: string, handler: (message: MqttMessage) => void): () => void {
    const subscription = { levels: filterLevels(filter), handler };
    this.#subscriptions.add(subscription);
    for (const message of this.#waiting.splice(0)) this.deliver(message);
    return () => {
      this.#subscriptions.delete(subscription);
    };
  }

  deliver(message: MqttMessage): void {
    const levels = message.topic.split('/');
    let taken = false;
    for (const subscription of this.#subscriptions) {
      if (!matches(subscription.levels, levels)) continue;
      taken = true;
      try {
        subscription.handler(message);
      } catch (error) {
        this.#log.error('handler of an MQTT message failed', { topic: message.topic, error });
      }
    }
    if (taken) return;
    if (this.#waiting.length < WAITING) this.#waiting.push(message);
    else {
      this.#log.warn('MQTT message without a handler dropped', { topic: message.topic });
      message.ack();
    }
  }
}
