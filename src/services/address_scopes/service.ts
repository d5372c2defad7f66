/** The verbs of address scopes (neutron.db.address_scope_db). */
import { insertRows, listRows, lockRow, showRow, showRows } from '#src/db/mod.ts';
import { AddressScopeNotFound, addressScopeScope } from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { AddressScopeInUse, AddressScopeUpdateError } from './errors.ts';
import { addressScopeReading } from './reading.ts';
import { ADDRESS_SCOPE_COLUMNS, deleteAddressScope, renameAddressScope, shareWithAll } from './store.ts';

const KIND = 'address_scope';

export function addressScopeVerbs({ db, callbacks }: PluginHost): Readonly<Record<string, Verb>> {
  const show = async (context: Context, id: string, tx?: Transaction, fields?: readonly string[]) => {
    const found = await showRow(tx ?? db.sql, addressScopeReading(context), id, fields, addressScopeScope(context));
    if (found === undefined) throw new AddressScopeNotFound(id);
    return found;
  };
  /** Locked and then read, which sees what the lock waited for. */
  const locked = async (tx: Transaction, context: Context, id: string, mode: 'no key update' | 'update') => {
    if (!isUuid(id)) throw new AddressScopeNotFound(id);
    const [, scope] = await Promise.all([lockRow(tx, 'address_scopes', id, mode), show(context, id, tx)]);
    return scope;
  };

  const create = async (context: Context, bodies: readonly Resource[]) => {
    const rows = bodies.map((body) => ({
      id: newId() as string,
      project_id: String(body['project_id'] ?? context.project_id ?? ''),
      name: body['name'] ?? '',
      ip_version: body['ip_version'],
    }));
    for (const [at, { id }] of rows.entries()) {
      await callbacks.publish(KIND, 'before_create', { context, resource_id: id, request: bodies[at]! });
    }
    const scopes = await db.transaction({ label: 'create_address_scope' }, async (tx) => {
      const [, , made] = await Promise.all([
        insertRows(tx, 'address_scopes', ADDRESS_SCOPE_COLUMNS, rows),
        shareWithAll(
          tx,
          rows.filter((_, at) => bodies[at]?.['shared'] === true),
        ),
        showRows(
          tx,
          addressScopeReading(context),
          rows.map(({ id }) => id),
        ),
      ]);
      for (const [at, latest] of made.entries()) {
        const payload = { context, resource_id: String(latest['id']), latest, request: bodies[at]!, tx };
        await callbacks.publish(KIND, 'precommit_create', payload);
      }
      return made;
    });
    for (const [at, latest] of scopes.entries()) {
      const payload = { context, resource_id: String(latest['id']), latest, request: bodies[at]! };
      await callbacks.publish(KIND, 'after_create', payload);
    }
    return scopes;
  };

  const write = async (tx: Transaction, original: Resource, body: Resource) => {
    const id = String(original['id']);
    if (original['shared'] === true && body['shared'] === false) {
      throw new AddressScopeUpdateError(id, 'a shared scope stays shared, because others may use it');
    }
    if (body['shared'] === true) await shareWithAll(tx, [{ id, project_id: String(original['project_id']) }]);
    if (typeof body['name'] === 'string') await renameAddressScope(tx, id, body['name']);
  };

  return {
    create_address_scope: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_address_scope_bulk: (context, { bodies = [] }) => create(context, bodies),

    get_address_scope: (context, { id = '', fields }) => show(context, id, undefined, fields),

    get_address_scopes: (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listRows(db.sql, addressScopeReading(context), query, addressScopeScope(context)),

    async update_address_scope(context, { id = '', body: request = {}, original: seen }) {
      const before = seen ?? (await show(context, id));
      await callbacks.publish(KIND, 'before_update', { context, resource_id: id, original: before, request });
      const { original, latest } = await db.transaction({ label: 'update_address_scope' }, async (tx) => {
        const original = await locked(tx, context, id, 'no key update');
        await write(tx, original, request);
        const latest = await show(context, id, tx);
        const payload = { context, resource_id: id, original, latest, request, tx };
        await callbacks.publish(KIND, 'precommit_update', payload);
        return { original, latest };
      });
      await callbacks.publish(KIND, 'after_update', { context, resource_id: id, original, latest, request });
      return latest;
    },

    async delete_address_scope(context, { id = '', original: seen }) {
      const before = seen ?? (await show(context, id));
      await callbacks.publish(KIND, 'before_delete', { context, resource_id: id, original: before });
      const original = await db.transaction({ label: 'delete_address_scope' }, async (tx) => {
        const original = await locked(tx, context, id, 'update');
        await callbacks.publish(KIND, 'precommit_delete', { context, resource_id: id, original, tx });
        if (!(await deleteAddressScope(tx, id))) throw new AddressScopeInUse(id);
        return original;
      });
      await callbacks.publish(KIND, 'after_delete', { context, resource_id: id, original });
    },
  };
}
