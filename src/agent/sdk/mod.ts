/**
 * The agent SDK, published as `nucleon/agent`: what every agent does alike, whatever it does to the network. A session that is
 * kept through an absence, presence, state reports, typed calls with time-out and retry, messages, versioned objects that are
 * followed by revision, and a full resynchronisation when messages may have been missed. docs/agent_sdk.md shows its use;
 * docs/agent_protocol.md tells what goes over the wire.
 */

export {
  type MessageHandlers,
  type MessageTopic,
  type PushedObject,
  type RemoteMethod,
  remoteMethod,
} from '#src/rpc/contract.ts';
export type { BrokerRefused, CallOptions, CastOptions, MessagingTimeout } from '#src/rpc/mod.ts';
export { type Agent, type AgentOptions, connect } from './agent.ts';
export { UnexpectedAnswer } from './errors.ts';
export type { FollowedObjects, FollowHandlers } from './following.ts';
export { type Gathering, type GatheringOptions, gather } from './gathering.ts';
export { inParallel } from './parallel.ts';
export type { ResyncReason } from './resync.ts';
