/** Bounds of the broker: nothing a client sends or fails to read grows without end. */

export interface BrokerLimits {
  /** Connections at a time; one more is answered 0x89 (server busy). */
  readonly maxConnections: number;
  /** Milliseconds until a connection must have sent its CONNECT. */
  readonly connectTimeout: number;
  /** Bytes of a whole packet, both announced and enforced. */
  readonly maxPacketSize: number;
  /** QoS 2 messages that a client may have unfinished towards us (the Receive Maximum we announce). */
  readonly receiveMaximum: number;
  /** Unacknowledged messages towards one client, if its own Receive Maximum does not say less. */
  readonly maxInflight: number;
  /** Topic aliases that a client may set. */
  readonly topicAliasMaximum: number;
  /** Messages waiting for one session; one more ends the session. */
  readonly maxQueuedMessages: number;
  /** Bytes waiting for one session; more end the session. */
  readonly maxQueuedBytes: number;
  /** Bytes waiting in all sessions together; more end the session that would take them. */
  readonly maxTotalQueuedBytes: number;
  /** Unsent bytes of a connection from which on QoS 0 is dropped and QoS 1 and 2 wait in the session. */
  readonly slowReaderBytes: number;
  /** Unsent bytes at which a connection that does not read is closed. */
  readonly deadReaderBytes: number;
  /** Seconds that a session is kept at most while its client is away. */
  readonly maxSessionExpiry: number;
  /** Sessions kept, connected or not. */
  readonly maxSessions: number;
  /** Subscriptions of one session. */
  readonly maxSubscriptions: number;
  readonly maxRetainedMessages: number;
  readonly maxRetainedBytes: number;
  /** Seconds; a client that asks for more, or for no keep-alive, is told this one (MQTT 5). */
  readonly maxKeepAlive: number;
  /** Milliseconds between two looks at deadlines (keep-alive, wills, expiry). */
  readonly tick: number;
}

const MIB = 1024 * 1024;

/** Room for 2,000 agents on a small machine. */
export const DEFAULT_LIMITS: BrokerLimits = {
  maxConnections: 10_000,
  connectTimeout: 10_000,
  maxPacketSize: MIB + 64 * 1024,
  receiveMaximum: 1024,
  maxInflight: 2048,
  topicAliasMaximum: 64,
  maxQueuedMessages: 100_000,
  maxQueuedBytes: 64 * MIB,
  maxTotalQueuedBytes: 512 * MIB,
  slowReaderBytes: MIB,
  deadReaderBytes: 16 * MIB,
  maxSessionExpiry: 86_400,
  maxSessions: 20_000,
  maxSubscriptions: 1000,
  maxRetainedMessages: 100_000,
  maxRetainedBytes: 256 * MIB,
  maxKeepAlive: 300,
  tick: 250,
};
