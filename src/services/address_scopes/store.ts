/** SQL of address scopes beside their reading. */
import type { Transaction } from '#src/lib/database.ts';
import { newId } from '#src/lib/ids.ts';

export const ADDRESS_SCOPE_COLUMNS = { id: 'uuid', project_id: 'text', name: 'text', ip_version: 'smallint' } as const;

/** Shares the scopes with everybody, for whom they belong to. */
export async function shareWithAll(
  tx: Transaction,
  scopes: readonly { readonly id: string; readonly project_id: string }[],
): Promise<void> {
  if (scopes.length === 0) return;
  const rows = scopes.map(({ id, project_id }) => ({ id: newId(), project_id, object_id: id }));
  await tx.unsafe(
    `insert into address_scope_rbacs (id, project_id, object_id, action, target_project)
     select id, project_id, object_id, 'access_as_shared', '*'
     from json_to_recordset($1::json) as r (id uuid, project_id text, object_id uuid) on conflict do nothing`,
    [rows as never],
    { prepare: true },
  );
}

export async function renameAddressScope(tx: Transaction, id: string, name: string): Promise<void> {
  await tx`update address_scopes set name = ${name} where id = ${id}`;
}

/** Deletes the scope; whether it is gone, which pools associated with it forbid. */
export async function deleteAddressScope(tx: Transaction, id: string): Promise<boolean> {
  const gone = await tx`
    delete from address_scopes where id = ${id}
      and not exists (select 1 from subnetpools where address_scope_id = ${id}) returning 1`;
  return gone.length === 1;
}
