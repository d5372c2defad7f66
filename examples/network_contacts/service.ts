/** The verbs of contacts. Each write is one transaction: lock, write, tell agents through the outbox, count last. */
import {
  type Call,
  type Context,
  insertRows,
  listRows,
  newId,
  type PluginHost,
  type Queryable,
  type Resource,
  RevisionNumberConstraintFailed,
  reviseRow,
  showRow,
  showRows,
  type Transaction,
  type Verb,
} from '#src/plugin_api/mod.ts';
import { contactsChanged } from './notifier.ts';
import { COLUMNS, CONTACTS, deleteContact, lockNetworks, type Removed, visibleTo } from './store.ts';

type Services = Pick<PluginHost, 'db' | 'outbox' | 'quota'>;

export function contactVerbs({ db, outbox, quota }: Services): Readonly<Record<string, Verb>> {
  const create = (context: Context, bodies: readonly Resource[]) =>
    db.transaction({ label: 'create_network_contact' }, async (tx) => {
      const rows = bodies.map((body) => ({
        ...body,
        id: newId<'network_contact'>(),
        project_id: String(body['project_id'] ?? ''),
        network_id: String(body['network_id']),
      }));
      const networks = await lockNetworks(
        tx,
        rows.map(({ network_id }) => network_id),
      );
      await insertRows(tx, 'network_contacts', COLUMNS, rows);
      await outbox.add(tx, context, await contactsChanged(tx, networks));
      for (const [project, count] of countByProject(rows)) await quota.charge(tx, project, { network_contact: count });
      return await showRows(
        tx,
        CONTACTS,
        rows.map(({ id }) => id),
      );
    });

  /** Reads the contact twice: for the network to lock, and under the lock, when nobody changes it any more. */
  const locked = async (tx: Transaction, context: Context, call: Call) => {
    const before = await visible(tx, context, call);
    await lockNetworks(tx, [String(before['network_id'])]);
    const contact = await visible(tx, context, call);
    const revision = contact['revision_number'];
    if (call.if_match !== undefined && call.if_match !== revision) {
      throw new RevisionNumberConstraintFailed(`Constrained to ${call.if_match}, but current revision is ${revision}`);
    }
    return { id: String(contact['id']), networks: [String(contact['network_id'])] };
  };

  return {
    create_network_contact: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_network_contact_bulk: (context, { bodies = [] }) => create(context, bodies),
    get_network_contact: (context, call) => visible(db.sql, context, call),
    get_network_contacts: (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listRows(db.sql, CONTACTS, query, visibleTo(context)),

    update_network_contact: (context, call) =>
      db.transaction({ label: 'update_network_contact' }, async (tx) => {
        const { id, networks } = await locked(tx, context, call);
        await reviseRow(tx, 'network_contacts', id, COLUMNS, call.body ?? {});
        await outbox.add(tx, context, await contactsChanged(tx, networks));
        return await visible(tx, context, { ...call, id });
      }),

    delete_network_contact: (context, call) =>
      db.transaction({ label: 'delete_network_contact' }, async (tx) => {
        const { id, networks } = await locked(tx, context, call);
        const removed = await deleteContact(tx, id);
        await outbox.add(tx, context, await contactsChanged(tx, networks));
        await uncount(tx, quota, removed);
      }),
  };
}

async function visible(db: Queryable, context: Context, { id = '', fields }: Call): Promise<Resource> {
  const contact = await showRow(db, CONTACTS, id, fields, visibleTo(context));
  if (contact === undefined) throw CONTACTS.notFound(id);
  return contact;
}

/** Takes deleted contacts off their projects' usage. */
export async function uncount(tx: Transaction, quota: Services['quota'], removed: readonly Removed[]): Promise<void> {
  for (const [project, count] of countByProject(removed)) await quota.charge(tx, project, { network_contact: -count });
}

/** In a fixed order, so that two transactions take the usage rows of several projects in the same order. */
function countByProject(contacts: readonly { readonly project_id: string }[]): readonly (readonly [string, number])[] {
  const groups = Map.groupBy(contacts, ({ project_id }) => project_id);
  return [...groups]
    .map(([project, group]) => [project, group.length] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}
