/** How conntrack helpers are read: those of one router, by who sees that; and how routers show them. */
import type { Scope, TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import { routerScope } from '#src/services/router/routers/contract.ts';
import { ConntrackHelperNotFound } from './errors.ts';

export const HELPER_READING: TableSql = {
  from: 'conntrack_helpers c join routers r on r.id = c.router_id',
  key: 'c.id',
  attributes: {
    id: { select: 'c.id', type: 'uuid' },
    protocol: { select: 'c.protocol' },
    port: { select: 'c.port', type: 'integer' },
    helper: { select: 'c.helper' },
  },
  notFound: (id) => new ConntrackHelperNotFound(id),
};

/** Those of the router, if the caller sees it. */
export const helperScope =
  (context: Context, router_id: string): Scope =>
  (parameters) => {
    const seen = routerScope(context)(parameters);
    const own = `c.router_id = ${parameters.add(router_id, 'uuid')}`;
    return seen === undefined ? own : `${own} and ${seen}`;
  };

export const routerAttributes: AttributeExtension = {
  attributes: {
    conntrack_helpers: {
      select: `coalesce((select json_agg(json_build_object('protocol', c.protocol, 'port', c.port, 'helper', c.helper)
        order by c.protocol, c.port, c.helper) from conntrack_helpers c where c.router_id = r.id), '[]')`,
      sort: false,
    },
  },
};
