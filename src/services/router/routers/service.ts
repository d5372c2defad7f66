/**
 * The verbs of routers. A write takes the router's row first and holds it: whatever is true of its ports, routes and floating IPs
 * then stays so to the end. Locks go from routers to networks, to ports, to floating IPs.
 */
import { insertRows, listRows, reviseRow, showRow, showRows } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { OverQuota, RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import { Messages } from '#src/lib/messages.ts';
import type { Call, Resource, Verb } from '#src/lib/plugin.ts';
import { RouterExternalGatewayInUseByFloatingIp, RouterInUse, RouterNotFound } from '../errors.ts';
import { type GatewayChange, type GatewayWork, gatewayEvents, gatewayVerbs, shownGateway } from '../gateways/mod.ts';
import type { RouterHost } from '../host.ts';
import { routerScope } from '../reading.ts';
import { checkedNetwork, gatewayInfoOf, gatewayPort } from './gateway.ts';
import { canonicalRoutes, checkRoutes, type Route, routesOf, sameRoutes, withoutRoutes, withRoutes } from './routes.ts';
import {
  attachPorts,
  deleteRouter,
  GATEWAY,
  HA_PORT,
  hasFloatingIps,
  INTERFACE_OWNERS,
  lockRouters,
  outsideNetworks,
  portsOf,
  ROUTER_COLUMNS,
} from './store.ts';

const KIND = 'router';
const CHANGEABLE = ['name', 'description', 'admin_state_up'] as const;

export function routerVerbs(host: RouterHost): Readonly<Record<string, Verb>> {
  const { db, callbacks, outbox, quota, reading, acting, together } = host;
  const extensions = host.routers;
  const columns = { ...ROUTER_COLUMNS, ...extensions.columns };
  const snat = host.config.boolean('DEFAULT', 'enable_snat_by_default');

  const visible = async (context: Context, id: string, tx?: Transaction, fields?: readonly string[]) => {
    const router = await showRow(tx ?? db.sql, reading.routers, id, fields, routerScope(context));
    if (router === undefined) throw new RouterNotFound(id);
    return router;
  };

  /** The row locked and read, in statements sent at once; the reading sees what the lock waited for. */
  const locked = async (tx: Transaction, context: Context, call: Call, mode: 'no key update' | 'update') => {
    const { id = '', if_match: expected } = call;
    if (!isUuid(id)) throw new RouterNotFound(id);
    const [, router, ports] = await Promise.all([
      lockRouters(tx, [id], mode),
      visible(context, id, tx),
      portsOf(tx, id),
    ]);
    const revision = router['revision_number'];
    if (expected !== undefined && expected !== revision) {
      throw new RevisionNumberConstraintFailed(`Constrained to ${expected}, but current revision is ${revision}`);
    }
    return { router, ports };
  };

  const draftOf = (context: Context, body: Resource) => {
    const gateway = gatewayInfoOf(body) ?? null;
    const row = {
      id: newId<'router'>() as string,
      project_id: String(body['project_id'] ?? context.project_id ?? ''),
      name: body['name'] ?? '',
      description: body['description'] ?? '',
      status: 'ACTIVE',
      admin_state_up: body['admin_state_up'] ?? true,
      enable_snat: gateway?.enable_snat ?? snat,
      routes: [],
      revision_number: 1,
      ...extensions.create({ context, body }),
    };
    return { id: row.id, body, row, gateway };
  };

  const create = async (context: Context, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const drafts = bodies.map((body) => draftOf(context, body));
    const ids = drafts.map(({ id }) => id);
    const gateways = drafts.flatMap(({ id, gateway }) => (gateway === null ? [] : [{ router_id: id, gateway }]));
    for (const { id, body } of drafts) {
      await callbacks.publish(KIND, 'before_create', { context, resource_id: id, request: body });
    }
    const own = acting.as(context);
    const payload = (router: Resource, at: number) => ({
      ...{ context, resource_id: ids[at] ?? '', latest: router, request: bodies[at] ?? {} },
    });
    const { routers, ports } = await together(
      {
        label: 'create_router',
        undo: async () => {
          for (const id of ids) await remove(acting.as(context), { id, parents: {} });
        },
      },
      async (tx, verbs, last) => {
        const written = insertRows(
          tx,
          'routers',
          columns,
          drafts.map(({ row }) => row),
        );
        const [, stored, networks] = await Promise.all([
          written,
          extensions.store(tx, context, drafts),
          outsideNetworks(
            tx,
            context,
            gateways.map(({ gateway }) => gateway.network_id),
          ),
        ]);
        for (const { gateway } of gateways) await checkedNetwork(verbs, context, networks, gateway);
        const ports =
          gateways.length === 0
            ? []
            : ((await verbs['create_port_bulk']?.(own, {
                parents: {},
                bodies: gateways.map(({ router_id, gateway }) => gatewayPort(router_id, gateway)),
              })) as readonly Resource[]);
        const attached = ports.map(({ id, device_id }) => ({
          ...{ port_id: String(id), router_id: String(device_id), port_type: GATEWAY },
        }));
        const [, routers] = await Promise.all([attachPorts(tx, attached), showRows(tx, reading.routers, ids)]);
        const shown = stored ? routers : await showRows(tx, reading.routers, ids);
        const messages = new Messages();
        for (const [at, router] of shown.entries()) {
          const { notify } = messages;
          const created = ports.find((port) => port['device_id'] === router['id']);
          if (created !== undefined) {
            await callbacks.publish('router_gateway', 'precommit_create', {
              ...{ context, resource_id: String(router['id']), latest: router, tx, notify, verbs },
              metadata: { port: created, network_id: created['network_id'] },
            });
          }
          await callbacks.publish(KIND, 'precommit_create', { ...payload(router, at), tx, notify, verbs });
        }
        messages.send(outbox, tx, context);
        const byProject = Map.groupBy(shown, (router) => String(router['project_id']));
        // In a fixed order, so that two requests take the quota rows of several projects in the same order.
        for (const [project, { length }] of [...byProject].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
          await quota.charge(tx, project, { router: length }, last);
        }
        return { routers: shown, ports };
      },
    );
    for (const [at, router] of routers.entries()) {
      const created = ports.find((port) => port['device_id'] === router['id']);
      if (created !== undefined) await tellGateway(context, router, { created: [created] });
      await callbacks.publish(KIND, 'after_create', payload(router, at));
    }
    return routers;
  };

  const tellGateway = async (context: Context, router: Resource, change: Partial<GatewayChange>) => {
    for (const { event, metadata } of gatewayEvents(change)) {
      const resource_id = String(router['id']);
      await callbacks.publish('router_gateway', event, { context, resource_id, latest: router, metadata });
    }
  };

  /** `routes` gives those that there are to be, from those that there are; `gateways` changes those that there are. */
  const update = async (
    context: Context,
    call: Call,
    { routes, gateways = gatewayOf(host, call.body) }: RouterWork = {},
  ): Promise<Resource> => {
    const { id = '', body = {} } = call;
    const before =
      routes === undefined && !callbacks.listens(KIND, 'before_update')
        ? {}
        : (call.original ?? (await visible(context, id)));
    await callbacks.publish(KIND, 'before_update', { context, resource_id: id, original: before, request: body });
    const limit = routes === undefined ? -1 : await routeLimit(String(before['project_id']));
    const { original, latest, change } = await together({ label: 'update_router' }, async (tx, verbs) => {
      const { router, ports } = await locked(tx, context, call, 'no key update');
      const messages = new Messages();
      const { notify } = messages;
      const joint = { tx, verbs, notify };
      const outcome = await gateways?.(joint, context, router, ports);
      const change = outcome?.change ?? {};
      const moved = gatewayEvents(change).length > 0 || outcome?.change.turned === true;
      const present = router['routes'] as readonly Route[];
      const wanted = routes?.(present) ?? present;
      if ((moved || routes !== undefined) && wanted.length > 0) {
        if (limit >= 0 && wanted.length > Math.max(limit, present.length)) throw new OverQuota(['router_route']);
        checkRoutes(wanted, moved ? await portsOf(tx, id) : ports);
      }
      const asked: Resource = {
        ...Object.fromEntries(CHANGEABLE.filter((name) => body[name] !== undefined).map((name) => [name, body[name]])),
        ...extensions.update({ context, body, original: router }),
      };
      const values: Record<string, unknown> = Object.fromEntries(
        Object.entries(asked).filter(([name, value]) => value !== router[name]),
      );
      if (outcome?.snat !== undefined) {
        const enable_snat = outcome.snat ?? snat;
        if (router['enable_snat'] !== enable_snat) values['enable_snat'] = enable_snat;
      }
      if (!sameRoutes(present, wanted)) values['routes'] = wanted;
      const stored = extensions.stored.some((name) => body[name] !== undefined);
      if (stored) await extensions.store(tx, context, [{ id, body, original: router }]);
      if (!moved && !stored && Object.keys(values).length === 0) return { original: router, latest: router, change };
      const [, latest] = await Promise.all([reviseRow(tx, 'routers', id, columns, values), visible(context, id, tx)]);
      await callbacks.publish(KIND, 'precommit_update', {
        ...{ context, resource_id: id, original: router, latest, request: body, ...joint },
        metadata: { gateway: change },
      });
      messages.send(outbox, tx, context);
      return { original: router, latest, change };
    });
    await tellGateway(context, latest, change);
    await callbacks.publish(KIND, 'after_update', { context, resource_id: id, original, latest, request: body });
    return latest;
  };

  /** How many routes a router of the project may have: the limit is not of what the project has in all. */
  const routeLimit = async (project: string): Promise<number> => (await quota.getQuota(project))['router_route'] ?? -1;

  const remove = async (context: Context, call: Call): Promise<void> => {
    const { id = '' } = call;
    if (callbacks.listens(KIND, 'before_delete')) {
      const before = call.original ?? (await visible(context, id));
      await callbacks.publish(KIND, 'before_delete', { context, resource_id: id, original: before });
    }
    const own = acting.as(context);
    const { original, gateways } = await together({ label: 'delete_router' }, async (tx, verbs, last) => {
      const { router, ports } = await locked(tx, context, call, 'update');
      const inside = ports.filter(({ port_type }) => INTERFACE_OWNERS.includes(port_type));
      if (inside.length > 0) {
        throw new RouterInUse(id, `has ports still attached: ${inside.map((port) => port.id).join(', ')}`);
      }
      const gateways = ports.filter(({ port_type }) => port_type === GATEWAY);
      if (await hasFloatingIps(tx, id)) {
        throw new RouterExternalGatewayInUseByFloatingIp(id, gateways[0]?.network_id ?? '');
      }
      const messages = new Messages();
      const { notify } = messages;
      await callbacks.publish(KIND, 'precommit_delete', {
        ...{ context, resource_id: id, original: router, tx, notify, verbs, metadata: { ports } },
      });
      messages.send(outbox, tx, context);
      for (const port of ports) {
        // Those that agents hear of each other by went with the callback.
        if (port.port_type !== HA_PORT) await verbs['delete_port']?.(own, { id: port.id, parents: {} });
      }
      await deleteRouter(tx, id);
      await quota.charge(tx, String(router['project_id']), { router: -1 }, last);
      return { original: router, gateways };
    });
    await tellGateway(context, original, { deleted: gateways });
    await callbacks.publish(KIND, 'after_delete', { context, resource_id: id, original });
  };

  const changeRoutes = (change: (present: readonly Route[], named: readonly Route[]) => readonly Route[]): Verb => {
    return async (context, { body = {}, ...call }) => {
      const named = routesOf(body);
      return await update(context, { ...call, body: {} }, { routes: (present) => change(present, named) });
    };
  };

  return {
    create_router: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_router_bulk: (context, { bodies = [] }) => create(context, bodies),

    get_router: (context, { id = '', fields }) => visible(context, id, undefined, fields),

    get_routers: (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listRows(db.sql, reading.routers, query, routerScope(context)),

    update_router: (context, call) => {
      const routes = call.body?.['routes'] as readonly Route[] | undefined;
      return update(context, call, routes === undefined ? {} : { routes: () => canonicalRoutes(routes) });
    },

    delete_router: remove,

    add_extraroutes: changeRoutes(withRoutes),
    remove_extraroutes: changeRoutes(withoutRoutes),
    ...gatewayVerbs(host, (context, call, gateways) => update(context, call, { gateways })),
  };
}

/** What an update changes of a router that is locked. */
interface RouterWork {
  readonly routes?: (present: readonly Route[]) => readonly Route[];
  readonly gateways?: GatewayWork | undefined;
}

function gatewayOf(host: RouterHost, body: Resource = {}): GatewayWork | undefined {
  const info = gatewayInfoOf(body);
  return info === undefined ? undefined : shownGateway(host, info);
}
