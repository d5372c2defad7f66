/**
 * RPC over MQTT 5: connections, the server that answers agents, the client that agents call with, presence, and how the outbox
 * relay sends. Topics and payloads alone (no MQTT.js) are in `contract.ts`. docs/agent_protocol.md tells it from outside.
 */
export { type AgentConnection, type AgentOptions, connectAgent } from './agent.ts';
export {
  type CallOptions,
  type CastOptions,
  createRpcClient,
  type RpcClient,
  type RpcClientOptions,
} from './client.ts';
export * from './contract.ts';
export {
  BrokerRefused,
  BrokerUnavailable,
  CallbackNotFound,
  ForeignHost,
  InvalidResourceTypeClass,
  InvalidTargetVersion,
  MalformedMessage,
  MessagingTimeout,
  NoSuchMethod,
  UnsupportedVersion,
} from './errors.ts';
export { notificationPublisher, type OutgoingMessage, type Publish } from './notify.ts';
export { type PresenceWatchOptions, presencePayload, readPresence, watchPresence } from './presence.ts';
export { type RpcServerOptions, startRpcServer } from './server.ts';
export {
  connectMqtt,
  type MqttConnection,
  type MqttMessage,
  type MqttOptions,
  type PublishOptions,
  type SubscribeOptions,
  type Will,
} from './transport.ts';
