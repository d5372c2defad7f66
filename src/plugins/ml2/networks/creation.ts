/**
 * Creating networks: what can be said before the database is asked, then one statement for each table, all sent at once with
 * the reading. Only where a segment has to be searched for (the random one was taken), more follow.
 */
import { insertRows, showRows, type TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { AvailabilityZoneNotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Ml2 } from '../state.ts';
import { EXTERNAL, IS_DEFAULT } from './marks.ts';
import { checkMtu, LARGEST_MTU } from './mtu.ts';
import { segmentRequests } from './provider.ts';
import { markExternal, NETWORK_COLUMNS, openToAll, setMtus, unknownZone } from './store.ts';

type Draft = ReturnType<typeof draftOf>;

function draftOf({ types, extensions }: Ml2, context: Context, body: Resource) {
  const id = newId<'network'>();
  const plans = types.plan(id, segmentRequests(body), body[EXTERNAL] === true);
  const requestedMtu = Number(body['mtu'] ?? 0);
  checkMtu(requestedMtu, LARGEST_MTU);
  const row = {
    id,
    project_id: body['project_id'] ?? context.project_id ?? '',
    name: body['name'] ?? '',
    description: body['description'] ?? '',
    admin_state_up: body['admin_state_up'] ?? true,
    status: 'ACTIVE',
    mtu: requestedMtu > 0 ? requestedMtu : types.expectedMtu(plans),
    availability_zone_hints: (body['availability_zone_hints'] ?? []) as readonly string[],
    revision_number: 1,
    ...extensions.networks.create({ context, body }),
  };
  return { id, body, plans, requestedMtu, row, is_default: body[IS_DEFAULT] === true };
}

async function checkZones(tx: Transaction, drafts: readonly Draft[]): Promise<void> {
  const unknown = await unknownZone(tx, [...new Set(drafts.flatMap(({ row }) => row.availability_zone_hints))]);
  if (unknown !== undefined) throw new AvailabilityZoneNotFound(unknown);
}

/** What makes networks of bodies: their drafts, and the writing of them in a transaction. */
export function networkCreation(ml2: Ml2, reading: (context: Context) => TableSql) {
  const { types } = ml2;
  const extensions = ml2.extensions.networks;
  const columns = { ...NETWORK_COLUMNS, ...extensions.columns };

  /** Sees to it that each network has the MTU of the segments it got; whether one had to be changed. */
  const settleMtus = async (
    tx: Transaction,
    drafts: readonly Draft[],
    segments: Awaited<ReturnType<typeof types.reserve>>,
  ): Promise<boolean> => {
    const byNetwork = Map.groupBy(segments, ({ network_id }) => network_id);
    const others = [];
    for (const { id, requestedMtu, row } of drafts) {
      const mtu = types.maximumMtu(byNetwork.get(id) ?? []);
      checkMtu(requestedMtu, mtu);
      if (requestedMtu === 0 && row.mtu !== mtu) others.push({ id, mtu });
    }
    await setMtus(tx, others);
    return others.length > 0;
  };

  const write = async (tx: Transaction, context: Context, drafts: readonly Draft[]): Promise<readonly Resource[]> => {
    await checkZones(tx, drafts);
    const ids = drafts.map(({ id }) => id);
    const rows = drafts.map(({ row }) => row);
    const plans = drafts.flatMap((draft) => draft.plans);
    const marked = (name: string) =>
      drafts.filter(({ body }) => body[name] === true).map(({ row, is_default }) => ({ ...row, is_default }));
    const readBack = () => showRows(tx, reading(context), ids);
    // Sent at once; the reading is true if nothing had to be written after it.
    const [, tried, , , , stored, read] = await Promise.all([
      insertRows(tx, 'networks', columns, rows),
      types.tryReserve(tx, plans),
      openToAll(tx, marked('shared'), 'access_as_shared'),
      markExternal(tx, marked(EXTERNAL)),
      openToAll(tx, marked(EXTERNAL), 'access_as_external'),
      extensions.store(tx, context, drafts),
      readBack(),
    ]);
    const segments = await types.reserve(tx, plans, tried);
    const changed = await settleMtus(tx, drafts, segments);
    return stored && !changed && tried.size === plans.length ? read : await readBack();
  };

  return {
    drafts: (context: Context, bodies: readonly Resource[]) => bodies.map((body) => draftOf(ml2, context, body)),
    write,
  };
}
