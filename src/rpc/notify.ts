/** How the outbox relay sends: one message to a host or to all, resolved when the broker has it. */
import type { Topics } from './topics.ts';
import type { MqttConnection } from './transport.ts';

/** A notification as it leaves the outbox. */
export interface OutgoingMessage {
  /** Null: to every agent. */
  readonly host: string | null;
  readonly topic: string;
  /** The encoded message. */
  readonly payload: string;
}

export type Publish = (message: OutgoingMessage) => Promise<void>;

/** An agent that is away for longer than this loses its session, and fetches everything when it is back. */
const EXPIRY_SECONDS = 300;

/** Publishes notifications over a connection, in the order of the calls. */
export function notificationPublisher(connection: MqttConnection, topics: Topics): Publish {
  return async ({ host, topic, payload }) => {
    const name = host === null ? topics.fanout(topic) : topics.message(host, topic);
    await connection.publish(name, payload, { expiry: EXPIRY_SECONDS });
  };
}
