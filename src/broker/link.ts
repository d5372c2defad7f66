/**
 * One network connection.
 *
 *   opening --CONNECT--> authenticating --user known, CONNACK--> open --DISCONNECT, error, time-out--> closed
 *
 * While the user is being checked, bytes wait in the reader. What a packet causes is written to the session's or another
 * link's buffer at once, and each link's buffer goes to the kernel in one piece when the packets of one read are done.
 * A packet that breaks the protocol ends its own connection with the reason and nothing else.
 */
import { generate, type IPublishPacket, type ISubscribePacket, type Packet } from 'mqtt-packet';
import type { Clock } from '#src/lib/clock.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Connection } from '#src/lib/runtime.ts';
import { type ConnectRequest, readConnect, refuseWill } from './connect.ts';
import type { Hub } from './hub.ts';
import type { BrokerLimits } from './limits.ts';
import { type Delivery, encodePublish, toMessage } from './message.ts';
import { PacketReader } from './packet_reader.ts';
import { ProtocolViolation, REASON, type Reason, returnCode } from './reasons.ts';
import type { Outlet, Session } from './session.ts';
import type { Stats } from './stats.ts';
import type { Subscription } from './subscription_tree.ts';
import { isTopicFilter, isTopicName, sharedFilter } from './topics.ts';
import type { UserStore } from './users.ts';

export interface LinkParts {
  readonly hub: Hub;
  readonly users: UserStore;
  readonly limits: BrokerLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stats: Stats;
  /** Whether another client may be served now. */
  hasRoom(): boolean;
  closed(link: Link): void;
}

type Wanted = ISubscribePacket['subscriptions'][number];

/** A CONNECT with a will fits; a stranger's larger packets are refused. */
const MAX_CONNECT = 160 * 1024;
/** A client that takes only small packets gets no texts. */
const ROOM_FOR_TEXT = 512;
/** Refusals of one connection that are logged. */
const LOGGED_DENIALS = 3;

export class Link implements Outlet {
  readonly #parts: LinkParts;
  readonly #connection: Connection;
  readonly #reader = new PacketReader(MAX_CONNECT);
  readonly #aliases = new Map<number, string>();
  #state: 'opening' | 'authenticating' | 'open' | 'closed' = 'opening';
  #request: ConnectRequest | undefined;
  #session: Session | undefined;
  #deadline: number;
  #out: Uint8Array[] = [];
  #outBytes = 0;
  #denials = 0;

