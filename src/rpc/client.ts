/**
 * The agents' side: calls with timeout and retry, casts, and the messages that the server has for this host. The agent SDK and
 * `nucleon rpc call` stand on it. A retry is the same request again, correlation data and all: whichever copy is answered
 * first answers the call, and methods are idempotent.
 */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { RpcAnswer, RpcMessage } from '#src/lib/rpc.ts';
import { decodeAnswer, decodeMessage, encodeMessage } from './envelope.ts';
import { BrokerUnavailable, MessagingTimeout } from './errors.ts';
import type { Topics } from './topics.ts';
import type { MqttConnection, MqttMessage } from './transport.ts';

export interface CallOptions {
  /** `1.0` unless told. */
  readonly version?: string;
  readonly namespace?: string;
  /** Milliseconds that each try waits for the answer (60,000). */
  readonly timeout?: number;
  /** Tries after the first (2). */
  readonly retries?: number;
  /** 1 unless told; heartbeats take 0. */
  readonly qos?: 0 | 1;
  readonly context?: JsonObject;
}

export type CastOptions = Pick<CallOptions, 'version' | 'namespace' | 'qos' | 'context'> & {
  /** Seconds after which the cast is worth nothing (300). */
  readonly expiry?: number;
};

export interface RpcClientOptions {
  readonly connection: MqttConnection;
  readonly topics: Topics;
  /** Whose topics are used: the caller's identity. */
  readonly host: string;
  readonly log: Logger;
}

/** `stop` ends the calls that wait for their answers: they reject with BrokerUnavailable. */
export interface RpcClient extends Stoppable {
  readonly host: string;
  /**
   * The result of the method. Throws MessagingTimeout, or a NeutronError with the type and message of the failure that the
   * server answered.
   */
  call(topic: string, method: string, args: JsonObject, options?: CallOptions): Promise<Json>;
  /** Resolves when the broker has it; nobody answers. */
  cast(topic: string, method: string, args: JsonObject, options?: CastOptions): Promise<void>;
  /** What the server tells this host, or all, on a topic; one message after the other. */
  subscribe(topic: string, handler: (message: RpcMessage) => Promise<void> | void): Promise<Stoppable>;
}

/** The failure of a server whose database is away, and how long the first wait for it is about. */
const BUSY = 'ServiceUnavailable';
const BUSY_MS = 1000;
/** After how long about a call that no worker was there for is sent again. */
const UNHEARD_MS = 1000;

/** Not all at the same moment. */
const soon = (milliseconds: number): number => milliseconds * (0.5 + Math.random());

type Properties = Pick<CallOptions, 'version' | 'namespace' | 'context'>;

function message(method: string, args: JsonObject, { version, namespace, context }: Properties): string {
  return encodeMessage({
    method,
    args,
    version: version ?? '1.0',
    ...(namespace === undefined ? {} : { namespace }),
    context: context ?? {},
  });
}

/** A client of one host over a connection; subscribes the topic of its answers. */
export async function createRpcClient(options: RpcClientOptions): Promise<RpcClient> {
  const { connection, topics, host, log } = options;
  const pending = new Map<string, { settle(answer: RpcAnswer): void; fail(error: unknown): void }>();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const responseTopic = topics.reply(host, connection.clientId);

  const replies = await connection.subscribe(responseTopic, (reply) => {
    reply.ack();
    const call = pending.get(decoder.decode(reply.correlationData));
    if (call === undefined) return;
    try {
      call.settle(decodeAnswer(reply.payload));
    } catch (error) {
      log.warn('answer not understood', { topic: reply.topic, error });
    }
  });

  return {
    host,
    async call(topic, method, args, { timeout = 60_000, retries = 2, qos = 1, ...properties } = {}) {
      const payload = message(method, args, properties);
      const name = topics.request(host, topic);
      const id = crypto.randomUUID();
      const request = { qos, expiry: timeout / 1000, responseTopic, correlationData: encoder.encode(id) };
      // Made where it is needed: to abort one costs as much as all the rest.
      let over: AbortController | undefined;
      return await new Promise<Json>((resolve, reject) => {
        let tries = 0;
        let timer: ReturnType<typeof setTimeout> | undefined;
        let again: ReturnType<typeof setTimeout> | undefined;
        const end = () => {
          clearTimeout(timer);
          clearTimeout(again);
          pending.delete(id);
          over?.abort();
        };
        const fail = (error: unknown) => {
          end();
          reject(error);
        };
        const attempt = () => {
          if (tries > retries) return fail(new MessagingTimeout(topic, method, timeout, tries));
          if (++tries > 1) log.debug('RPC call is sent again', { topic, method, tries });
          timer = setTimeout(attempt, timeout);
          clearTimeout(again);
          send();
        };
        const send = () => {
          if (!connection.connected) over ??= new AbortController();
          const connected = connection.connected ? Promise.resolve() : connection.ready(over?.signal);
          connected
            .then(() => connection.publish(name, payload, request))
            .then((heard) => {
              // No worker is there yet: the broker has forgotten it, and soon one is (a broker that was started again).
              if (!heard && pending.has(id)) again = setTimeout(send, soon(UNHEARD_MS));
            })
            // Without a connection the try ends by its time, as it does when nobody answers.
            .catch((error: unknown) => error instanceof BrokerUnavailable || fail(error));
        };
        const settle = (answer: RpcAnswer) => {
          if ('failure' in answer && answer.failure.type === BUSY && tries <= retries) {
            // The next try need not wait for the time of this one.
            clearTimeout(timer);
            timer = setTimeout(attempt, Math.min(timeout, soon(tries * BUSY_MS)));
            return;
          }
          end();
          if ('result' in answer) resolve(answer.result);
          else reject(new NeutronError(answer.failure.type, 500, answer.failure.message));
        };
        pending.set(id, { settle, fail });
        attempt();
      });
    },
    async cast(topic, method, args, { qos = 1, expiry = 300, ...properties } = {}) {
      await connection.publish(topics.request(host, topic), message(method, args, properties), { qos, expiry });
    },
    async subscribe(topic, handler) {
      let last: Promise<void> = Promise.resolve();
      const receive = (received: MqttMessage) => {
        last = last.then(async () => {
          try {
            await handler(decodeMessage(received.payload));
          } catch (error) {
            log.error('message from the server not handled', { topic: received.topic, error });
          }
          received.ack();
        });
      };
      const own = await connection.subscribe(topics.message(host, topic), receive);
      const all = await connection.subscribe(topics.fanout(topic), receive);
      return {
        stop: async () => {
          await Promise.all([own.stop(), all.stop()]);
          await last;
        },
      };
    },
    async stop() {
      for (const { fail } of [...pending.values()]) fail(new BrokerUnavailable('wait for an answer'));
      await replies.stop();
    },
  };
}
