/**
 * The verbs of address groups (neutron.db.address_group_db). A write takes the group's row first: adding and removing addresses
 * are told apart from what is there under that lock.
 */
import { listRows, lockRow, reviseRow, showRow, showRows, sqlState } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Call, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { networksOf } from './addresses.ts';
import { AddressesAlreadyExist, AddressesNotFound, AddressGroupInUse } from './errors.ts';
import { groupNotifications } from './notifier.ts';
import { addressGroupReading as reading, addressGroupScope as scope } from './reading.ts';
import { addAddresses, COLUMNS, deleteGroup, insertGroups, removeAddresses } from './store.ts';

const RESOURCE = 'address_group';
const FOREIGN_KEY_VIOLATION = '23503';

/** Changes a group under its lock; says whether it changed anything. */
type Write = (tx: Transaction, original: Resource) => Promise<boolean>;

export function addressGroupVerbs({
  db,
  callbacks,
  outbox,
}: Pick<PluginHost, 'db' | 'callbacks' | 'outbox'>): Readonly<Record<string, Verb>> {
  /** Goes out with what is sent next; a failure is the transaction's. */
  const leave = (tx: Transaction, context: Context, notifications: readonly Notification[]): void =>
    void outbox.add(tx, context, notifications).catch(() => {});

  const visible = async (context: Context, id: string, tx?: Transaction): Promise<Resource> => {
    const group = await showRow(tx ?? db.sql, reading(context), id, undefined, scope(context));
    if (group === undefined) throw reading(context).notFound(id);
    return group;
  };

  const locked = async (
    tx: Transaction,
    context: Context,
    call: Call,
    id: string,
    mode: 'no key update' | 'update',
  ) => {
    // Sent in this order: the reading sees what the lock waited for.
    const [, original] = await Promise.all([lockRow(tx, 'address_groups', id, mode), visible(context, id, tx)]);
    checkRevision(call, original);
    return original;
  };

  const create = async (context: Context, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const groups = bodies.map((body) => {
      const addresses = networksOf(body['addresses'] ?? []);
      const row = {
        id: newId(),
        project_id: body['project_id'] ?? context.project_id ?? '',
        name: body['name'] ?? '',
        description: body['description'] ?? '',
        // Addresses are added to a group that is there, in Neutron.
        revision_number: addresses.length > 0 ? 1 : 0,
      };
      return { row, addresses, body };
    });
    for (const { row, body } of groups) {
      await callbacks.publish(RESOURCE, 'before_create', { context, resource_id: row.id, request: body });
    }
    const ids = groups.map(({ row }) => row.id);
    const payloads = (created: readonly Resource[]) =>
      created.map((latest, at) => ({ context, resource_id: ids[at] ?? '', latest, request: bodies[at] ?? {} }));
    const created = await db.transaction({ label: 'create_address_group' }, async (tx) => {
      const [, resources] = await Promise.all([insertGroups(tx, groups), showRows(tx, reading(context), ids)]);
      leave(
        tx,
        context,
        ids.flatMap((id) => groupNotifications(id)),
      );
      for (const payload of payloads(resources))
        await callbacks.publish(RESOURCE, 'precommit_create', { ...payload, tx });
      return resources;
    });
    for (const payload of payloads(created)) await callbacks.publish(RESOURCE, 'after_create', payload);
    return created;
  };

  const change = async (context: Context, call: Call, write: Write): Promise<Resource> => {
    const { body: request = {} } = call;
    const before = call.original ?? (await visible(context, call.id ?? ''));
    const payload = { context, resource_id: String(before['id']), request };
    await callbacks.publish(RESOURCE, 'before_update', { ...payload, original: before });
    const states = await db.transaction({ label: 'update_address_group' }, async (tx) => {
      const original = await locked(tx, context, call, payload.resource_id, 'no key update');
      const latest = (await write(tx, original)) ? await visible(context, payload.resource_id, tx) : original;
      if (latest !== original) leave(tx, context, groupNotifications(payload.resource_id, original, latest));
      await callbacks.publish(RESOURCE, 'precommit_update', { ...payload, original, latest, tx });
      return { original, latest };
    });
    await callbacks.publish(RESOURCE, 'after_update', { ...payload, ...states });
    return states.latest;
  };

  const changeAddresses = async (
    context: Context,
    call: Call,
    work: typeof addAddresses,
    refusal: new (addresses: readonly string[], id: string) => Error,
  ) => {
    const addresses = networksOf(call.body?.['addresses']);
    const address_group = await change(context, call, async (tx, { id }) => {
      if (addresses.length === 0) return false;
      const done = new Set(await work(tx, String(id), addresses));
      const refused = addresses.filter((address) => !done.has(address));
      if (refused.length > 0) throw new refusal(refused, String(id));
      await reviseRow(tx, 'address_groups', String(id), COLUMNS, {});
      return true;
    });
    const { tags: _, ...shown } = address_group;
    return { address_group: shown };
  };

  return {
    create_address_group: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_address_group_bulk: async (context, { bodies = [] }) => await create(context, bodies),

    async get_address_group(context, { id = '', fields }) {
      const group = await showRow(db.sql, reading(context), id, fields, scope(context));
      if (group === undefined) throw reading(context).notFound(id);
      return group;
    },
    get_address_groups: async (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      await listRows(db.sql, reading(context), query, scope(context)),

    update_address_group: async (context, call) =>
      await change(context, call, async (tx, original) => {
        const asked = Object.entries(call.body ?? {}).filter(([name]) => name === 'name' || name === 'description');
        const values = Object.fromEntries(asked.filter(([name, value]) => original[name] !== value));
        if (Object.keys(values).length === 0) return false;
        await reviseRow(tx, 'address_groups', String(original['id']), COLUMNS, values);
        return true;
      }),

    add_addresses: (context, call) => changeAddresses(context, call, addAddresses, AddressesAlreadyExist),
    remove_addresses: (context, call) => changeAddresses(context, call, removeAddresses, AddressesNotFound),

    async delete_address_group(context, call) {
      const before = call.original ?? (await visible(context, call.id ?? ''));
      const payload = { context, resource_id: String(before['id']) };
      await callbacks.publish(RESOURCE, 'before_delete', { ...payload, original: before });
      const original = await db.transaction({ label: 'delete_address_group' }, async (tx) => {
        const original = await locked(tx, context, call, payload.resource_id, 'update');
        await callbacks.publish(RESOURCE, 'precommit_delete', { ...payload, original, tx });
        await deleteGroup(tx, payload.resource_id).catch((error: unknown) => {
          throw sqlState(error) === FOREIGN_KEY_VIOLATION ? new AddressGroupInUse(payload.resource_id) : error;
        });
        leave(tx, context, groupNotifications(payload.resource_id, original));
        return original;
      });
      await callbacks.publish(RESOURCE, 'after_delete', { ...payload, original });
    },
  };
}

function checkRevision({ if_match: expected }: Call, { revision_number: revision }: Resource): void {
  if (expected !== undefined && expected !== revision) {
    throw new RevisionNumberConstraintFailed(`Constrained to ${expected}, but current revision is ${revision}`);
  }
}
