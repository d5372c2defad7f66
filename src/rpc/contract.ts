/** The part of RPC that needs no broker: topics, payloads, objects that agents ask for. Code that also runs in isolates imports this, not `mod.ts`. */
export { parseArguments } from './arguments.ts';
export { AIM_BYTES, decodeMessage, encodeMessage, MAX_BYTES } from './envelope.ts';
export { MessageTooLarge } from './errors.ts';
export {
  type MessageHandlers,
  type MessageTopic,
  type PushedObject,
  type RemoteMethod,
  remoteMethod,
} from './methods.ts';
export { objectListeners, RESOURCE_VERSIONS, type ResourceVersions } from './resources.ts';
export { createTopics, DEFAULT_PREFIX, decodeLevel, encodeLevel, type ParsedTopic, type Topics } from './topics.ts';
export { versionedObject } from './versioned.ts';
