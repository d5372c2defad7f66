/**
 * The embedded MQTT 5 broker: what `nucleon server` starts where no other broker is configured. It speaks MQTT 5 and
 * 3.1.1 over TCP and WebSocket, keeps sessions and retained messages in memory, holds every user to its own topics, and
 * hands the unacknowledged messages of a shared subscription's dead member to another. Mosquitto 2 with
 * etc/mosquitto/ is its replacement: one suite (test/broker/) runs against both.
 *
 * A map of the folder: `broker` starts and stops; `link` is one network connection (handshake, keep-alive), `requests`
 * what its packets do; `session` is what outlives it (subscriptions, unacknowledged and waiting messages); `hub` routes
 * between sessions, with `subscription_tree` and `retained_store`; `packet_reader` cuts and checks the byte stream;
 * `users`, `credentials` and `grants` say who may connect and do what.
 */

export type { Broker, BrokerOptions } from './broker.ts';
export { startBroker } from './broker.ts';
export type { Credential } from './credentials.ts';
export { createCredential } from './credentials.ts';
export type { Grant } from './grants.ts';
export { encodeHost, SERVER_USER, topicGrants } from './grants.ts';
export type { BrokerLimits } from './limits.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { FileUsers, FileUsersOptions, UserStore } from './users.ts';
export { addUser, addUsers, fileUsers, loadUsers, removeUser } from './users.ts';
