/**
 * Leaves notifications in the outbox: one statement for all of a transaction's, which also wakes the relay if it sleeps.
 *
 * Order: rows are sent by id. Ids are given when rows are inserted, so for one key they follow the order of the commits
 * if its writers exclude each other before they add: lock or change the row that the key names first, then add. Every
 * verb does (it tells of what it has just written); between different keys no order is promised.
 */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Context } from '#src/lib/context.ts';
import type { Notification, Outbox } from '#src/lib/rpc.ts';
import { createTopics, encodeMessage } from '#src/rpc/contract.ts';
import { ASLEEP, CHANNEL } from './locks.ts';

/** Only for its checks of names: what cannot be a topic must not get into the outbox, where it would stay. */
const TOPICS = createTopics();

/** The part of a context that agents are told; for fanout, nothing of the tenant. */
function contextFor(context: Context, to: Notification['to']): JsonObject {
  const { request_id, global_request_id, user_id, project_id, is_admin } = context;
  return to === 'fanout'
    ? { request_id, global_request_id }
    : { request_id, global_request_id, user_id, project_id, is_admin };
}

function payload(context: Context, { to, method, args, version, namespace }: Notification): string {
  return encodeMessage({
    method,
    args,
    version,
    ...(namespace === undefined ? {} : { namespace }),
    context: contextFor(context, to),
  });
}

/** The outbox that transactions write to; needs no broker. */
export function createOutbox(): Outbox {
  return {
    async add(tx, context, notifications) {
      if (notifications.length === 0) return;
      const hosts = notifications.map(({ to }) => (to === 'fanout' ? null : to.host));
      for (const [index, { topic }] of notifications.entries()) TOPICS.message(hosts[index] ?? 'all', topic);
      await tx`
        with added as (
          insert into outbox (key, host, topic, payload)
          select key, host, topic, payload from unnest(
            ${notifications.map(({ key }) => key)}::text[],
            ${hosts as string[]}::text[],
            ${notifications.map(({ topic }) => topic)}::text[],
            ${notifications.map((notification) => payload(context, notification))}::text[]
          ) with ordinality as n (key, host, topic, payload, place)
          order by place
        )
        select case when not pg_try_advisory_xact_lock_shared(${ASLEEP}) then pg_notify(${CHANNEL}, '') end`;
    },
  };
}
