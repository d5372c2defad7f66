/**
 * One MQTT 5 connection (MQTT.js), with what RPC needs of it: it comes back by itself with jittered back-off, subscriptions
 * survive that, a message is acknowledged when its handler says so, and `stop` drains.
 *
 *   connecting ──CONNACK──▶ connected ──lost──▶ waiting (jittered, grows to the cap) ──▶ connecting
 *        └──refused at the first try──▶ rejected            connected resets the back-off
 *
 * Four things of MQTT.js shape this file. It acknowledges QoS 1 messages one after another and blocks meanwhile; so a message
 * is handed to it as QoS 0 and its PUBACK is written here, when handled: many are handled at once, and what a dead worker had
 * not acknowledged is redelivered (by brokers that do so). Each message costs it a dozen writes and a store; so they are written
 * by `Sending`, and MQTT.js keeps the connection and the subscriptions. It leaves Nagle's algorithm on. Its reconnect period is
 * a constant, read from the options each time; so the options are changed between the tries.
 */
import { connect, type IClientOptions, type IPublishPacket, type MqttClient, ReasonCodes } from 'mqtt';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import { bounded, MAX_BYTES } from './envelope.ts';
import { BrokerRefused, BrokerUnavailable } from './errors.ts';
import { packetIds, Sending } from './sending.ts';
import { Subscriptions } from './subscriptions.ts';

