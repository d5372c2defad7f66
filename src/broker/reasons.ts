/** MQTT 5 reason codes that the broker gives, and what they become for a 3.1.1 client. */

export const REASON = {
  success: 0x00,
  noMatchingSubscribers: 0x10,
  noSubscriptionExisted: 0x11,
  unspecified: 0x80,
  malformedPacket: 0x81,
  protocolError: 0x82,
  unsupportedProtocolVersion: 0x84,
  clientIdentifierNotValid: 0x85,
  badUserNameOrPassword: 0x86,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  serverBusy: 0x89,
  serverShuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  topicFilterInvalid: 0x8f,
  topicNameInvalid: 0x90,
  packetIdentifierNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
} as const;

export type Reason = (typeof REASON)[keyof typeof REASON];

/** CONNACK return codes of MQTT 3.1.1; a reason that is not here is "server unavailable" there. */
const RETURN_CODES: Readonly<Partial<Record<Reason, number>>> = {
  [REASON.success]: 0,
  [REASON.unsupportedProtocolVersion]: 1,
  [REASON.clientIdentifierNotValid]: 2,
  [REASON.badUserNameOrPassword]: 4,
  [REASON.notAuthorized]: 5,
};

/** The CONNACK return code of MQTT 3.1.1 for a reason. */
export function returnCode(reason: Reason): number {
  return RETURN_CODES[reason] ?? 3;
}

/** Thrown where a packet breaks the protocol: the connection is told the reason and closed. */
export class ProtocolViolation extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
    this.name = 'ProtocolViolation';
  }
}
