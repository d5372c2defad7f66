/** The verbs of networks. */
import { listRows, reviseRow, showItem } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Call, Resource, Verb } from '#src/lib/plugin.ts';
import { NetworkInUse } from '../errors.ts';
import { createLifecycle } from '../lifecycle.ts';
import { networkScope } from '../scope.ts';
import type { Ml2 } from '../state.ts';
import { changes, pick } from '../values.ts';
import { networkCreation } from './creation.ts';
import { setMarks, withOneDefault } from './marks.ts';
import { newMtu } from './mtu.ts';
import { changeProvider } from './provider.ts';
import { networkReading } from './reading.ts';
import { deleteNetwork, NETWORK_COLUMNS } from './store.ts';

const CHANGEABLE = ['name', 'description', 'admin_state_up'];

export function networkVerbs(ml2: Ml2): Readonly<Record<string, Verb>> {
  const { types, mechanisms } = ml2;
  const extensions = ml2.extensions.networks;
  const reading = networkReading(extensions);
  const columns = { ...NETWORK_COLUMNS, ...extensions.columns };
  const creation = networkCreation(ml2, reading);
  const lifecycle = createLifecycle(ml2, {
    kind: 'network',
    table: 'networks',
    reading,
    scope: networkScope,
  });

  const create = (context: Context, bodies: readonly Resource[]) => {
    for (const body of bodies) mechanisms.checkNetwork(body);
    const drafts = creation.drafts(context, bodies);
    const candidate = drafts.find((draft) => draft.is_default)?.id ?? '';
    return lifecycle.create(context, {
      requests: drafts,
      write: (tx) => creation.write(tx, context, drafts),
      attempt: (transaction) => withOneDefault(ml2.db.sql, candidate, transaction),
      undo: (context, id) => remove(context, { id, parents: {} }),
    });
  };

  const update = async (tx: Transaction, context: Context, original: Resource, body: Resource): Promise<boolean> => {
    const id = String(original['id']);
    const moved = await changeProvider(tx, types, original, body);
    const values = changes(original, {
      ...pick(body, CHANGEABLE),
      ...extensions.update({ context, body, original }),
      ...(body['mtu'] === undefined ? {} : { mtu: await newMtu(tx, types, id, Number(body['mtu'])) }),
    });
    const marked = await setMarks(tx, original, body);
    await extensions.store(tx, context, [{ id, body, original }]);
    if (!moved && !marked && Object.keys(values).length === 0) return false;
    await reviseRow(tx, 'networks', id, columns, values);
    return true;
  };

  const remove = async (context: Context, call: Call): Promise<void> =>
    await lifecycle.remove(context, call, async (tx, original, last) => {
      const id = String(original['id']);
      const { inTheWay, removed } = await deleteNetwork(tx, id);
      if (inTheWay.length > 0) {
        throw new NetworkInUse(
          id,
          `There are one or more ports still in use on the network, id for these ports is: ${inTheWay.join(',')}.`,
        );
      }
      for (const { kind, project_id, count } of removed) {
        await ml2.quota.charge(tx, project_id, { [kind]: -count }, last);
      }
    });

  return {
    create_network: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_network_bulk: async (context, { bodies = [] }) => await create(context, bodies),

    async get_network(context, call) {
      const network = await showItem(ml2.db.sql, reading(context), call, networkScope(context));
      if (network === undefined) throw reading(context).notFound(String(call.id));
      return network;
    },

    get_networks: async (context, { query }) =>
      await listRows(
        ml2.db.sql,
        reading(context),
        query ?? { filters: [], sorts: [], reverse: false },
        networkScope(context),
      ),

    update_network: (context, call) =>
      withOneDefault(ml2.db.sql, call.id ?? '', () =>
        lifecycle.update(context, call, (tx, original, body) => update(tx, context, original, body)),
      ),

    delete_network: remove,
  };
}
