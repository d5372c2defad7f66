/**
 * What the packets of an open connection do: publish, subscribe, acknowledge. Every refusal has its reason in the answer;
 * what breaks the protocol throws ProtocolViolation.
 */
import type { IPublishPacket, ISubscribePacket, Packet } from 'mqtt-packet';
import type { Clock } from '#src/lib/clock.ts';
import type { LogFields, Logger } from '#src/lib/log.ts';
import type { Hub } from './hub.ts';
import type { BrokerLimits } from './limits.ts';
import { toMessage } from './message.ts';
import { ProtocolViolation, REASON, type Reason } from './reasons.ts';
import type { Session } from './session.ts';
import type { Stats } from './stats.ts';
import type { Subscription } from './subscription_tree.ts';
import { isTopicFilter, isTopicName, sharedFilter } from './topics.ts';

export interface RequestsParts {
  readonly hub: Hub;
  readonly limits: BrokerLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stats: Stats;
  readonly version: 4 | 5;
  readonly send: (packet: Packet) => void;
  /** The client, for the log. */
  readonly who: LogFields;
}

type Wanted = ISubscribePacket['subscriptions'][number];

/** Refusals of one connection that are logged. */
const LOGGED_DENIALS = 3;

export class Requests {
  readonly #session: Session;
  readonly #parts: RequestsParts;
  readonly #aliases = new Map<number, string>();
  #denials = 0;

  constructor(session: Session, parts: RequestsParts) {
    this.#session = session;
    this.#parts = parts;
  }

  handle(packet: Packet): void {
    const session = this.#session;
    switch (packet.cmd) {
      case 'publish':
        this.#onPublish(packet);
        return;
      case 'puback':
      case 'pubcomp':
        session.finish(packet.messageId ?? 0);
        return;
      case 'pubrec':
        this.#onPubrec(packet.messageId ?? 0, packet.reasonCode ?? REASON.success);
        return;
      case 'pubrel': {
        const known = session.received.delete(packet.messageId ?? 0);
        this.#acknowledge('pubcomp', packet.messageId, known ? REASON.success : REASON.packetIdentifierNotFound);
        return;
      }
      case 'subscribe':
        this.#onSubscribe(packet);
        return;
      case 'unsubscribe': {
        const granted = packet.unsubscriptions.map((filter) =>
          this.#parts.hub.unsubscribe(session, filter) ? REASON.success : REASON.noSubscriptionExisted,
        );
        this.#parts.send({ cmd: 'unsuback', messageId: packet.messageId, granted });
        return;
      }
      default:
        throw new ProtocolViolation(REASON.protocolError, `${packet.cmd} is not expected here`);
    }
  }

  #onPublish(packet: IPublishPacket): void {
    const { stats, hub, clock, limits } = this.#parts;
    const id = packet.messageId ?? 0;
    const topic = this.#topicOf(packet);
    if (packet.properties?.subscriptionIdentifier !== undefined) {
      throw new ProtocolViolation(REASON.protocolError, "a subscription identifier is not a publisher's to send");
    }
    if (packet.qos === 2) {
      if (this.#session.received.has(id)) {
        this.#acknowledge('pubrec', id, REASON.success);
        return;
      }
      if (this.#session.received.size >= limits.receiveMaximum) {
        throw new ProtocolViolation(
          REASON.receiveMaximumExceeded,
          `over ${limits.receiveMaximum} unfinished QoS 2 messages`,
        );
      }
    }
    stats.received[packet.qos] = (stats.received[packet.qos] ?? 0) + 1;
    const reason = this.#session.grant.canPublish(topic)
      ? hub.publish(toMessage(packet, this.#session.clientId, clock.now(), topic))
      : this.#denied('publish', topic);
    if (packet.qos === 1) this.#acknowledge('puback', id, reason);
    if (packet.qos === 2) {
      if (reason < REASON.unspecified || this.#parts.version === 4) this.#session.received.add(id);
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

  #onPubrec(messageId: number, reason: number): void {
    if (reason >= REASON.unspecified) {
      this.#session.finish(messageId);
      return;
    }
    const known = this.#session.receivedByClient(messageId);
    this.#acknowledge('pubrel', messageId, known ? REASON.success : REASON.packetIdentifierNotFound);
  }

  #onSubscribe(packet: ISubscribePacket): void {
    const id = packet.properties?.subscriptionIdentifier;
    if (packet.subscriptions.length === 0) throw new ProtocolViolation(REASON.protocolError, 'SUBSCRIBE to nothing');
    if (id === 0) throw new ProtocolViolation(REASON.protocolError, 'a subscription identifier is not 0');
    const retained: Subscription[] = [];
    const granted = packet.subscriptions.map((wanted) => {
      const refusal = this.#refuseSubscription(wanted);
      if (refusal !== null) return refusal;
      const subscription: Subscription = {
        session: this.#session,
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
    const isVersion5 = this.#parts.version === 5;
    this.#parts.send({
      cmd: 'suback',
      messageId: packet.messageId,
      granted: isVersion5 ? granted : granted.map((reason) => Math.min(reason, REASON.unspecified)),
    });
    for (const subscription of retained) this.#parts.hub.sendRetained(subscription);
  }

  #refuseSubscription(wanted: Wanted): Reason | null {
    if (!isTopicFilter(wanted.topic)) return REASON.topicFilterInvalid;
    if (wanted.nl === true && sharedFilter(wanted.topic) !== null) {
      throw new ProtocolViolation(REASON.protocolError, 'No Local does not go with a shared subscription');
    }
    if (!this.#session.grant.canSubscribe(wanted.topic)) return this.#denied('subscribe', wanted.topic);
    const { subscriptions } = this.#session;
    const isFull = subscriptions.size >= this.#parts.limits.maxSubscriptions && !subscriptions.has(wanted.topic);
    return isFull ? REASON.quotaExceeded : null;
  }

  #denied(action: 'publish' | 'subscribe', topic: string): Reason {
    this.#denials += 1;
    if (this.#denials <= LOGGED_DENIALS) {
      this.#parts.log.warn(`an MQTT user may not ${action} there`, { ...this.#parts.who, topic });
    }
    return REASON.notAuthorized;
  }

  #acknowledge(
    cmd: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp',
    messageId: number | undefined,
    reasonCode: Reason,
  ): void {
    this.#parts.send({ cmd, messageId, reasonCode });
  }
}
