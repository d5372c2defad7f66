/**
 * Versioned objects that concern this host, kept by revision. A push brings an object whole: what is older than what is known
 * is ignored, what is newer replaces it. What has been missed is found by asking with the revisions that are known, page by
 * page; the server answers the difference alone.
 *
 * Handlers are called with one batch after the other: while one is at work, changes gather, and of an object that changed often
 * only the last state is told.
 */
import * as v from 'valibot';
import type { RpcMessage } from '#src/lib/rpc.ts';
import { type PushedObject, remoteMethod } from '#src/rpc/contract.ts';
import type { Agent } from './agent.ts';
import { gather } from './gathering.ts';

/** What is done with changes; one call at a time. One that throws is called again with the same, and what came meanwhile. */
export interface FollowHandlers<Data> {
  changed(objects: readonly Data[]): Promise<void>;
  gone(ids: readonly string[]): Promise<void>;
}

export interface FollowedObjects<Data> {
  /** By id, as last told. */
  readonly known: ReadonlyMap<string, Data>;
  /** Asks for the difference between what is known and what there is; resolves when the handlers have been told. */
  synchronise(): Promise<void>;
  /** Resolves when the handlers have been told of all that has come so far. */
  settled(): Promise<void>;
}

interface Following<Data> extends FollowedObjects<Data> {
  readonly topic: string;
  pushed(message: RpcMessage): void;
}

const PAGE = 200;

const PUSH = v.object({
  resource_list: v.array(v.object({ 'versioned_object.data': v.looseObject({ id: v.string() }) })),
  event_type: v.picklist(['created', 'updated', 'deleted']),
});

/** How the objects that concern this host differ from those that are known, by ids after one and not after another. */
const SYNC = remoteMethod<{
  readonly resource_type: string;
  readonly version: string;
  readonly known: Readonly<Record<string, number>>;
  readonly after: string | null;
  readonly until: string | null;
  readonly limit: number;
}>()({
  topic: 'q-plugin',
  method: 'sync',
  version: '1.0',
  namespace: 'nucleon',
  result: v.object({
    changed: v.array(v.object({ 'versioned_object.data': v.looseObject({ id: v.string() }) })),
    gone: v.array(v.string()),
    // Where the next page begins; null: this was the last.
    next: v.nullable(v.string()),
  }),
});

/** Follows the objects of a type; the agent subscribes and says when to synchronise. */
export function followObjects<Data extends { readonly id: string; readonly revision_number: number }>(
  agent: Agent,
  type: PushedObject<Data>,
  handlers: FollowHandlers<Data>,
): Following<Data> {
  const { log, signal } = agent;
  const known = new Map<string, Data>();
  const telling = gather({
    name: `following of ${type.name}`,
    async work(ids) {
      const changed = ids.flatMap((id) => known.get(id) ?? []);
      const gone = ids.filter((id) => !known.has(id));
      if (gone.length > 0) await handlers.gone(gone);
      if (changed.length > 0) await handlers.changed(changed);
    },
    limit: PAGE,
    log,
    signal,
  });
  /** Ids that pushes have told of while a page is on its way: newer than the page. */
  const touched = new Set<string>();

  function take(data: unknown): void {
    const read = v.safeParse(type.data, data);
    if (!read.success) {
      const [issue] = read.issues;
      log.error('an object is not as its contract says', {
        object: type.name,
        at: v.getDotPath(issue),
        reason: issue.message,
      });
      return;
    }
    const { output } = read;
    const before = known.get(output.id);
    if (before !== undefined && before.revision_number > output.revision_number) return;
    known.set(output.id, output);
    telling.add([output.id]);
  }

  function drop(id: string): void {
    if (known.delete(id)) telling.add([id]);
  }

  async function page(after: string | null): Promise<string | null> {
    const behind = [...known.keys()].filter((id) => after === null || id > after).sort();
    const sent = behind.slice(0, PAGE);
    touched.clear();
    const { changed, gone, next } = await agent.call(SYNC, {
      resource_type: type.name,
      version: type.version,
      known: Object.fromEntries(sent.map((id) => [id, known.get(id)!.revision_number])),
      after,
      // As far as what is sent with it goes.
      until: behind.length > sent.length ? sent.at(-1)! : null,
      limit: PAGE,
    });
    for (const { 'versioned_object.data': data } of changed) if (!touched.has(data.id)) take(data);
    for (const id of gone) if (!touched.has(id)) drop(id);
    return next;
  }

  return {
    known,
    topic: `neutron-vo-${type.name}-${type.version}`,
    settled: () => telling.settled(),
    pushed({ method, args }) {
      const read = method === 'push' ? v.safeParse(PUSH, args) : undefined;
      if (read?.success !== true) {
        log.error('a push is not understood', { object: type.name, method });
        return;
      }
      for (const { 'versioned_object.data': data } of read.output.resource_list) {
        touched.add(data.id);
        if (read.output.event_type === 'deleted') drop(data.id);
        else take(data);
      }
    },
    async synchronise() {
      for (let after: string | null = null; ; ) {
        after = await page(after);
        await telling.settled();
        if (after === null || signal.aborted) return;
      }
    },
  };
}
