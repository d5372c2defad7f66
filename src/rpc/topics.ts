/**
 * MQTT topics, built and parsed in one place. The host stands at a fixed level, percent-encoded in exactly one way, so that the
 * broker's ACL (one line for each direction) and the server agree on who speaks: an encoding that is not the canonical one
 * names nobody.
 */

/** What a topic name means. */
export type ParsedTopic =
  | { readonly kind: 'request'; readonly host: string; readonly topic: string }
  | { readonly kind: 'message'; readonly host: string; readonly topic: string }
  | { readonly kind: 'reply'; readonly host: string; readonly client: string }
  | { readonly kind: 'presence'; readonly host: string; readonly binary: string }
  | { readonly kind: 'fanout'; readonly topic: string };

export interface Topics {
  readonly prefix: string;
  /** Agent to server. */
  request(host: string, topic: string): string;
  /** All hosts' requests on a topic, shared among the workers: each message goes to one of them. */
  sharedRequests(topic: string): string;
  /** Server to one host. */
  message(host: string, topic: string): string;
  /** Server to every agent. */
  fanout(topic: string): string;
  /** Where a client of a host takes its answers. */
  reply(host: string, client: string): string;
  presence(host: string, binary: string): string;
  /** Everybody's presence. */
  allPresence(): string;
  /** What a topic name means, or null when it is none of ours. */
  parse(name: string): ParsedTopic | null;
}

/** `[mqtt] topic_prefix` */
export const DEFAULT_PREFIX = 'neutron/v1';

const LEVEL = /^[A-Za-z0-9._~-]+$/;
const PREFIX = /^[^+#/$\s]+(?:\/[^+#/\s]+)*$/;
const SHARE = '$share/nucleon';

/** A name as one topic level: what is not plain is percent-encoded. */
export function encodeLevel(name: string): string {
  if (name === '') throw new TypeError('an empty name cannot be a topic level');
  return encodeURIComponent(name);
}

/** The name that a level stands for; null when it is not the canonical encoding of any. */
export function decodeLevel(level: string): string | null {
  if (LEVEL.test(level)) return level;
  try {
    const name = decodeURIComponent(level);
    // No host is called by what no database keeps.
    return name !== '' && !name.includes('\0') && encodeURIComponent(name) === level ? name : null;
  } catch {
    return null;
  }
}

/** Neutron's topic as one level; a name that would not fit is refused, not mangled. */
function plainLevel(topic: string): string {
  if (!LEVEL.test(topic)) {
    throw new TypeError(`'${topic}' cannot be an RPC topic: letters, digits and . _ ~ - only`);
  }
  return topic;
}

/** The topics below a prefix. */
export function createTopics(prefix: string = DEFAULT_PREFIX): Topics {
  if (!PREFIX.test(prefix)) {
    throw new TypeError(`[mqtt] topic_prefix '${prefix}' is not a topic: no wildcards, no empty levels, no leading $`);
  }
  const start = `${prefix}/`;
  const host = encodeLevel;
  return {
    prefix,
    request: (name, topic) => `${prefix}/up/${host(name)}/req/${plainLevel(topic)}`,
    sharedRequests: (topic) => `${SHARE}/${prefix}/up/+/req/${plainLevel(topic)}`,
    message: (name, topic) => `${prefix}/down/${host(name)}/msg/${plainLevel(topic)}`,
    fanout: (topic) => `${prefix}/fanout/${plainLevel(topic)}`,
    reply: (name, client) => `${prefix}/down/${host(name)}/rep/${encodeLevel(client)}`,
    presence: (name, binary) => `${prefix}/up/${host(name)}/presence/${plainLevel(binary)}`,
    allPresence: () => `${prefix}/up/+/presence/+`,
    parse: (name) => (name.startsWith(start) ? parse(name.slice(start.length).split('/')) : null),
  };
}

function parse(levels: readonly string[]): ParsedTopic | null {
  const [direction, first, kind, last] = levels;
  if (direction === 'fanout' && levels.length === 2)
    return LEVEL.test(first!) ? { kind: 'fanout', topic: first! } : null;
  if (levels.length !== 4) return null;
  const host = decodeLevel(first!);
  if (host === null) return null;
  switch (`${direction}/${kind}`) {
    case 'up/req':
      return LEVEL.test(last!) ? { kind: 'request', host, topic: last! } : null;
    case 'up/presence':
      return LEVEL.test(last!) ? { kind: 'presence', host, binary: last! } : null;
    case 'down/msg':
      return LEVEL.test(last!) ? { kind: 'message', host, topic: last! } : null;
    case 'down/rep': {
      const client = decodeLevel(last!);
      return client === null ? null : { kind: 'reply', host, client };
    }
    default:
      return null;
  }
}
