/** The part of RPC that needs no broker: topics and payloads. Code that also runs in isolates imports this, not `mod.ts`. */
export { AIM_BYTES, decodeMessage, encodeMessage, MAX_BYTES } from './envelope.ts';
export { MessageTooLarge } from './errors.ts';
export { createTopics, DEFAULT_PREFIX, decodeLevel, encodeLevel, type ParsedTopic, type Topics } from './topics.ts';
