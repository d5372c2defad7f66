/**
 * Versioned objects as agents ask for them (neutron.api.rpc.handlers.resources_rpc), and how an agent that was away catches up.
 * Each host gets the objects that concern it; of others it learns nothing, not even that they are there.
 *
 *   pull, bulk_pull                  Neutron's. A list that would be too long is asked for in pages: `limit`, `marker`
 *   sync (namespace `nucleon`)       ours: the difference between what an agent has and what there is, in pages
 *   report_agent_resource_versions   which objects an agent follows, and in what versions
 */
import * as v from 'valibot';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Sql } from '#src/lib/database.ts';
import type { ObjectRevision, RpcEndpoint, RpcListener, VersionedObjectType } from '#src/lib/rpc.ts';
import { parseArguments } from './arguments.ts';
import { AIM_BYTES, MAX_BYTES } from './envelope.ts';
import {
  CallbackNotFound,
  ForeignHost,
  InvalidResourceTypeClass,
  InvalidTargetVersion,
  MessageTooLarge,
} from './errors.ts';
import { versionedObject } from './versioned.ts';

export interface ObjectServer {
  readonly sql: Sql;
  /** All types of all plugins. */
  readonly types: () => readonly VersionedObjectType[];
  /** Keeps which objects an agent follows; nothing where there is no such agent. */
  readonly saveVersions: (agent_type: string, host: string, versions: ResourceVersions) => Promise<void>;
}

/** `{"Port": "1.11"}` */
export type ResourceVersions = Readonly<Record<string, string>>;

const NAME = v.pipe(v.string(), v.regex(/^[A-Za-z]\w{0,63}$/, 'must be the name of a type of objects'));
const VERSION = v.pipe(v.string(), v.regex(/^\d{1,4}\.\d{1,4}$/, 'must be major.minor'));
const ID = v.pipe(v.string(), v.uuid('must be a UUID'), v.toLowerCase());
/** A record would take an array, too. */
const IS_OBJECT = v.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

/** What agents say of the objects that they follow, here and in their reports. */
export const RESOURCE_VERSIONS = v.pipe(IS_OBJECT, v.record(NAME, VERSION), v.maxEntries(100));

/** Objects on a page: unless told otherwise, and at most. */
const PAGE = { usual: 200, most: 1000 };
const LIMIT = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PAGE.most));
/** More objects than fit into any message. */
const UNPAGED = 5000;
/** Objects that are read at once. */
const CHUNK = 100;

const PULL = v.object({ resource_type: NAME, version: VERSION, resource_id: v.pipe(v.string(), v.maxLength(255)) });
const BULK_PULL = v.object({
  resource_type: NAME,
  version: VERSION,
  filter_kwargs: v.nullish(IS_OBJECT),
  limit: v.nullish(LIMIT),
  marker: v.nullish(ID),
});
const SYNC = v.object({
  resource_type: NAME,
  version: v.optional(VERSION),
  known: v.pipe(IS_OBJECT, v.record(ID, v.pipe(v.number(), v.integer())), v.maxEntries(5000)),
  after: v.nullish(ID),
  until: v.nullish(ID),
  limit: v.nullish(LIMIT),
});
const REPORT = v.object({
  agent_type: v.pipe(v.string(), v.maxLength(255)),
  agent_host: v.pipe(v.string(), v.maxLength(255)),
  version_map: RESOURCE_VERSIONS,
});

/** What answers agents, on all topics. */
export function objectListeners(server: ObjectServer): readonly RpcListener[] {
  return [
    { topic: 'q-plugin', endpoints: [pullEndpoint(server), syncEndpoint(server)] },
    { topic: 'q-server-resource-versions', endpoints: [versionsEndpoint(server)] },
  ];
}

/** The type, if an agent that wants this version can read what we have. Minor versions only add. */
function typeOf(
  { types }: ObjectServer,
  name: string,
  version: string | undefined,
  unknown: new (name: string) => Error,
): VersionedObjectType {
  const type = types().find((candidate) => candidate.name === name);
  if (type === undefined) throw new unknown(name);
  const [major, minor] = type.version.split('.').map(Number);
  const [wantedMajor, wantedMinor] = (version ?? type.version).split('.').map(Number);
  if (wantedMajor !== major || wantedMinor! > minor!) throw new InvalidTargetVersion(name, version!, type.version);
  return type;
}

