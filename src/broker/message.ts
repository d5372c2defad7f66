/** A published message, the copies of it that go to subscribers, and how a copy is put on the wire. */
import { generate, type IPublishPacket, type QoS } from 'mqtt-packet';
import type { ShareGroup } from './subscription_tree.ts';

export type { QoS };

export type Payload = Exclude<IPublishPacket['payload'], string>;
/** What a message carries through unchanged. */
export type MessageProperties = Omit<
  NonNullable<IPublishPacket['properties']>,
  'messageExpiryInterval' | 'topicAlias' | 'subscriptionIdentifier'
>;

export interface Message {
  readonly topic: string;
  readonly payload: Payload;
  readonly qos: QoS;
  readonly retain: boolean;
  readonly properties: MessageProperties | undefined;
  /** Milliseconds of the clock; Infinity: never. */
  readonly expiresAt: number;
  /** The publisher's client id, for No Local. */
  readonly publisher: string;
  /** What it counts for in memory limits. */
  readonly size: number;
}

/** One session's copy. */
export interface Delivery {
  readonly message: Message;
  readonly qos: QoS;
  readonly retain: boolean;
  /** Identifiers of the subscriptions that matched. */
  readonly ids: readonly number[] | undefined;
  /** The shared subscription that it came by: it may be handed to another member. */
  readonly group: ShareGroup | undefined;
}

interface Published {
  readonly topic: string;
  readonly payload: Payload | string;
  readonly qos?: QoS;
  readonly retain?: boolean;
  readonly properties?: IPublishPacket['properties'];
}

// An estimate of what an object costs beside its bytes.
const OVERHEAD = 256;

/** The message that a PUBLISH or a will says; `topic` where an alias stands for it. */
export function toMessage(published: Published, publisher: string, now: number, topic = published.topic): Message {
  const { messageExpiryInterval, topicAlias: _alias, ...passed } = published.properties ?? {};
  return {
    topic,
    payload: published.payload as Payload,
    qos: published.qos ?? 0,
    retain: published.retain ?? false,
    properties: published.properties === undefined ? undefined : passed,
    expiresAt: messageExpiryInterval === undefined ? Number.POSITIVE_INFINITY : now + messageExpiryInterval * 1000,
    publisher,
    size: OVERHEAD + topic.length + published.payload.length + (passed.correlationData?.length ?? 0),
  };
}

/** The PUBLISH packet of a copy. */
export function encodePublish(
  delivery: Delivery,
  options: { readonly version: 4 | 5; readonly messageId: number; readonly dup: boolean; readonly now: number },
): Uint8Array {
  const { message, qos, retain } = delivery;
  const packet: IPublishPacket = {
    cmd: 'publish',
    topic: message.topic,
    payload: message.payload,
    qos,
    retain,
    dup: options.dup,
    messageId: options.messageId,
  };
  if (options.version === 5) {
    const properties: NonNullable<IPublishPacket['properties']> = { ...message.properties };
    if (delivery.ids !== undefined) properties.subscriptionIdentifier = [...delivery.ids];
    if (message.expiresAt !== Number.POSITIVE_INFINITY) {
      // A copy whose delivery had begun is finished even if it is late: then with one second left.
      properties.messageExpiryInterval = Math.max(1, Math.ceil((message.expiresAt - options.now) / 1000));
    }
    packet.properties = properties;
  }
  return generate(packet, { protocolVersion: options.version });
}
