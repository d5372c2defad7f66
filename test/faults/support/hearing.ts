/** What a host hears: every message of its own tree and all of fanout, in order. */
import type { Stoppable } from '#src/lib/lifetime.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { connectMqtt, createTopics, encodeLevel, type MqttMessage } from '#src/rpc/mod.ts';

export interface Heard {
  readonly topic: string;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: arguments of any shape are looked into by tests
  readonly args: any;
  readonly at: number;
}

export interface Hearing extends Stoppable {
  readonly messages: readonly Heard[];
  /** Connections on which the broker had not kept the session: messages may have been missed before each. */
  readonly gaps: readonly number[];
  /** The last message of the topic about each id that `idOf` finds. */
  last(topic: string, idOf: (args: Heard['args']) => string | undefined): ReadonlyMap<string, Heard>;
}

const topics = createTopics();

/** Connects as an agent does, by a session that outlives connections. */
export async function hear(
  login: { readonly url: string; readonly username: string; readonly password: string },
  host: string,
): Promise<Hearing> {
  const messages: Heard[] = [];
  const gaps: number[] = [];
  const connection = await connectMqtt({
    ...login,
    clientId: `${encodeLevel(host)}.hearing`,
    clean: false,
    log: silentLogger,
    metrics: silentMetrics,
    onConnect: (_connection, resumed) => {
      if (!resumed) gaps.push(Date.now());
    },
  });
  const take = (message: MqttMessage) => {
    const parsed = topics.parse(message.topic);
    const { method, args } = JSON.parse(new TextDecoder().decode(message.payload));
    if (parsed?.kind === 'message' || parsed?.kind === 'fanout')
      messages.push({ topic: parsed.topic, method, args, at: Date.now() });
    message.ack();
  };
  await connection.subscribe(`${topics.prefix}/down/${encodeLevel(host)}/msg/+`, take);
  await connection.subscribe(`${topics.prefix}/fanout/+`, take);
  return {
    messages,
    gaps,
    last(topic, idOf) {
      const found = new Map<string, Heard>();
      for (const message of messages) {
        const id = message.topic === topic ? idOf(message.args) : undefined;
        if (id !== undefined) found.set(id, message);
      }
      return found;
    },
    stop: () => connection.stop(),
  };
}