export interface Will {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

export interface MqttOptions {
  /** `mqtt://host:1883`, `mqtts://`, `ws://`, `wss://` */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly clientId: string;
  /** False keeps the session at the broker for `sessionExpiry` seconds of absence. */
  readonly clean: boolean;
  readonly sessionExpiry?: number;
  /** Messages of QoS 1 that may be unacknowledged at once: the bound of what the broker hands us. */
  readonly receiveMaximum?: number;
  /** PEM texts. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly insecure?: boolean };
  /** Asked before every connection, for each one its own will. */
  readonly will?: () => Will;
  /** Called after every connection; `resumed` says that the broker had kept the session, and with it all messages. */
  readonly onConnect?: (connection: MqttConnection, resumed: boolean) => void;
  /** Gives up the first connection; later ones are tried until `stop`. */
  readonly signal?: AbortSignal;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1 | 2;
  readonly retained: boolean;
  readonly responseTopic?: string;
  readonly correlationData?: Uint8Array;
  /** Seconds that the message is still good for, as the broker counts them. */
  readonly expiry?: number;
  /** Tells the broker that the message is dealt with. Until then it is ours, and of QoS 1 redelivered if we die. */
  ack(): void;
}

export interface PublishOptions {
  /** 1 unless told; of QoS 0 a message is lost when there is no connection. */
  readonly qos?: 0 | 1;
  readonly retain?: boolean;
  /** Seconds after which the broker drops the undelivered message. */
  readonly expiry?: number;
  readonly responseTopic?: string;
  readonly correlationData?: Uint8Array;
}

export interface SubscribeOptions {
  readonly qos?: 0 | 1;
}

export interface MqttConnection extends Stoppable {
  readonly clientId: string;
  readonly connected: boolean;
  /** Grows with each connection. */
  readonly generation: number;
  /** Resolves when there is a connection; rejects when the signal aborts first. */
  ready(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the broker has the message (QoS 1) or it is on its way (QoS 0); false: the broker says that nobody listens
   * there. Without a connection a QoS 1 message waits
   * for the next one, in order; rejects BrokerRefused, BrokerUnavailable or MessageTooLarge.
   */
  publish(topic: string, payload: string, options?: PublishOptions): Promise<boolean>;
  /** Every message that the filter matches goes to the handler, which acknowledges it. `stop` unsubscribes. */
  subscribe(filter: string, handler: (message: MqttMessage) => void, options?: SubscribeOptions): Promise<Stoppable>;
  /** Breaks the connection off without a good-bye, so that the broker sends the will; for tests and simulations of a death. */
  drop(): Promise<void>;
}

const BACK_OFF = { first: 100, cap: 10_000, factor: 2 };
const DRAIN_MS = 5000;
const SESSION_TAKEN_OVER = 0x8e;
const NOBODY_LISTENS = 0x10;
/** Reason codes from here on are failures. */
const FAILURE = 0x80;
/** What a broker takes that does not say. */
const MOST_UNACKNOWLEDGED = 0xffff;

const encoder = new TextEncoder();

/** Half of the period fixed, half random: many agents do not come back in step. */
const jittered = (period: number): number => Math.round(period * (0.5 + Math.random() / 2));

function clientOptions(options: MqttOptions): IClientOptions {
  return {
    protocolVersion: 5,
    clientId: options.clientId,
    clean: options.clean,
    ...(options.username === undefined ? {} : { username: options.username }),
    ...(options.password === undefined ? {} : { password: options.password }),
    keepalive: 20,
    connectTimeout: 10_000,
    reconnectPeriod: jittered(BACK_OFF.first),
    reconnectOnConnackError: true,
    queueQoSZero: false,
    resubscribe: true,
    manualConnect: true,
    messageIdProvider: packetIds(),
    properties: {
      sessionExpiryInterval: options.clean ? 0 : (options.sessionExpiry ?? 300),
      receiveMaximum: options.receiveMaximum ?? 1000,
      // The payload's limit, and room for topic and properties.
      maximumPacketSize: MAX_BYTES + 64 * 1024,
    },
    ...(options.tls?.ca === undefined ? {} : { ca: options.tls.ca }),
    ...(options.tls?.cert === undefined ? {} : { cert: options.tls.cert }),
    ...(options.tls?.key === undefined ? {} : { key: options.tls.key }),
    ...(options.tls?.insecure === true ? { rejectUnauthorized: false } : {}),
  };
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  return `${error.message}${code}`;
}

/**
 * Connects, and stays connected until `stop`. An absent broker is waited for; one that refuses the credentials of the first
 * connection rejects with BrokerRefused.
 */
export async function connectMqtt(options: MqttOptions): Promise<MqttConnection> {
  const { log } = options;
  const up = options.metrics.gauge('nucleon_mqtt_connected', 'Whether there is a connection to the MQTT broker');
  const connects = options.metrics.counter('nucleon_mqtt_connects_total', 'Connections made to the MQTT broker');
  const client = connect(options.url, clientOptions(options));
  client.setMaxListeners(0);
  const connection = new Connection(client, options);
  let period = BACK_OFF.first;

  const setWill = () => {
    const will = options.will?.();
    if (will !== undefined) client.options.will = { ...will, qos: 1 };
  };
  client.on('reconnect', setWill);
  client.on('connect', ({ sessionPresent }) => {
    period = BACK_OFF.first;
    client.options.reconnectPeriod = jittered(period);
    const { stream } = client;
    if ('setNoDelay' in stream && typeof stream.setNoDelay === 'function') stream.setNoDelay(true);
    up.set(1);
    connects.add();
    log.info('connected to the MQTT broker', { url: withoutSecret(options.url), client: options.clientId });
    options.onConnect?.(connection, sessionPresent);
  });
  client.on('close', () => {
    // The wait that now begins has been read from the options; this sets the one after it.
    period = Math.min(period * BACK_OFF.factor, BACK_OFF.cap);
    client.options.reconnectPeriod = jittered(period);
    up.set(0);
  });
  client.on('offline', () => log.warn('no connection to the MQTT broker, trying again', { client: options.clientId }));
  client.on('disconnect', ({ reasonCode, properties }) => {
    log.warn('the MQTT broker closed the connection', {
      client: options.clientId,
      reason_code: reasonCode,
      reason: properties?.reasonString,
    });
    // Somebody else connects by our client id: coming back at once would only throw it out, and so on.
    if (reasonCode === SESSION_TAKEN_OVER) client.options.reconnectPeriod = jittered(BACK_OFF.cap);
  });
  client.on('error', (error) => log.warn('MQTT connection', { client: options.clientId, error: reasonOf(error) }));

  setWill();
  try {
    await firstConnection(client, options);
  } catch (error) {
    client.end(true);
    throw error;
  }
  return connection;
}

function firstConnection(client: MqttClient, { signal, url }: MqttOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      client.off('connect', connected);
      client.off('error', failed);
      signal?.removeEventListener('abort', aborted);
    };
    const connected = () => {
      done();
      resolve();
    };
    const failed = (error: Error) => {
      // A number is the reason code of a CONNACK: bad credentials will not become good by themselves.
      if (!('code' in error) || typeof error.code !== 'number' || error.code < FAILURE) return;
      done();
      reject(new BrokerRefused(`let us connect to ${withoutSecret(url)}`, reasonOf(error)));
    };
    const aborted = () => {
      done();
      reject(new BrokerUnavailable(`connect to ${withoutSecret(url)}`));
    };
    client.on('connect', connected);
    client.on('error', failed);
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted) aborted();
    else client.connect();
  });
}

function withoutSecret(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.href;
}

class Connection implements MqttConnection {
  readonly #client: MqttClient;
  readonly #subscriptions: Subscriptions;
  readonly #sending = new Sending();
  /** The last payload, as text and as bytes: it may be for many hosts. */
  #payload = { text: '', bytes: new Uint8Array() };
  #generation = 0;
  readonly clientId: string;

