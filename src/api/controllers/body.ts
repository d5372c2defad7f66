/**
 * Request bodies: read as JSON, refused when they are not what the resource takes, prepared (checked, converted, defaults
 * filled in) attribute by attribute. Also refuses what no later step could keep: null characters and broken surrogates
 * (PostgreSQL takes neither) and nesting without end.
 */
import { prepareBody } from '#src/lib/api/prepare.ts';
import { HttpBadRequest, HttpUnsupportedMediaType, NeutronError } from '#src/lib/errors.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Scene } from './scene.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What a body may nest to; the deepest attribute of the API has five levels. */
const MAX_DEPTH = 64;

/** Escapes that may stand for a null character or half a surrogate pair. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i;

/** What HTTP libraries and `curl -d` call a body of whose type they were not told; Neutron reads such bodies as JSON, too. */
const UNTOLD_TYPE = /^(?:text\/plain|application\/x-www-form-urlencoded)\s*(?:;|$)/i;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new HttpBadRequest('The request body contains characters that cannot be stored');
  }
}

function checkValue(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new HttpBadRequest(`The request body is nested more than ${MAX_DEPTH} levels deep`);
  if (typeof value === 'string') checkText(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    checkText(key);
    checkValue(inner, depth + 1);
  }
}

/** Whether the text opens so many objects and lists that it could nest too deep. */
function mayNest(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) open += 1;
  }
  return open > MAX_DEPTH;
}

function parse(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpBadRequest('Request body is not valid JSON');
  }
  if (!isObject(value)) throw new HttpBadRequest('Body contains invalid data: a JSON object is expected');
  if (SUSPICIOUS.test(text) || mayNest(text)) checkValue(value, 0);
  return value;
}

async function readText(scene: Scene): Promise<string> {
  try {
    return await scene.c.req.raw.text();
  } catch (error) {
    if (error instanceof NeutronError) throw error;
    // The client went away, or its framing was wrong: nothing that we could mend.
    throw new HttpBadRequest('The request body could not be read to its end');
  }
}

async function readJsonText(scene: Scene): Promise<string> {
  const text = await readText(scene);
  const type = scene.c.req.raw.headers.get('content-type');
  if (text !== '' && type !== null && !JSON_TYPE.test(type) && !UNTOLD_TYPE.test(type)) {
    throw new HttpUnsupportedMediaType(`The Content-Type '${type}' is not supported: send application/json`);
  }
  return text;
}

/** The body of a POST or PUT: a JSON object. */
export async function readBody(scene: Scene): Promise<JsonObject> {
  const text = await readJsonText(scene);
  if (text === '') throw new HttpBadRequest('Resource body required');
  return parse(text);
}

/** The body of an action, which may be left out. */
export async function readOptionalBody(scene: Scene): Promise<JsonObject> {
  const text = await readJsonText(scene);
  return text === '' ? {} : parse(text);
}

/** Refuses a DELETE with a body. */
export async function refuseBody(scene: Scene): Promise<void> {
  if ((await readText(scene)) !== '') throw new HttpBadRequest('A DELETE request takes no body');
}

/** The prepared bodies of a creation. */
export interface Creation {
  readonly bulk: boolean;
  readonly bodies: readonly Resource[];
}

function prepare(scene: Scene, value: unknown, method: 'POST' | 'PUT'): Resource {
  if (!isObject(value)) throw new HttpBadRequest('Resource body required');
  return prepareBody(scene.resource.compiled, value, method, scene.context);
}

/** What is to be created, one or several. */
export function prepareCreation(scene: Scene, body: JsonObject): Creation {
  const { member, collection } = scene.resource.definition;
  if (Object.hasOwn(body, collection) && collection !== member) {
    const items = body[collection];
    if (!Array.isArray(items) || items.length === 0) throw new HttpBadRequest('Resources required');
    const bodies = items.map((item: unknown) =>
      prepare(scene, isObject(item) && Object.hasOwn(item, member) ? item[member] : item, 'POST'),
    );
    return { bulk: true, bodies };
  }
  if (!Object.hasOwn(body, member)) throw new HttpBadRequest(`Unable to find '${member}' in request body`);
  return { bulk: false, bodies: [prepare(scene, body[member], 'POST')] };
}

/** What is to be changed. */
export function prepareUpdate(scene: Scene, body: JsonObject): Resource {
  const { member } = scene.resource.definition;
  if (!Object.hasOwn(body, member)) throw new HttpBadRequest(`Unable to find '${member}' in request body`);
  return prepare(scene, body[member], 'PUT');
}
