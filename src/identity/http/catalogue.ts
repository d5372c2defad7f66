/** The catalogue: regions, services, endpoints, and the form of it that tokens carry. */
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { newHexId } from '../bytes.ts';
import type { TokenClaims } from '../claims.ts';
import { Forbidden } from '../errors.ts';
import type { Action } from './access.ts';
import { type EndpointRow, endpoints, type RegionRow, regions, type ServiceRow, services } from './entities.ts';
import {
  deleteRow,
  type Entity,
  type EntityRow,
  existing,
  findRow,
  type Given,
  givenBody,
  insertRow,
  listReply,
  listRows,
  memberOf,
  oneReply,
  updateRow,
} from './entity.ts';
import { type Call, NO_CONTENT, type Route } from './route.ts';

interface CatalogueRow {
  readonly id: string;
  readonly type: string;
  readonly name: string | null;
  readonly endpoint_id: string;
  readonly interface: string;
  readonly region_id: string | null;
  readonly url: string;
}

/** The catalogue for a token: the enabled services with their endpoints, URLs filled in. */
export async function catalogueOf(sql: Queryable, origin: string, claims: TokenClaims): Promise<readonly unknown[]> {
  const rows = await sql<CatalogueRow[]>`
    select s.id, s.type, s.extra->>'name' as name, e.id as endpoint_id, e.interface, e.region_id, e.url
    from identity_services s join identity_endpoints e on e.service_id = s.id
    where s.enabled and e.enabled order by s.type, s.id, e.interface, e.id`;
  const projectId = claims.scope.kind === 'project' ? claims.scope.project.id : undefined;
  const values = { public_endpoint: origin, user_id: claims.user.id, project_id: projectId, tenant_id: projectId };
  return Object.values(Object.groupBy(rows, (row) => row.id)).map((ofService = []) => ({
    id: ofService[0]!.id,
    type: ofService[0]!.type,
    name: ofService[0]!.name ?? '',
    endpoints: ofService.flatMap((row) => {
      const url = filledIn(row.url, values);
      return url === undefined
        ? []
        : [{ id: row.endpoint_id, interface: row.interface, region_id: row.region_id, region: row.region_id, url }];
    }),
  }));
}

/** `$(name)s` and `%(name)s` by their values; undefined when a value is missing, as in an unscoped token. */
function filledIn(url: string, values: Readonly<Record<string, string | undefined>>): string | undefined {
  let complete = true;
  const text = url.replaceAll(/[$%]\((\w+)\)s/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    complete &&= value !== undefined;
    return value ?? '';
  });
  return complete ? text : undefined;
}

interface Kind<Row extends EntityRow> {
  readonly entity: Entity<Row>;
  readonly actions: Readonly<Record<'list' | 'get' | 'create' | 'update' | 'delete', Action>>;
  /** Adjusts what is to be inserted or changed. */
  readonly prepare?: (call: Call, tx: Transaction, given: Given) => Promise<Given>;
  readonly beforeDelete?: (tx: Transaction, id: string) => Promise<void>;
  /** Clients may choose the id. */
  readonly ownId?: boolean;
  /** What answers show of a row. */
  readonly shown?: (call: Call, row: Row) => Row;
}

/** The five routes of a kind that only administrators change. */
function routesOf<Row extends EntityRow>({ entity, actions, ...kind }: Kind<Row>): readonly Route[] {
  const path = `/${entity.collection}`;
  const target = async (call: Call): Promise<Row> => {
    call.enforce();
    return existing(await findRow(call.services.db.sql, entity, call.param('id')), entity, call.param('id'));
  };
  const shown = (call: Call, row: Row): Row => kind.shown?.(call, row) ?? row;
  const prepared = async (call: Call, tx: Transaction, given: Given): Promise<Given> =>
    kind.prepare === undefined ? given : kind.prepare(call, tx, given);
  return [
    {
      method: 'GET',
      path,
      action: actions.list,
      async handler(call) {
        call.enforce();
        const rows = await listRows(call.services.db.sql, entity, call.query);
        return listReply(
          call,
          entity,
          rows.map((row) => shown(call, row)),
        );
      },
    },
    {
      method: 'POST',
      path,
      action: actions.create,
      async handler(call) {
        call.enforce();
        const given = await givenBody(call, entity, 'create');
        const chosen: unknown = kind.ownId === true ? memberOf(await call.body(), entity.member)['id'] : undefined;
        const id = typeof chosen === 'string' && chosen !== '' ? chosen : newHexId();
        const row = await call.services.db.transaction({ label: `identity_create_${entity.member}` }, async (tx) => {
          const { known, extra } = await prepared(call, tx, given);
          return insertRow(tx, entity, { ...known, extra, id });
        });
        return oneReply(call, entity, shown(call, row), 201);
      },
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      action: actions.get,
      handler: async (call) => oneReply(call, entity, shown(call, await target(call))),
    },
    {
      method: 'PATCH',
      path: `${path}/:id`,
      action: actions.update,
      async handler(call) {
        const before = await target(call);
        const given = await givenBody(call, entity, 'update');
        const row = await call.services.db.transaction({ label: `identity_update_${entity.member}` }, async (tx) =>
          updateRow(tx, entity, before, await prepared(call, tx, given)),
        );
        return oneReply(call, entity, shown(call, row));
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      action: actions.delete,
      async handler(call) {
        const { id } = await target(call);
        await call.services.db.transaction({ label: `identity_delete_${entity.member}` }, async (tx) => {
          await kind.beforeDelete?.(tx, id);
          await deleteRow(tx, entity, id);
        });
        return NO_CONTENT;
      },
    },
  ];
}

const emptyDescription = async (_call: Call, _tx: Transaction, given: Given): Promise<Given> =>
  given.known['description'] === null ? { ...given, known: { ...given.known, description: '' } } : given;

const regionKind: Kind<RegionRow> = {
  entity: regions,
  actions: {
    list: 'list_regions',
    get: 'get_region',
    create: 'create_region',
    update: 'update_region',
    delete: 'delete_region',
  },
  ownId: true,
  prepare: emptyDescription,
  async beforeDelete(tx, id) {
    const users = await tx`
      select from identity_endpoints where region_id = ${id}
      union all select from identity_regions where parent_region_id = ${id}`;
    if (users.length > 0) {
      throw new Forbidden(`Unable to delete region ${id} because it or its child regions have associated endpoints.`);
    }
  },
};

const serviceKind: Kind<ServiceRow> = {
  entity: services,
  actions: {
    list: 'list_services',
    get: 'get_service',
    create: 'create_service',
    update: 'update_service',
    delete: 'delete_service',
  },
};

/** `region`, which older clients send for `region_id`, makes the region if need be. */
const endpointKind: Kind<EndpointRow> = {
  entity: endpoints,
  actions: {
    list: 'list_endpoints',
    get: 'get_endpoint',
    create: 'create_endpoint',
    update: 'update_endpoint',
    delete: 'delete_endpoint',
  },
  async prepare(call, tx, given) {
    const legacy: unknown = memberOf(await call.body(), endpoints.member)['region'];
    if (typeof legacy !== 'string' || given.known['region_id'] !== undefined) return given;
    await tx`insert into identity_regions (id) values (${legacy}) on conflict do nothing`;
    return { ...given, known: { ...given.known, region_id: legacy } };
  },
  shown: (call, row) => ({ ...row, url: row.url.replace('$(public_endpoint)s', call.origin) }),
};

export const catalogueRoutes: readonly Route[] = [
  ...routesOf(regionKind),
  ...routesOf(serviceKind),
  ...routesOf(endpointKind),
];