  constructor(client: MqttClient, options: MqttOptions) {
    this.#client = client;
    this.clientId = options.clientId;
    this.#subscriptions = new Subscriptions(options.log);
    client.on('connect', ({ properties }) => {
      this.#generation += 1;
      this.#sending.connected(client.stream, properties?.receiveMaximum ?? MOST_UNACKNOWLEDGED);
    });
    client.on('close', () => this.#sending.disconnected());
    client.on('packetreceive', (packet) => {
      if (packet.cmd === 'publish') this.#receive(packet);
      else if (packet.cmd === 'puback') this.#sending.acknowledged(packet.messageId ?? 0, packet.reasonCode ?? 0);
    });
  }

  get connected(): boolean {
    return this.#client.connected;
  }

  get generation(): number {
    return this.#generation;
  }

  #receive(packet: IPublishPacket): void {
    const { qos, messageId, properties, payload } = packet;
    const { stream } = this.#client;
    let acknowledged = qos === 0;
    if (qos === 1) packet.qos = 0;
    this.#subscriptions.deliver({
      topic: packet.topic,
      payload: typeof payload === 'string' ? encoder.encode(payload) : payload,
      qos,
      retained: packet.retain,
      ...(properties?.responseTopic === undefined ? {} : { responseTopic: properties.responseTopic }),
      ...(properties?.correlationData === undefined ? {} : { correlationData: properties.correlationData }),
      ...(properties?.messageExpiryInterval === undefined ? {} : { expiry: properties.messageExpiryInterval }),
      ack: () => {
        if (acknowledged || messageId === undefined) return;
        acknowledged = true;
        // Packet ids belong to a connection: on another one this acknowledges nothing.
        this.#sending.acknowledge(messageId, stream);
      },
    });
  }

  ready(signal?: AbortSignal): Promise<void> {
    if (this.connected) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#client.off('connect', connected);
        signal?.removeEventListener('abort', aborted);
      };
      const connected = () => {
        done();
        resolve();
      };
      const aborted = () => {
        done();
        reject(new BrokerUnavailable('send'));
      };
      this.#client.on('connect', connected);
      signal?.addEventListener('abort', aborted);
      if (signal?.aborted) aborted();
    });
  }

  async publish(topic: string, payload: string, options: PublishOptions = {}): Promise<boolean> {
    const { qos = 1, retain = false, expiry, responseTopic, correlationData } = options;
    const sent = this.#sending.publish({
      topic,
      payload: this.#encoded(payload, topic),
      qos,
      retain,
      ...(expiry === undefined ? {} : { expiry: Math.max(1, Math.ceil(expiry)) }),
      ...(responseTopic === undefined ? {} : { responseTopic }),
      ...(correlationData === undefined ? {} : { correlationData }),
    });
    const reason = await sent.catch(() => {
      throw new BrokerUnavailable(`send to ${topic}`);
    });
    if (reason >= FAILURE) {
      throw new BrokerRefused(
        `take a message to ${topic}`,
        `${ReasonCodes[reason as keyof typeof ReasonCodes]} (${reason})`,
      );
    }
    return reason !== NOBODY_LISTENS;
  }

  #encoded(text: string, topic: string): Uint8Array {
    if (text !== this.#payload.text) {
      this.#payload = { text, bytes: encoder.encode(bounded(text, `A message to ${topic}`)) };
    }
    return this.#payload.bytes;
  }

  async subscribe(
    filter: string,
    handler: (message: MqttMessage) => void,
    { qos = 1 }: SubscribeOptions = {},
  ): Promise<Stoppable> {
    const remove = this.#subscriptions.add(filter, handler);
    try {
      await this.#client.subscribeAsync(filter, { qos });
    } catch (error) {
      remove();
      throw new BrokerRefused(
        `let us subscribe to ${filter}`,
        error instanceof Error ? reasonOf(error) : String(error),
      );
    }
    return {
      stop: async () => {
        // In this order: what was on its way still finds its handler.
        if (this.connected) await within(this.#client.unsubscribeAsync(filter), DRAIN_MS);
        remove();
      },
    };
  }

  async drop(): Promise<void> {
    await this.#client.endAsync(true);
    this.#sending.end();
  }

  async stop(): Promise<void> {
    if (this.connected) await within(this.#sending.settled(), DRAIN_MS);
    this.#sending.flush();
    // Unforced, MQTT.js says good-bye: the will is not sent.
    const force = !this.connected || this.#sending.pending > 0;
    await this.#client.endAsync(force);
    this.#sending.end();
  }
}

/** Waits for the work, but not longer than that; how it ends is not told. */
async function within(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work.then(() => {}).catch(() => {}), timeout]);
  clearTimeout(timer);
}
