/**
 * Leaves notifications in the outbox: one statement for all of a transaction's, which also wakes the relay if it sleeps.
 *
 * Order: rows are sent by id. Ids are given when rows are inserted, so for one key they follow the order of the commits
 * if its writers exclude each other before they add: lock or change the row that the key names first, then add. Every
 * verb does (it tells of what it has just written); between different keys no order is promised.
 */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Notification, Outbox, Recipients } from '#src/lib/rpc.ts';
import { createTopics, encodeMessage } from '#src/rpc/contract.ts';
import { ASLEEP, CHANNEL } from './locks.ts';
import { PUSH, PUSH_TOPIC } from './push.ts';
import { LATE } from './row.ts';

/** Only for its checks of names: what cannot be a topic must not get into the outbox, where it would stay. */
const TOPICS = createTopics();

/** The part of a context that agents are told; for fanout, nothing of the tenant. */
function contextFor(context: Context, toAll: boolean): JsonObject {
  const { request_id, global_request_id, user_id, project_id, is_admin } = context;
  return toAll ? { request_id, global_request_id } : { request_id, global_request_id, user_id, project_id, is_admin };
}

const isList = (to: Recipients | readonly Recipients[]): to is readonly Recipients[] => Array.isArray(to);

/** A row by column. */
function row(context: Context, notification: Notification): Readonly<Record<string, unknown>> {
  if ('object' in notification) {
    const { object: topic, id: object_id, key, also = [] } = notification;
    const payload = encodeMessage({ ...PUSH, args: {}, context: contextFor(context, true) });
    for (const host of namedHosts(also)) TOPICS.message(host, PUSH_TOPIC);
    return { key, host: LATE, topic, payload, object_id, recipients: also };
  }
  const { to, topic, method, args, version, namespace, key, reads } = notification;
  const recipients = isList(to) ? to : [to];
  const toAll = recipients.includes('fanout');
  TOPICS.fanout(topic);
  for (const host of namedHosts(recipients)) TOPICS.message(host, topic);
  const payload = encodeMessage({
    method,
    args,
    version,
    ...(namespace === undefined ? {} : { namespace }),
    context: contextFor(context, toAll),
  });
  const late = { key, host: LATE, topic, payload, recipients, reads };
  const [only] = recipients;
  if (reads !== undefined || recipients.length !== 1 || only === undefined) return late;
  if (only === 'fanout') return { key, topic, payload };
  return 'host' in only && only.host !== '' ? { key, host: only.host, topic, payload } : late;
}

/** Hosts that the writer itself names; an empty one (bound to none) is passed over when the message is sent. */
function namedHosts(recipients: readonly Recipients[]): readonly string[] {
  return recipients
    .flatMap((to) => (to === 'fanout' ? [] : 'host' in to ? [to.host] : 'hosts' in to ? to.hosts : []))
    .filter((host) => host !== '');
}

/** The outbox that transactions write to; needs no broker. */
export function createOutbox(): Outbox {
  return {
    add(tx, context, notifications) {
      if (notifications.length === 0) return Promise.resolve();
      // Thrown here, at once, when one of them cannot be sent: callers need not wait for the statement to learn of it.
      const rows = notifications.map((notification) => row(context, notification));
      return insert(tx, rows);
    },
  };
}

async function insert(tx: Transaction, rows: readonly unknown[]): Promise<void> {
  await tx.unsafe(ADD, [rows as never], { prepare: true });
}

const COLUMNS = 'key, host, topic, payload, recipients, reads, object_id';
const ADD = `
  with added as (
    insert into outbox (${COLUMNS})
    select ${COLUMNS} from json_to_recordset($1::json)
      as n (key text, host text, topic text, payload text, recipients json, reads json, object_id text))
  select case when not pg_try_advisory_xact_lock_shared(${ASLEEP}) then pg_notify('${CHANNEL}', '') end`;
