/**
 * Answers agents. Workers share one subscription a topic, so each request goes to one of them; it is acknowledged when it has
 * been answered, so a worker that dies leaves it to another. At most `concurrency` run at once; of QoS 1 the broker keeps the
 * rest (Receive Maximum), of QoS 0 a bounded number waits here and the rest is dropped and counted.
 *
 * The caller's identity is the host level of the topic. An answer never leaves that host's own tree.
 */
import type { Clock } from '#src/lib/clock.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { RpcAnswer, RpcEndpoint, RpcListener, RpcMessage } from '#src/lib/rpc.ts';
import { dispatch, endpointsByTopic } from './dispatcher.ts';
import { decodeMessage, encodeAnswer, failureOf } from './envelope.ts';
import type { Topics } from './topics.ts';
import type { MqttConnection, MqttMessage } from './transport.ts';

export interface RpcServerOptions {
  readonly connection: MqttConnection;
  readonly topics: Topics;
  readonly listeners: readonly RpcListener[];
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Calls that run at once (256). */
  readonly concurrency?: number;
  /** How long `stop` waits for running calls (30,000 ms). */
  readonly drainMs?: number;
}

interface Job {
  readonly message: MqttMessage;
  readonly topic: string;
  readonly endpoints: readonly RpcEndpoint[];
  readonly host: string;
  /** When the caller no longer waits. */
  readonly deadline: number;
}

/** Waiting jobs for each that may run. */
const QUEUE_FACTOR = 16;

/** Subscribes the listeners' topics; `stop` unsubscribes and lets running calls end. */
export async function startRpcServer(options: RpcServerOptions): Promise<Stoppable> {
  const server = new RpcServer(options);
  await server.start();
  return server;
}

class RpcServer implements Stoppable {
  readonly #options: RpcServerOptions;
  readonly #concurrency: number;
  readonly #queue: Job[] = [];
  readonly #subscriptions: Stoppable[] = [];
  readonly #calls;
  readonly #seconds;
  readonly #inFlight;
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(options: RpcServerOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? 256;
    const { metrics } = options;
    this.#calls = metrics.counter('nucleon_rpc_calls_total', 'RPC calls and casts by outcome', [
      'topic',
      'method',
      'outcome',
    ]);
    this.#seconds = metrics.histogram('nucleon_rpc_seconds', 'Time to answer an RPC', ['topic', 'method']);
    this.#inFlight = metrics.gauge('nucleon_rpc_in_flight', 'RPCs that run now');
  }

  async start(): Promise<void> {
    const { connection, topics, listeners, log } = this.#options;
    for (const [topic, endpoints] of endpointsByTopic(listeners)) {
      const filter = topics.sharedRequests(topic);
      this.#subscriptions.push(
        await connection.subscribe(filter, (message) => this.#receive(topic, endpoints, message)),
      );
    }
    log.info('RPC listens', { topics: [...endpointsByTopic(listeners).keys()] });
  }

  #receive(topic: string, endpoints: readonly RpcEndpoint[], message: MqttMessage): void {
    const host = this.#callerOf(message);
    if (host === null) this.#drop(message, topic, "it has no host, or wants its answer outside of the host's tree");
    else if (this.#queue.length >= this.#concurrency * QUEUE_FACTOR && message.qos === 0) {
      this.#drop(message, topic, 'too many are waiting');
    } else {
      const { expiry } = message;
      const deadline = expiry === undefined ? Number.POSITIVE_INFINITY : this.#options.clock.now() + expiry * 1000;
      this.#queue.push({ message, topic, endpoints, host, deadline });
      this.#next();
    }
  }

  /** The host that a request comes from; null when there is none, or when the answer would go to another's topics. */
  #callerOf({ topic, responseTopic }: MqttMessage): string | null {
    const { topics } = this.#options;
    const request = topics.parse(topic);
    if (request?.kind !== 'request') return null;
    if (responseTopic === undefined) return request.host;
    const reply = topics.parse(responseTopic);
    return reply?.kind === 'reply' && reply.host === request.host ? request.host : null;
  }

  #drop(message: MqttMessage, topic: string, reason: string): void {
    this.#calls.add({ topic, method: 'unknown', outcome: 'dropped' });
    this.#options.log.warn(`RPC message dropped: ${reason}`, {
      topic: message.topic,
      response_topic: message.responseTopic,
    });
    message.ack();
  }

  #next(): void {
    while (this.#running < this.#concurrency) {
      const job = this.#queue.shift();
      if (job === undefined) break;
      this.#running++;
      void this.#handle(job).finally(() => {
        this.#running--;
        this.#inFlight.set(this.#running);
        this.#next();
        if (this.#running === 0) this.#idle?.();
      });
    }
    this.#inFlight.set(this.#running);
  }

  async #handle({ message, topic, endpoints, host, deadline }: Job): Promise<void> {
    const { clock, log } = this.#options;
    const started = clock.now();
    if (started > deadline) {
      this.#drop(message, topic, 'its caller no longer waits');
      return;
    }
    let request: RpcMessage | undefined;
    let answer: RpcAnswer;
    let outcome = 'result';
    try {
      request = decodeMessage(message.payload);
      answer = { result: await dispatch(endpoints, host, request) };
    } catch (error) {
      outcome = 'failure';
      const method = request?.method ?? 'unknown';
      const known = error instanceof NeutronError;
      log[known ? 'info' : 'error']('RPC failed', { topic, host, method, error });
      answer = failureOf(method, error);
    }
    // Names come from outside: only those that exist may become a label.
    const name = request?.method;
    const method = endpoints.some(({ methods }) => name !== undefined && Object.hasOwn(methods, name))
      ? name!
      : 'unknown';
    this.#calls.add({ topic, method, outcome });
    this.#seconds.observe((clock.now() - started) / 1000, { topic, method });
    this.#reply(message, method, answer, deadline);
    // Behind the answer on the same stream: whoever sees the request acknowledged has the answer too.
    message.ack();
  }

  #reply(message: MqttMessage, method: string, answer: RpcAnswer, deadline: number): void {
    const { connection, clock, log } = this.#options;
    if (message.responseTopic === undefined) return;
    connection
      .publish(message.responseTopic, encodeAnswer(method, answer), {
        qos: message.qos === 0 ? 0 : 1,
        ...(message.correlationData === undefined ? {} : { correlationData: message.correlationData }),
        ...(Number.isFinite(deadline) ? { expiry: (deadline - clock.now()) / 1000 } : {}),
      })
      .catch((error: unknown) => log.warn('RPC answer not sent', { topic: message.responseTopic, method, error }));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#subscriptions.splice(0).map((subscription) => subscription.stop()));
    if (this.#running === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      timer = setTimeout(() => {
        this.#options.log.warn('RPC calls still running were left', { calls: this.#running });
        resolve();
      }, this.#options.drainMs ?? 30_000);
    });
    clearTimeout(timer);
  }
}
