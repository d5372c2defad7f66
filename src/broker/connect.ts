/** What a CONNECT packet asks for, checked and within the broker's bounds, and the CONNACK properties that say so. */
import type { IConnackPacket, IConnectPacket } from 'mqtt-packet';
import type { Grant } from './grants.ts';
import type { BrokerLimits } from './limits.ts';
import { toMessage } from './message.ts';
import { REASON, type Reason } from './reasons.ts';
import type { Will } from './session.ts';
import { isText, isTopicName } from './topics.ts';

export interface ConnectRequest {
  readonly version: 4 | 5;
  readonly clientId: string;
  readonly username: string;
  readonly password: string;
  readonly clean: boolean;
  /** Seconds that the session is kept. */
  readonly expiry: number;
  readonly will: Will | undefined;
  /** Seconds; 0: none (MQTT 3.1.1 only). */
  readonly keepAlive: number;
  /** Unacknowledged messages that the client takes. */
  readonly window: number;
  readonly maxPacketSize: number;
  /** What the client is told that it did not ask for, or where it got something else. */
  readonly answer: NonNullable<IConnackPacket['properties']>;
}

export interface Refusal {
  readonly reason: Reason;
  readonly message: string;
}

const NEVER = 0xffffffff;
const MAX_CLIENT_ID = 256;

/** Reads a CONNECT; `assignId` makes the id of a client that has none. */
export function readConnect(
  packet: IConnectPacket,
  limits: BrokerLimits,
  now: number,
  assignId: () => string,
): ConnectRequest | Refusal {
  const version = packet.protocolVersion;
  if (version !== 4 && version !== 5) {
    return { reason: REASON.unsupportedProtocolVersion, message: 'only MQTT 5 and 3.1.1 are spoken here' };
  }
  const properties = packet.properties ?? {};
  if (properties.authenticationMethod !== undefined) {
    return { reason: REASON.badAuthenticationMethod, message: 'authenticate with user name and password' };
  }
  for (const name of ['receiveMaximum', 'maximumPacketSize'] as const) {
    if (properties[name] === 0) return { reason: REASON.protocolError, message: `${name} must not be 0` };
  }
  const clean = packet.clean ?? false;
  if (packet.clientId === '' && version === 4 && !clean) {
    return { reason: REASON.clientIdentifierNotValid, message: 'a session that is kept needs a client id' };
  }
  if (packet.clientId.length > MAX_CLIENT_ID || !isText(packet.clientId)) {
    return { reason: REASON.clientIdentifierNotValid, message: `a client id has at most ${MAX_CLIENT_ID} characters` };
  }
  const clientId = packet.clientId === '' ? assignId() : packet.clientId;
  const will = readWill(packet, clientId, now);
  if (will !== undefined && 'reason' in will) return will;

  const asked = version === 5 ? (properties.sessionExpiryInterval ?? 0) : clean ? 0 : NEVER;
  const expiry = Math.min(asked, limits.maxSessionExpiry);
  const askedKeepAlive = packet.keepalive ?? 0;
  const tooRare = askedKeepAlive === 0 || askedKeepAlive > limits.maxKeepAlive;
  // A 3.1.1 client cannot be told another keep-alive.
  const keepAlive = version === 5 && tooRare ? limits.maxKeepAlive : askedKeepAlive;
  return {
    version,
    clientId,
    username: packet.username ?? '',
    password: new TextDecoder().decode(packet.password),
    clean,
    expiry,
    will,
    keepAlive,
    window: Math.min(properties.receiveMaximum ?? 0xffff, limits.maxInflight),
    maxPacketSize: properties.maximumPacketSize ?? Number.POSITIVE_INFINITY,
    answer: {
      receiveMaximum: limits.receiveMaximum,
      maximumPacketSize: limits.maxPacketSize,
      topicAliasMaximum: limits.topicAliasMaximum,
      ...(expiry !== asked && { sessionExpiryInterval: expiry }),
      ...(keepAlive !== askedKeepAlive && { serverKeepAlive: keepAlive }),
      ...(packet.clientId === '' && { assignedClientIdentifier: clientId }),
    },
  };
}

/** Why the will may not be published by this user, or null. */
export function refuseWill(will: Will | undefined, grant: Grant): Refusal | null {
  if (will === undefined || grant.canPublish(will.message.topic)) return null;
  return { reason: REASON.notAuthorized, message: `the will may not be published to ${will.message.topic}` };
}

function readWill(packet: IConnectPacket, clientId: string, now: number): Will | Refusal | undefined {
  const { will } = packet;
  if (will === undefined) return undefined;
  // Two bits, of which mqtt-packet accepts all values.
  if (Number(will.qos ?? 0) > 2) return { reason: REASON.malformedPacket, message: 'there is no QoS 3' };
  if (!isTopicName(will.topic)) return { reason: REASON.topicNameInvalid, message: 'the will has no proper topic' };
  const { willDelayInterval, messageExpiryInterval, ...properties } = will.properties ?? {};
  const message = toMessage({ ...will, properties }, clientId, now);
  return { message, expiry: messageExpiryInterval, delay: willDelayInterval ?? 0 };
}