  constructor(connection: Connection, parts: LinkParts) {
    this.#connection = connection;
    this.#parts = parts;
    this.#deadline = parts.clock.now() + parts.limits.connectTimeout;
    connection.onData((bytes) => this.#onData(bytes));
    connection.onClose(() => this.#closed(true));
  }

  get window(): number {
    return this.#request?.window ?? 0;
  }

  get backlog(): number {
    return this.#outBytes + this.#connection.buffered;
  }

  publish(delivery: Delivery, messageId: number, dup: boolean): boolean {
    const request = this.#request;
    if (request === undefined || this.#state === 'closed') return true;
    const now = this.#parts.clock.now();
    const bytes = encodePublish(delivery, { version: request.version, messageId, dup, now });
    if (bytes.length > request.maxPacketSize) {
      this.#parts.stats.drop('too large');
      return false;
    }
    this.#parts.stats.sent[delivery.qos] = (this.#parts.stats.sent[delivery.qos] ?? 0) + 1;
    this.#write(bytes);
    return true;
  }

  release(messageId: number): void {
    this.#send({ cmd: 'pubrel', messageId, reasonCode: REASON.success });
  }

  end(reason: Reason, message: string): void {
    this.#end(reason, message, true);
  }

  /** The broker stops: nobody is left to send the will to. */
  shutDown(): void {
    this.#end(REASON.serverShuttingDown, 'the broker stops', false);
  }

  /** Closes the connection if its time is up. */
  tick(now: number): void {
    if (now > this.#deadline) {
      if (this.#state === 'open') this.end(REASON.keepAliveTimeout, 'nothing was heard of the client for too long');
      else this.#end(REASON.unspecified, 'no CONNECT came in time', false);
    } else if (this.#connection.buffered > this.#parts.limits.deadReaderBytes) {
      this.end(REASON.quotaExceeded, 'the client does not read what it is sent');
    }
  }

  #onData(bytes: Uint8Array): void {
    if (this.#state === 'closed') return;
    this.#reader.append(bytes);
    this.#heard();
    this.#drain();
    if (this.#reader.buffered > 2 * this.#parts.limits.maxPacketSize) {
      this.#end(REASON.packetTooLarge, 'too much was sent before the CONNACK', false);
    }
  }

  #heard(): void {
    const keepAlive = this.#request?.keepAlive;
    if (this.#state !== 'open' || keepAlive === undefined) return;
    this.#deadline = keepAlive === 0 ? Number.POSITIVE_INFINITY : this.#parts.clock.now() + keepAlive * 1500;
  }

  #drain(): void {
    try {
      while (this.#state === 'opening' || this.#state === 'open') {
        const packet = this.#reader.next();
        if (packet === null) return;
        this.#handle(packet);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (error instanceof ProtocolViolation) {
      this.#parts.stats.violation();
      this.#parts.log.info('an MQTT client broke the protocol', { ...this.#who(), problem: error.message });
      this.#end(error.reason, error.message, true);
      return;
    }
    this.#parts.log.error('an MQTT packet could not be handled', { ...this.#who(), error });
    this.#end(REASON.unspecified, 'the broker failed to handle a packet', true);
  }

  #handle(packet: Packet): void {
    if (packet.cmd === 'connect') {
      if (this.#state !== 'opening') throw new ProtocolViolation(REASON.protocolError, 'a second CONNECT');
      void this.#open(
        readConnect(packet, this.#parts.limits, this.#parts.clock.now(), () => `auto-${crypto.randomUUID()}`),
        packet.protocolVersion === 5,
      );
      return;
    }
    const session = this.#session;
    if (session === undefined) throw new ProtocolViolation(REASON.protocolError, `${packet.cmd} before CONNECT`);
    switch (packet.cmd) {
      case 'publish':
        this.#onPublish(session, packet);
        return;
      case 'puback':
        session.finish(packet.messageId ?? 0);
        return;
      case 'pubrec':
        this.#onPubrec(session, packet.messageId ?? 0, packet.reasonCode ?? REASON.success);
        return;
      case 'pubrel': {
        const known = session.received.delete(packet.messageId ?? 0);
        this.#acknowledge('pubcomp', packet.messageId, known ? REASON.success : REASON.packetIdentifierNotFound);
        return;
      }
      case 'pubcomp':
        session.finish(packet.messageId ?? 0);
        return;
      case 'subscribe':
        this.#onSubscribe(session, packet);
        return;
      case 'unsubscribe': {
        const granted = packet.unsubscriptions.map((filter) =>
          this.#parts.hub.unsubscribe(session, filter) ? REASON.success : REASON.noSubscriptionExisted,
        );
        this.#send({ cmd: 'unsuback', messageId: packet.messageId, granted });
        return;
      }
      case 'pingreq':
        this.#send({ cmd: 'pingresp' });
        return;
      case 'disconnect': {
        const expiry = packet.properties?.sessionExpiryInterval;
        if (expiry !== undefined) {
          if (session.expiry === 0 && expiry > 0) {
            throw new ProtocolViolation(REASON.protocolError, 'a session that is not kept cannot be kept at the end');
          }
          session.expiry = Math.min(expiry, this.#parts.limits.maxSessionExpiry);
        }
        this.#closed((packet.reasonCode ?? REASON.success) !== REASON.success);
        return;
      }
      default:
        throw new ProtocolViolation(REASON.protocolError, `${packet.cmd} is not expected here`);
    }
  }

  async #open(request: ReturnType<typeof readConnect>, isVersion5: boolean): Promise<void> {
    this.#state = 'authenticating';
    if ('reason' in request) return this.#refuse(isVersion5, request.reason, request.message);
    this.#request = request;
    const { users, hub, log, limits } = this.#parts;
    if (!this.#parts.hasRoom())
      return this.#refuse(isVersion5, REASON.serverBusy, 'the broker has no room for more clients');
    let grant: Awaited<ReturnType<UserStore['authenticate']>>;
    try {
      grant = await users.authenticate(request.username, request.password, this.#connection.remote);
    } catch (error) {
      log.error('the user of an MQTT client could not be checked', { ...this.#who(), error });
      return this.#refuse(isVersion5, REASON.serverUnavailable, 'users cannot be checked now');
    }
    if (this.#state !== 'authenticating') return;
    if (grant === null) {
      log.warn('an MQTT client was refused: wrong user name or password', this.#who());
      return this.#refuse(isVersion5, REASON.badUserNameOrPassword, 'wrong user name or password');
    }
    const denied = refuseWill(request.will, grant);
    if (denied !== null) return this.#refuse(isVersion5, denied.reason, denied.message);
    const opened = hub.open({ ...request, grant });
    if (opened.kind === 'refused') return this.#refuse(isVersion5, opened.reason, opened.message);
    log.debug('an MQTT client connected', { ...this.#who(), session_present: opened.present });
    this.#state = 'open';
    this.#session = opened.session;
    this.#reader.maxPacketSize = limits.maxPacketSize;
    this.#heard();
    this.#send({
      cmd: 'connack',
      sessionPresent: opened.present,
      ...(isVersion5 ? { reasonCode: REASON.success, properties: request.answer } : { returnCode: 0 }),
    });
    opened.session.connect(this);
    this.#drain();
  }

  #refuse(isVersion5: boolean, reason: Reason, message: string): void {
    if (this.#state === 'closed') return;
    this.#parts.stats.refused(reasonName(reason));
    this.#parts.log.info('an MQTT client was refused', {
      ...this.#who(),
      reason: reasonName(reason),
      problem: message,
    });
    this.#write(
      generate(
        {
          cmd: 'connack',
          sessionPresent: false,
          ...(isVersion5
            ? { reasonCode: reason, properties: { reasonString: message } }
            : { returnCode: returnCode(reason) }),
        },
        { protocolVersion: isVersion5 ? 5 : 4 },
      ),
    );
    this.#closed(false);
  }

  #onPublish(session: Session, packet: IPublishPacket): void {
    const { stats, hub, clock, limits } = this.#parts;
    const id = packet.messageId ?? 0;
    const topic = this.#topicOf(packet);
    if (packet.properties?.subscriptionIdentifier !== undefined) {
      throw new ProtocolViolation(REASON.protocolError, "a subscription identifier is not a publisher's to send");
    }
    if (packet.qos === 2) {
      if (session.received.has(id)) {
        this.#acknowledge('pubrec', id, REASON.success);
        return;
      }
      if (session.received.size >= limits.receiveMaximum) {
        throw new ProtocolViolation(
          REASON.receiveMaximumExceeded,
          `over ${limits.receiveMaximum} unfinished QoS 2 messages`,
        );
      }
    }
    stats.received[packet.qos] = (stats.received[packet.qos] ?? 0) + 1;
    const reason = session.grant.canPublish(topic)
      ? hub.publish(toMessage(packet, session.clientId, clock.now(), topic))
      : this.#denied('publish', topic);
    if (packet.qos === 1) this.#acknowledge('puback', id, reason);
    if (packet.qos === 2) {
      if (reason < REASON.unspecified || this.#request?.version === 4) session.received.add(id);
      this.#acknowledge('pubrec', id, reason);
    }
  }

  /** The topic of a PUBLISH, by its alias where it has only that. */
  #topicOf(packet: IPublishPacket): string {
    const alias = packet.properties?.topicAlias;
    if (alias !== undefined) {
      if (alias < 1 || alias > this.#parts.limits.topicAliasMaximum) {
        throw new ProtocolViolation(REASON.topicAliasInvalid, `there is no topic alias ${alias}`);
      }
      if (packet.topic === '') {
        const topic = this.#aliases.get(alias);
        if (topic === undefined)
          throw new ProtocolViolation(REASON.protocolError, `the topic alias ${alias} was not set`);
        return topic;
      }
    }
    if (!isTopicName(packet.topic)) {
      throw new ProtocolViolation(REASON.topicNameInvalid, 'a message needs a topic without wildcards');
    }
    const responseTopic = packet.properties?.responseTopic;
    if (responseTopic !== undefined && !isTopicName(responseTopic)) {
      throw new ProtocolViolation(REASON.protocolError, 'a response topic has no wildcards');
    }
    if (alias !== undefined) this.#aliases.set(alias, packet.topic);
    return packet.topic;
  }

  #onPubrec(session: Session, messageId: number, reason: number): void {
    if (reason >= REASON.unspecified) {
      session.finish(messageId);
      return;
    }
    const known = session.receivedByClient(messageId);
    this.#acknowledge('pubrel', messageId, known ? REASON.success : REASON.packetIdentifierNotFound);
  }

  #onSubscribe(session: Session, packet: ISubscribePacket): void {
    const id = packet.properties?.subscriptionIdentifier;
    if (packet.subscriptions.length === 0) throw new ProtocolViolation(REASON.protocolError, 'SUBSCRIBE to nothing');
    if (id === 0) throw new ProtocolViolation(REASON.protocolError, 'a subscription identifier is not 0');
    const retained: Subscription[] = [];
    const granted = packet.subscriptions.map((wanted) => {
      const refusal = this.#refuseSubscription(session, wanted);
      if (refusal !== null) return refusal;
      const subscription: Subscription = {
        session,
        filter: wanted.topic,
        qos: wanted.qos,
        noLocal: wanted.nl ?? false,
        retainAsPublished: wanted.rap ?? false,
        id,
      };
      const { existed } = this.#parts.hub.subscribe(subscription);
      const handling = wanted.rh ?? 0;
      if (sharedFilter(wanted.topic) === null && (handling === 0 || (handling === 1 && !existed))) {
        retained.push(subscription);
      }
      return wanted.qos;
    });
    const isVersion5 = this.#request?.version === 5;
    this.#send({
      cmd: 'suback',
      messageId: packet.messageId,
      granted: isVersion5 ? granted : granted.map((reason) => Math.min(reason, REASON.unspecified)),
    });
    for (const subscription of retained) this.#parts.hub.sendRetained(subscription);
  }

  #refuseSubscription(session: Session, wanted: Wanted): Reason | null {
    if (!isTopicFilter(wanted.topic)) return REASON.topicFilterInvalid;
    if (wanted.nl === true && sharedFilter(wanted.topic) !== null) {
      throw new ProtocolViolation(REASON.protocolError, 'No Local does not go with a shared subscription');
    }
    if (!session.grant.canSubscribe(wanted.topic)) return this.#denied('subscribe', wanted.topic);
    const { subscriptions } = session;
    const isFull = subscriptions.size >= this.#parts.limits.maxSubscriptions && !subscriptions.has(wanted.topic);
    return isFull ? REASON.quotaExceeded : null;
  }

  #denied(action: 'publish' | 'subscribe', topic: string): Reason {
    this.#denials += 1;
    if (this.#denials <= LOGGED_DENIALS) {
      this.#parts.log.warn(`an MQTT user may not ${action} there`, { ...this.#who(), topic });
    }
    return REASON.notAuthorized;
  }