function pullEndpoint(server: ObjectServer): RpcEndpoint {
  const { sql } = server;
  return {
    version: '1.1',
    methods: {
      async pull({ host }, args) {
        const { resource_type, version, resource_id } = parseArguments(PULL, 'pull', args);
        const type = typeOf(server, resource_type, version, CallbackNotFound);
        const found = await type.find(sql, host, { id: resource_id }, { limit: 1 });
        const { objects } = await readObjects(sql, type, found, MAX_BYTES);
        return objects[0] ?? null;
      },
      async bulk_pull({ host }, args) {
        const { resource_type, version, filter_kwargs, limit, marker } = parseArguments(BULK_PULL, 'bulk_pull', args);
        const type = typeOf(server, resource_type, version, InvalidResourceTypeClass);
        const paged = limit != null || marker != null;
        const page = {
          limit: paged ? (limit ?? PAGE.usual) : UNPAGED,
          ...(marker == null ? {} : { after: marker }),
        };
        const found = await type.find(sql, host, (filter_kwargs ?? {}) as JsonObject, page);
        const { objects, rest, bytes } = await readObjects(sql, type, found, paged ? AIM_BYTES : MAX_BYTES);
        if (!paged && rest !== undefined) throw new MessageTooLarge('The answer to bulk_pull', bytes, MAX_BYTES);
        return objects;
      },
    },
  };
}

function syncEndpoint(server: ObjectServer): RpcEndpoint {
  const { sql } = server;
  return {
    namespace: 'nucleon',
    version: '1.0',
    methods: {
      async sync({ host }, args) {
        const { resource_type, version, known, ...range } = parseArguments(SYNC, 'sync', args);
        const type = typeOf(server, resource_type, version, CallbackNotFound);
        const limit = range.limit ?? PAGE.usual;
        const from = range.after == null ? {} : { after: range.after };
        const to = range.until == null ? {} : { until: range.until };
        const there = await type.find(sql, host, {}, { ...from, ...to, limit });
        const news = there.filter(({ id, revision_number }) => known[id] !== revision_number);
        const { objects, rest } = await readObjects(sql, type, news, AIM_BYTES);
        // As far as this page reaches: to the object before the first that found no place, to the last of a full page, or to the end.
        const full = there.length === limit ? there.at(-1)!.id : null;
        const next = rest === undefined ? (full ?? range.until ?? null) : lastBefore(there, rest);
        const present = new Set(there.map(({ id }) => id));
        const gone = Object.keys(known).filter(
          (id) => !present.has(id) && (range.after == null || id > range.after) && (next === null || id <= next),
        );
        return { changed: objects, gone, next };
      },
    },
  };
}

const lastBefore = (there: readonly ObjectRevision[], id: string): string =>
  there[there.findIndex((object) => object.id === id) - 1]!.id;

function versionsEndpoint({ saveVersions }: ObjectServer): RpcEndpoint {
  return {
    version: '1.0',
    methods: {
      async report_agent_resource_versions({ host }, args) {
        const method = 'report_agent_resource_versions';
        const { agent_type, agent_host, version_map } = parseArguments(REPORT, method, args);
        if (agent_host !== host) throw new ForeignHost(method, host, agent_host, 'agent_host');
        await saveVersions(agent_type, host, version_map);
        return null;
      },
    },
  };
}

interface ReadObjects {
  readonly objects: readonly Json[];
  /** The first that did not fit any more. */
  readonly rest: string | undefined;
  readonly bytes: number;
}

/** Reads objects in their order, as many as fit, but one in any case. What is gone meanwhile is left out. */
async function readObjects(
  sql: Sql,
  type: VersionedObjectType,
  found: readonly ObjectRevision[],
  budget: number,
): Promise<ReadObjects> {
  const objects: Json[] = [];
  let bytes = 0;
  for (let at = 0; at < found.length; at += CHUNK) {
    const ids = found.slice(at, at + CHUNK).map(({ id }) => id);
    const data = await type.read(sql, ids);
    for (const id of ids) {
      const read = data.get(id);
      if (read === undefined) continue;
      const object = versionedObject(type, read);
      bytes += JSON.stringify(object).length;
      if (bytes > budget && objects.length > 0) return { objects, rest: id, bytes };
      objects.push(object);
    }
  }
  return { objects, rest: undefined, bytes };
}
