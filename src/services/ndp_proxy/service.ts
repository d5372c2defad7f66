/**
 * The verbs of NDP proxies (neutron.services.ndp_proxy.plugin). What is new keeps its router and then its port as they are until it
 * is written.
 */
import { insertRows, listRows, lockRow, reviseRow, showRow, showRows, violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { PortNotFound, RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { Call, PluginHost, Resource, ResourceList, Verb } from '#src/lib/plugin.ts';
import { addressIn } from './choice.ts';
import { NDPProxyNotFound, NeutronDbObjectDuplicateEntry, PortUnreachableRouter } from './errors.ts';
import { proxyChanged } from './objects.ts';
import { proxyScope, PROXY_READING as READING } from './reading.ts';
import { ADDRESS_ONCE, COLUMNS, deleteProxy, keepScenes } from './store.ts';

const CHANGEABLE = ['name', 'description'] as const;

interface Draft {
  readonly id: string;
  readonly router_id: string;
  readonly port_id: string;
  readonly body: Resource;
}

export function ndpProxyVerbs(
  host: Pick<PluginHost, 'config' | 'db' | 'outbox' | 'plugins'>,
): Readonly<Record<string, Verb>> {
  const { config, db, outbox, plugins } = host;

  const visible = async (context: Context, id: string, tx?: Transaction, fields?: readonly string[]) => {
    const proxy = await showRow(tx ?? db.sql, READING, id, fields, proxyScope(context));
    if (proxy === undefined) throw new NDPProxyNotFound(id);
    return proxy;
  };

  const locked = async (tx: Transaction, context: Context, call: Call, mode: 'no key update' | 'update') => {
    const { id = '', if_match: expected } = call;
    if (!isUuid(id)) throw new NDPProxyNotFound(id);
    const [, proxy] = await Promise.all([lockRow(tx, 'ndp_proxies', id, mode), visible(context, id, tx)]);
    const revision = proxy['revision_number'];
    if (expected !== undefined && expected !== revision) {
      throw new RevisionNumberConstraintFailed(`Constrained to ${expected}, but current revision is ${revision}`);
    }
    return proxy;
  };

  /** Goes out with what is sent next; a failure is the transaction's. */
  const tell = (tx: Transaction, context: Context, proxies: readonly Pick<Draft, 'id' | 'router_id'>[]): void =>
    void outbox
      .add(
        tx,
        context,
        proxies.map(({ id, router_id }) => proxyChanged(id, router_id)),
      )
      .catch(() => {});

  /** Those of the ids that the caller sees. */
  const seen = async (type: string, verb: string, context: Context, ids: readonly string[]) => {
    const values = [...new Set(ids)].filter(isUuid);
    const query = { filters: [{ attribute: 'id', operator: 'in' as const, values }], sorts: [], reverse: false };
    const list = (await plugins.get(type)?.verbs[verb]?.(context, {
      parents: {},
      query: { ...query, fields: ['id'] },
    })) as ResourceList;
    return new Set(list.items.map(({ id }) => id));
  };

  /** Throws where the caller does not see the port; a router that it does not see is one that the port does not reach. */
  const requireVisible = async (context: Context, drafts: readonly Draft[]): Promise<void> => {
    const [ports, routers] = await Promise.all([
      seen(
        'CORE',
        'get_ports',
        context,
        drafts.map(({ port_id }) => port_id),
      ),
      seen(
        'L3_ROUTER_NAT',
        'get_routers',
        context,
        drafts.map(({ router_id }) => router_id),
      ),
    ]);
    for (const { port_id, router_id } of drafts) {
      if (!ports.has(port_id)) throw new PortNotFound(port_id);
      if (!routers.has(router_id)) throw new PortUnreachableRouter(port_id, router_id);
    }
  };

  const create = async (context: Context, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const drafts = bodies.map(
      (body): Draft => ({ id: newId(), router_id: String(body['router_id']), port_id: String(body['port_id']), body }),
    );
    await requireVisible(context, drafts);
    const ids = drafts.map(({ id }) => id);
    let rows: readonly Readonly<Record<keyof typeof COLUMNS, unknown>>[] = [];
    try {
      return await db.transaction({ label: 'create_ndp_proxy' }, async (tx) => {
        const scenes = await keepScenes(tx, config, drafts);
        rows = drafts.map(({ id, router_id, port_id, body }) => {
          const scene = scenes.find((one) => one.router_id === router_id && one.port_id === port_id);
          if (scene === undefined) throw new PortUnreachableRouter(port_id, router_id);
          return {
            ...{ id, router_id, port_id, name: body['name'] ?? '', description: body['description'] ?? '' },
            project_id: body['project_id'] ?? context.project_id ?? '',
            ip_address: addressIn(scene, (body['ip_address'] ?? undefined) as string | undefined),
          };
        });
        tell(tx, context, drafts);
        const [, created] = await Promise.all([
          insertRows(tx, 'ndp_proxies', COLUMNS, rows),
          showRows(tx, READING, ids),
        ]);
        return created;
      });
    } catch (error) {
      if (violatedConstraint(error) !== ADDRESS_ONCE) throw error;
      const [{ router_id, ip_address } = { router_id: '', ip_address: '' }] = rows;
      throw new NeutronDbObjectDuplicateEntry(String(router_id), String(ip_address));
    }
  };

  return {
    create_ndp_proxy: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_ndp_proxy_bulk: (context, { bodies = [] }) => create(context, bodies),

    get_ndp_proxy: (context, { id = '', fields }) => visible(context, id, undefined, fields),

    get_ndp_proxies: (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listRows(db.sql, READING, query, proxyScope(context)),

    async update_ndp_proxy(context, call) {
      const { id = '', body = {} } = call;
      return await db.transaction({ label: 'update_ndp_proxy' }, async (tx) => {
        const original = await locked(tx, context, call, 'no key update');
        const values = Object.fromEntries(
          CHANGEABLE.filter((name) => body[name] !== undefined && body[name] !== original[name]).map((name) => [
            name,
            body[name],
          ]),
        );
        if (Object.keys(values).length === 0) return original;
        tell(tx, context, [{ id, router_id: String(original['router_id']) }]);
        const [, latest] = await Promise.all([
          reviseRow(tx, 'ndp_proxies', id, COLUMNS, values),
          visible(context, id, tx),
        ]);
        return latest;
      });
    },

    async delete_ndp_proxy(context, call) {
      const { id = '' } = call;
      await db.transaction({ label: 'delete_ndp_proxy' }, async (tx) => {
        const original = await locked(tx, context, call, 'update');
        tell(tx, context, [{ id, router_id: String(original['router_id']) }]);
        await deleteProxy(tx, id);
      });
    },
  };
}
