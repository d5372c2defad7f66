/** The verbs of subnet pools (neutron.db.db_base_plugin_v2); those of prefixes are in `prefix_verbs.ts`. */
import { insertRows, listRows, showRows, violatedConstraint } from '#src/db/mod.ts';
import { subnetPoolScope } from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { IpVersion } from '#src/lib/net/mod.ts';
import type { PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { SubnetPoolDeleteError } from './errors.ts';
import { poolLifecycle } from './lifecycle.ts';
import { prefixVerbs } from './prefix_verbs.ts';
import { subnetPoolReading } from './reading.ts';
import { newPool } from './rules.ts';
import { checkScopes } from './scopes.ts';
import { deletePool, hasOtherDefault, insertDetails, lockScopes, ONE_DEFAULT, SUBNETPOOL_COLUMNS } from './store.ts';
import { poolChanger } from './update.ts';

const SECOND_DEFAULT =
  'is_default: there is a default subnet pool of this IP version already, and there may be only one';

/** Two who race for being the default meet at the constraint. */
async function oneDefault<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === ONE_DEFAULT) throw new InvalidInput(SECOND_DEFAULT);
    throw error;
  }
}

async function refuseSecondDefault(tx: Transaction, version: IpVersion, id?: string): Promise<void> {
  if (await hasOtherDefault(tx, version, id)) throw new InvalidInput(SECOND_DEFAULT);
}

function draftOf(context: Context, body: Resource) {
  const { prefixes, ...pool } = newPool(body);
  const row = {
    id: newId() as string,
    project_id: String(body['project_id'] ?? context.project_id ?? ''),
    name: body['name'],
    description: body['description'] ?? '',
    ...pool,
    default_quota: body['default_quota'] ?? null,
    is_default: body['is_default'] === true,
    address_scope_id: (body['address_scope_id'] ?? null) as string | null,
  };
  return { id: row.id, body, row, prefixes };
}

export function subnetPoolVerbs(host: PluginHost): Readonly<Record<string, Verb>> {
  const { db } = host;
  const lifecycle = poolLifecycle(host);
  const change = poolChanger(refuseSecondDefault);

  const create = async (context: Context, bodies: readonly Resource[]) => {
    const drafts = bodies.map((body) => draftOf(context, body));
    const write = async (tx: Transaction) => {
      for (const { row } of drafts) if (row.is_default) await refuseSecondDefault(tx, row.ip_version);
      const pools = drafts.map(({ row, prefixes }) => ({ ...row, prefixes }));
      const scopes = pools.flatMap(({ address_scope_id }) => address_scope_id ?? []);
      checkScopes(pools, await lockScopes(tx, context, [...new Set(scopes)]));
      const [, , made] = await Promise.all([
        insertRows(
          tx,
          'subnetpools',
          SUBNETPOOL_COLUMNS,
          drafts.map(({ row }) => row),
        ),
        insertDetails(
          tx,
          drafts.map(({ row, prefixes, body }) => ({ ...row, prefixes, shared: body['shared'] === true })),
        ),
        showRows(
          tx,
          subnetPoolReading(context),
          drafts.map(({ id }) => id),
        ),
      ]);
      return made;
    };
    return await oneDefault(() => lifecycle.create(context, drafts, write));
  };

  return {
    create_subnetpool: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_subnetpool_bulk: (context, { bodies = [] }) => create(context, bodies),

    get_subnetpool: (context, { id = '', fields }) => lifecycle.show(context, id, fields),

    get_subnetpools: (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listRows(db.sql, subnetPoolReading(context), query, subnetPoolScope(context)),

    update_subnetpool: (context, call) =>
      oneDefault(async () => {
        const { body = {} } = call;
        return await lifecycle.update(context, call, (tx, original) => change(tx, context, original, body));
      }),

    delete_subnetpool: (context, call) =>
      lifecycle.remove(context, call, async (tx, id) => {
        if (!(await deletePool(tx, id))) throw new SubnetPoolDeleteError('subnets have prefixes of the pool');
      }),

    ...prefixVerbs(host, lifecycle, (tx, context, original, prefixes) => change(tx, context, original, { prefixes })),
  };
}