  #acknowledge(
    cmd: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp',
    messageId: number | undefined,
    reasonCode: Reason,
  ): void {
    this.#send({ cmd, messageId, reasonCode });
  }

  #send(packet: Packet): void {
    if (this.#state !== 'open') return;
    this.#write(generate(packet, { protocolVersion: this.#request?.version ?? 5 }));
  }

  #write(bytes: Uint8Array): void {
    if (this.#out.length === 0) queueMicrotask(() => this.#flush());
    this.#out.push(bytes);
    this.#outBytes += bytes.length;
  }

  #flush(): void {
    const [first, ...more] = this.#out;
    if (first === undefined) return;
    const bytes = more.length === 0 ? first : join(this.#out, this.#outBytes);
    this.#out = [];
    this.#outBytes = 0;
    this.#connection.write(bytes);
  }

  #end(reason: Reason, message: string, sendWill: boolean): void {
    if (this.#state === 'open' && this.#request?.version === 5) {
      const hasRoomForText = this.#request.maxPacketSize >= ROOM_FOR_TEXT;
      this.#send({
        cmd: 'disconnect',
        reasonCode: reason,
        ...(hasRoomForText && { properties: { reasonString: message } }),
      });
    }
    if (this.#state !== 'closed')
      this.#parts.log.debug('an MQTT connection is closed', { ...this.#who(), problem: message });
    this.#closed(sendWill);
  }

  #closed(sendWill: boolean): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#flush();
    this.#connection.close();
    if (this.#session !== undefined) this.#parts.hub.close(this.#session, this, sendWill);
    this.#parts.closed(this);
  }

  #who(): Readonly<Record<string, unknown>> {
    return {
      client_id: this.#request?.clientId,
      username: this.#request?.username,
      remote: this.#connection.remote,
    };
  }
}

function reasonName(reason: Reason): string {
  return Object.entries(REASON).find(([, code]) => code === reason)?.[0] ?? 'unspecified';
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
