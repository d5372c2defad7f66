/** SQL of address groups beside their reading. */
import { insertRows } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';

/** Columns of a group's row that a caller writes. */
export const COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  name: 'text',
  description: 'text',
  revision_number: 'integer',
} as const;

const ADDRESS_COLUMNS = { address_group_id: 'uuid', address: 'cidr' } as const;

/** A new group with its addresses. */
export interface NewGroup {
  readonly row: Readonly<Record<keyof typeof COLUMNS, unknown>>;
  readonly addresses: readonly string[];
}

/** Writes groups with their addresses, in statements that are sent at once. */
export async function insertGroups(tx: Transaction, groups: readonly NewGroup[]): Promise<void> {
  const addresses = groups.flatMap(({ row, addresses }) =>
    addresses.map((address) => ({ address_group_id: row.id, address })),
  );
  await Promise.all([
    insertRows(
      tx,
      'address_groups',
      COLUMNS,
      groups.map(({ row }) => row),
    ),
    insertRows(tx, 'address_group_addresses', ADDRESS_COLUMNS, addresses),
  ]);
}

/** Adds addresses; answers those that were not there. */
export async function addAddresses(
  tx: Transaction,
  id: string,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const rows = await tx<{ address: string }[]>`
    insert into address_group_addresses (address_group_id, address)
    select ${id}::uuid, r.address::cidr from unnest(${addresses as string[]}::text[]) r (address)
    on conflict do nothing returning address`;
  return rows.map(({ address }) => address);
}

/** Removes addresses; answers those that were there. */
export async function removeAddresses(
  tx: Transaction,
  id: string,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const rows = await tx<{ address: string }[]>`
    delete from address_group_addresses
    where address_group_id = ${id}::uuid and address = any(${addresses as string[]}::text[]::cidr[])
    returning address`;
  return rows.map(({ address }) => address);
}

export async function deleteGroup(tx: Transaction, id: string): Promise<void> {
  await tx`delete from address_groups where id = ${id}::uuid`;
}
