/**
 * From rows of the outbox to messages: finds the hosts of audiences and reads what messages carry, each kind with one
 * statement for a whole batch. This is done when the messages are sent, not in the transactions that cause them: a write
 * waits for none of it, changes of one object that come together are told once, and what is told is the newest.
 *
 * Order: what is read for a row is at least as new as the row's commit, and rows are read in the order they are sent in. So of one
 * key nothing older follows something newer; the newest may come early, and again.
 *
 * What nobody can make sense of any more (the reader of a plugin that is not loaded now) is dropped and logged: it would
 * hold up everything behind it.
 */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Queryable } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Recipients, RpcMessage } from '#src/lib/rpc.ts';
import { encodeMessage } from '#src/rpc/contract.ts';
import { pushArgs, pushTopic } from './push.ts';
import { isDirect, type OutboxRow, type RenderedRow } from './row.ts';
import { ask, type Found, type MessageSources, Wanted } from './sources.ts';

/** What is sent for each row, in order. */
export async function renderRows(
  sql: Queryable,
  rows: readonly OutboxRow[],
  sources: MessageSources,
  log: Logger,
): Promise<readonly RenderedRow[]> {
  if (rows.every(isDirect)) return rows.map(renderDirect);
  const found = await findAll(sql, rows, sources, log);
  const hostsOf = (recipients: readonly Recipients[]) => hostsAmong(recipients, found.audiences);
  const last = lastOfEachObject(rows);

  /** The object as it is now. One that is told of again later in the batch is told now only to those whom the later leaves out. */
  const renderObject = (row: OutboxRow, object_id: string): RenderedRow => {
    const type = sources.objects.get(row.topic);
    const data = found.states.get(row.topic);
    if (type === undefined || data === undefined) return NOBODY;
    const toldBy = ({ recipients }: OutboxRow) => {
      const now = found.concerned.get(row.topic)?.get(object_id) ?? [];
      return hostsOf([{ hosts: now }, ...(recipients ?? [])]);
    };
    const later = last.get(nameOf(row));
    const told = later === undefined || later === row ? [] : toldBy(later);
    const hosts = toldBy(row).filter((host) => !told.includes(host));
    if (hosts.length === 0) return NOBODY;
    const args = pushArgs(type, object_id, data.get(object_id));
    return { topic: pushTopic(type), payload: encodeMessage({ ...written(row), args }), hosts };
  };

  const renderLate = (row: OutboxRow): RenderedRow => {
    const hosts = row.recipients === null ? [row.host] : hostsOf(row.recipients);
    if (hosts.length === 0) return NOBODY;
    if (row.reads === null) return { topic: row.topic, payload: row.payload, hosts };
    const message = filled(written(row), row.reads, found.readings);
    return message === undefined ? NOBODY : { topic: row.topic, payload: encodeMessage(message), hosts };
  };

  return rows.map((row) => {
    try {
      if (isDirect(row)) return renderDirect(row);
      return row.object_id === null ? renderLate(row) : renderObject(row, row.object_id);
    } catch (error) {
      // Too large with what was read for it (agents that ask get it in pages), or nothing that we have written.
      log.error('a notification cannot be sent and is dropped', { key: row.key, topic: row.topic, error });
      return NOBODY;
    }
  });
}

const NOBODY: RenderedRow = { topic: '', payload: '', hosts: [] };

const renderDirect = ({ topic, payload, host }: OutboxRow): RenderedRow => ({ topic, payload, hosts: [host] });

async function findAll(sql: Queryable, rows: readonly OutboxRow[], sources: MessageSources, log: Logger) {
  const audiences = new Wanted();
  const readers = new Wanted();
  const objects = new Wanted();
  for (const { recipients, reads, object_id, topic } of rows) {
    for (const to of recipients ?? []) {
      if (typeof to === 'object' && 'audience' in to) audiences.want(to.audience, to.of);
    }
    for (const { reader, id } of Object.values(reads ?? {})) readers.want(reader, [id]);
    if (object_id !== null) objects.want(topic, [object_id]);
  }
  const [hosts, readings, states, concerned] = await Promise.all([
    ask(sql, (name) => sources.audiences.get(name), audiences, log),
    ask(sql, (name) => sources.readers.get(name), readers, log),
    ask(sql, (name) => sources.objects.get(name)?.read, objects, log),
    ask(sql, (name) => sources.objects.get(name)?.audience, objects, log),
  ]);
  return { audiences: hosts, readings, states, concerned };
}

/** Each host once; null alone where all are told. */
function hostsAmong(
  recipients: readonly Recipients[],
  audiences: Found<readonly string[]>,
): readonly (string | null)[] {
  if (recipients.includes('fanout')) return [null];
  const hosts = recipients.flatMap((to) => {
    if (to === 'fanout') return [];
    if ('host' in to) return [to.host];
    if ('hosts' in to) return to.hosts;
    return to.of.flatMap((id) => audiences.get(to.audience)?.get(id) ?? []);
  });
  // What is bound to no host has an empty one.
  return [...new Set(hosts)].filter((host) => host !== '');
}

function lastOfEachObject(rows: readonly OutboxRow[]): ReadonlyMap<string, OutboxRow> {
  return new Map(rows.filter(({ object_id }) => object_id !== null).map((row) => [nameOf(row), row]));
}

const nameOf = ({ topic, object_id }: OutboxRow): string => `${topic} ${object_id}`;

/** The message as the writer left it. */
const written = ({ payload }: OutboxRow): RpcMessage => JSON.parse(payload);

/** The message with what was read; undefined when some of it is gone. */
function filled(
  message: RpcMessage,
  reads: NonNullable<OutboxRow['reads']>,
  readings: Found<Json>,
): RpcMessage | undefined {
  const args: { [name: string]: Json } = { ...message.args };
  for (const [path, { reader, id }] of Object.entries(reads)) {
    const value = readings.get(reader)?.get(id);
    if (value === undefined) return undefined;
    put(args, path.split('.'), value);
  }
  return { ...message, args };
}

/** Sets a member, making the objects above it where they are missing. */
function put(args: { [name: string]: Json }, path: readonly string[], value: Json): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    args[name] = value;
    return;
  }
  const inner = args[name];
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  const object = { ...(isObject ? (inner as JsonObject) : {}) };
  put(object, rest, value);
  args[name] = object;
}
