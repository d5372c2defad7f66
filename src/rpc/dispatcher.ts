/**
 * From a message to the method that answers it, by oslo.messaging's rules: the first endpoint with the message's namespace, the
 * same major version and at least the minor one that has the method. A host may speak only for itself.
 */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import { adminContext, type Context } from '#src/lib/context.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import type { RpcEndpoint, RpcListener, RpcMessage, RpcMethod } from '#src/lib/rpc.ts';
import { ForeignHost, NoSuchMethod, UnsupportedVersion } from './errors.ts';

/** Where arguments name the host that speaks (Neutron's `host` argument, and the state report's). */
const HOST_CLAIMS: readonly (readonly string[])[] = [['host'], ['agent_state', 'agent_state', 'host']];

/** Names of hosts are kept in columns of this length. */
const MAX_HOST = 255;

const REQUEST_ID = /^req-[0-9a-f-]{36}$/;

/** Whether an endpoint of version `offered` answers a request for `wanted`. */
export function versionFits(offered: string, wanted: string): boolean {
  const [offeredMajor, offeredMinor = '0'] = offered.split('.');
  const [wantedMajor, wantedMinor = '0'] = wanted.split('.');
  return offeredMajor === wantedMajor && Number(offeredMinor) >= Number(wantedMinor);
}

/** The endpoints of several listeners by topic: plugins may share one (`q-plugin`). */
export function endpointsByTopic(listeners: readonly RpcListener[]): ReadonlyMap<string, readonly RpcEndpoint[]> {
  const topics = new Map<string, RpcEndpoint[]>();
  for (const { topic, endpoints } of listeners) {
    const known = topics.get(topic);
    if (known === undefined) topics.set(topic, [...endpoints]);
    else known.push(...endpoints);
  }
  return topics;
}

/** The method that answers; throws UnsupportedVersion or NoSuchMethod. */
export function findMethod(endpoints: readonly RpcEndpoint[], message: RpcMessage): RpcMethod {
  let compatible = false;
  for (const endpoint of endpoints) {
    if (endpoint.namespace !== message.namespace || !versionFits(endpoint.version, message.version)) continue;
    compatible = true;
    if (Object.hasOwn(endpoint.methods, message.method)) return endpoint.methods[message.method]!;
  }
  throw compatible
    ? new NoSuchMethod(message.method)
    : new UnsupportedVersion(message.method, message.version, message.namespace);
}

function at(args: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = args;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

/** Throws ForeignHost when the arguments speak for a host that is not the caller's. */
export function checkHost(host: string, message: RpcMessage): void {
  for (const path of HOST_CLAIMS) {
    const claimed = at(message.args, path);
    if (claimed === undefined || claimed === null || claimed === host) continue;
    throw new ForeignHost(message.method, host, String(claimed), path.join('.'));
  }
}

/** Whether the database can keep the text: it has no NUL, and no half of a surrogate pair. */
const isKept = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function holdsKeptTexts(value: Json): boolean {
  if (typeof value === 'string') return isKept(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(holdsKeptTexts);
  return Object.entries(value).every(([key, member]) => isKept(key) && holdsKeptTexts(member));
}

/** Throws InvalidInput for what no database keeps, here or anywhere in the arguments: nothing is called by it. */
function checkTexts(host: string, { method, args }: RpcMessage): void {
  if (host.length > MAX_HOST)
    throw new InvalidInput(`${method}: the name of a host has at most ${MAX_HOST} characters`);
  if (!holdsKeptTexts(args)) {
    throw new InvalidInput(`${method}: arguments: a text holds the character NUL, or half of a surrogate pair`);
  }
}

/**
 * The context that a method runs in: the administrator's, as agents have in Neutron. Of the message's own context only the
 * request ids are believed; they make the caller's log lines and ours meet.
 */
export function contextOf(message: RpcMessage): Context {
  const requestId = (name: string): string | null => {
    const value = Object.hasOwn(message.context, name) ? message.context[name] : null;
    return typeof value === 'string' && REQUEST_ID.test(value) ? value : null;
  };
  return {
    ...adminContext(requestId('request_id') ?? undefined),
    global_request_id: requestId('global_request_id'),
  };
}

/** Answers a message of a host, or throws what becomes the failure. */
export function dispatch(endpoints: readonly RpcEndpoint[], host: string, message: RpcMessage): Promise<Json> {
  const method = findMethod(endpoints, message);
  checkTexts(host, message);
  checkHost(host, message);
  return method({ context: contextOf(message), host }, message.args);
}
