/**
 * The verbs of conntrack helpers (neutron.services.conntrack_helper.plugin). A write locks the router, whose revision grows with
 * it; the unique constraint refuses a second one that is the same.
 */
import { bumpRevisions, insertRows, listRows, lockRow, showRow, showRows, violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { Call, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { allowedHelpers } from './allowed.ts';
import { ConntrackHelperNotFound } from './errors.ts';
import { helperChanged } from './objects.ts';
import { helperScope, HELPER_READING as READING } from './reading.ts';
import { changeHelper, deleteHelper, type HelperValues, NEW_COLUMNS, OF_ROUTER, ONCE } from './store.ts';

const parentOf = ({ parents }: Call): string => parents['router'] ?? '';

export function conntrackHelperVerbs({
  config,
  db,
  outbox,
  plugins,
}: Pick<PluginHost, 'config' | 'db' | 'outbox' | 'plugins'>): Readonly<Record<string, Verb>> {
  const check = allowedHelpers(config);

  /** Throws RouterNotFound where the caller does not see the router. */
  const requireRouter = async (context: Context, call: Call): Promise<void> => {
    const verb = plugins.get('L3_ROUTER_NAT')?.verbs['get_router'];
    await verb?.(context, { id: parentOf(call), parents: {}, fields: ['id'] });
  };

  const visible = async (context: Context, call: Call, tx?: Transaction): Promise<Resource> => {
    const { id = '', fields } = call;
    const router_id = parentOf(call);
    if (isUuid(router_id)) {
      const found = await showRow(tx ?? db.sql, READING, id, fields, helperScope(context, router_id));
      if (found !== undefined) return found;
    }
    await requireRouter(context, call);
    throw new ConntrackHelperNotFound(id);
  };

  /** In one transaction with the router locked, which may be gone by then. */
  const write = async <Result>(
    label: string,
    context: Context,
    call: Call,
    work: (tx: Transaction) => Promise<Result>,
  ) => {
    const router_id = parentOf(call);
    try {
      return await db.transaction({ label }, async (tx) => {
        const locked = lockRow(tx, 'routers', router_id, 'no key update');
        const [result] = await Promise.all([work(tx), locked]);
        return result;
      });
    } catch (error) {
      const violated = violatedConstraint(error);
      if (violated === OF_ROUTER) await requireRouter(context, call);
      if (violated !== ONCE) throw error;
      throw new BadRequest('conntrack_helper', `Router ${router_id} has such a conntrack helper already`);
    }
  };

  /** Goes out with what is sent next; a failure is the transaction's. */
  const tell = (tx: Transaction, context: Context, ids: readonly string[], router_id: string): void =>
    void outbox
      .add(
        tx,
        context,
        ids.map((id) => helperChanged(id, router_id)),
      )
      .catch(() => {});

  const create = async (context: Context, call: Call, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const router_id = parentOf(call);
    const rows = bodies.map((body) => ({ id: newId() as string, router_id, ...valuesOf(body) }));
    rows.forEach(check);
    await requireRouter(context, call);
    const ids = rows.map(({ id }) => id);
    return await write('create_conntrack_helper', context, call, async (tx) => {
      tell(tx, context, ids, router_id);
      const [, , created] = await Promise.all([
        insertRows(tx, 'conntrack_helpers', NEW_COLUMNS, rows),
        bumpRevisions(tx, 'routers', [router_id]),
        showRows(tx, READING, ids),
      ]);
      return created;
    });
  };

  return {
    create_router_conntrack_helper: async (context, call) => (await create(context, call, [call.body ?? {}]))[0],
    create_router_conntrack_helper_bulk: (context, call) => create(context, call, call.bodies ?? []),

    get_router_conntrack_helper: (context, call) => visible(context, call),

    async get_router_conntrack_helpers(context, call) {
      const { query = { filters: [], sorts: [], reverse: false } } = call;
      const router_id = parentOf(call);
      if (!isUuid(router_id)) await requireRouter(context, call);
      const list = await listRows(db.sql, READING, query, helperScope(context, router_id));
      // Who sees one of them sees the router.
      if (list.items.length === 0) await requireRouter(context, call);
      return list;
    },

    async update_router_conntrack_helper(context, call) {
      const { id = '', body = {} } = call;
      const router_id = parentOf(call);
      if (call.original === undefined) await visible(context, call);
      return await write('update_conntrack_helper', context, call, async (tx) => {
        const original = await visible(context, call, tx);
        const values = valuesOf({ ...original, ...body });
        check(values);
        if (same(values, original)) return original;
        tell(tx, context, [id], router_id);
        const [, , latest] = await Promise.all([
          changeHelper(tx, id, values),
          bumpRevisions(tx, 'routers', [router_id]),
          visible(context, call, tx),
        ]);
        return latest;
      });
    },

    async delete_router_conntrack_helper(context, call) {
      const { id = '' } = call;
      const router_id = parentOf(call);
      if (call.original === undefined) await visible(context, call);
      await write('delete_conntrack_helper', context, call, async (tx) => {
        await visible(context, call, tx);
        tell(tx, context, [id], router_id);
        await Promise.all([deleteHelper(tx, id), bumpRevisions(tx, 'routers', [router_id])]);
      });
    },
  };
}

const valuesOf = ({ protocol, port, helper }: Resource): HelperValues => ({
  protocol: String(protocol),
  port: Number(port),
  helper: String(helper),
});

const same = (values: HelperValues, original: Resource): boolean =>
  Object.entries(values).every(([name, value]) => original[name] === value);
