/** SQL of subnet pools beside their reading. */
import { Parameters } from '#src/db/mod.ts';
import { addressScopeScope } from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { IpVersion } from '#src/lib/net/mod.ts';

export const SUBNETPOOL_COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  name: 'text',
  description: 'text',
  ip_version: 'smallint',
  default_prefixlen: 'integer',
  min_prefixlen: 'integer',
  max_prefixlen: 'integer',
  default_quota: 'integer',
  is_default: 'boolean',
  address_scope_id: 'uuid',
} as const;

/** The constraint that a second default pool of an IP version meets. */
export const ONE_DEFAULT = 'subnetpools_one_default';

const unsafe = (tx: Transaction, text: string, values: readonly unknown[]) =>
  tx.unsafe(text, values as never[], { prepare: true });

/** Writes prefixes and shares of new pools. */
export async function insertDetails(
  tx: Transaction,
  pools: readonly {
    readonly id: string;
    readonly project_id: string;
    readonly prefixes: readonly string[];
    readonly shared: boolean;
  }[],
): Promise<void> {
  const prefixes = pools.flatMap(({ id, prefixes }) => prefixes.map((cidr) => ({ subnetpool_id: id, cidr })));
  const shares = pools
    .filter(({ shared }) => shared)
    .map(({ id, project_id }) => ({ id: newId(), project_id, object_id: id }));
  await Promise.all([
    unsafe(
      tx,
      `insert into subnetpool_prefixes (subnetpool_id, cidr)
       select subnetpool_id, cidr from json_to_recordset($1::json) as r (subnetpool_id uuid, cidr cidr)`,
      [prefixes],
    ),
    shares.length === 0
      ? undefined
      : unsafe(
          tx,
          `insert into subnetpool_rbacs (id, project_id, object_id, action, target_project)
           select id, project_id, object_id, 'access_as_shared', '*'
           from json_to_recordset($1::json) as r (id uuid, project_id text, object_id uuid)`,
          [shares],
        ),
  ]);
}

/** Makes these the prefixes of the pool. */
export async function replacePrefixes(tx: Transaction, id: string, prefixes: readonly string[]): Promise<void> {
  await Promise.all([
    unsafe(tx, 'delete from subnetpool_prefixes where subnetpool_id = $1::uuid and cidr <> all($2::cidr[])', [
      id,
      prefixes,
    ]),
    unsafe(
      tx,
      'insert into subnetpool_prefixes (subnetpool_id, cidr) select $1::uuid, unnest($2::cidr[]) on conflict do nothing',
      [id, prefixes],
    ),
  ]);
}

/** An address scope, locked, with what its pools have. */
export interface LockedScope {
  readonly id: string;
  readonly project_id: string;
  readonly ip_version: IpVersion;
  /** Whether the caller may use it. */
  readonly visible: boolean;
  readonly prefixes: readonly { readonly subnetpool_id: string; readonly cidr: string }[];
}

/** Locks the scopes in order: nobody else gives their pools prefixes until the transaction ends. */
export async function lockScopes(
  tx: Transaction,
  context: Context,
  named: readonly string[],
): Promise<ReadonlyMap<string, LockedScope>> {
  const ids = named.filter(isUuid);
  if (ids.length === 0) return new Map();
  const parameters = new Parameters();
  const all = `a.id = any(${parameters.add(ids, 'uuid[]')})`;
  const visible = addressScopeScope(context)(parameters) ?? 'true';
  const [, rows] = await Promise.all([
    unsafe(tx, 'select 1 from address_scopes where id = any($1::uuid[]) order by id for no key update', [ids]),
    tx.unsafe<LockedScope[]>(
      `select a.id, a.project_id, a.ip_version, ${visible} as visible, coalesce((
         select json_agg(x) from subnetpools p join subnetpool_prefixes x on x.subnetpool_id = p.id
         where p.address_scope_id = a.id), '[]') as prefixes
       from address_scopes a where ${all}`,
      parameters.values as never[],
      { prepare: true },
    ),
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether a network has subnets of the pool beside others of the IP version: its scope then is not the pool's alone. */
export async function sharesNetworks(tx: Transaction, id: string, version: IpVersion): Promise<boolean> {
  const found = await tx`
    select 1 from subnets s join subnets o on o.network_id = s.network_id and o.ip_version = ${version}
    where s.subnetpool_id = ${id} and o.subnetpool_id is distinct from s.subnetpool_id limit 1`;
  return found.length > 0;
}

/** Whether another pool than this is the default of the IP version. */
export async function hasOtherDefault(tx: Transaction, version: IpVersion, id?: string): Promise<boolean> {
  const found = await tx`
    select 1 from subnetpools where is_default and ip_version = ${version} and id is distinct from ${id ?? null}::uuid`;
  return found.length > 0;
}

/** Whether a subnet of the pool has addresses of the prefixes. */
export async function prefixesInUse(tx: Transaction, id: string, prefixes: readonly string[]): Promise<boolean> {
  const found = await unsafe(
    tx,
    'select 1 from subnets where subnetpool_id = $1::uuid and cidr && any($2::cidr[]) limit 1',
    [id, prefixes],
  );
  return found.length > 0;
}

/** Deletes the pool; whether it is gone, which subnets of it forbid. */
export async function deletePool(tx: Transaction, id: string): Promise<boolean> {
  const gone = await tx`
    delete from subnetpools where id = ${id} and not exists (select 1 from subnets where subnetpool_id = ${id}) returning 1`;
  return gone.length === 1;
}

/** A subnet that is to be moved into a pool. */
export interface NetworkSubnet {
  readonly id: string;
  readonly cidr: string;
}

/** Locks a network and its subnets of the IP version, but those whose prefixes are delegated: they belong to no pool. */
export async function lockSubnets(
  tx: Transaction,
  network_id: string,
  version: IpVersion,
): Promise<readonly NetworkSubnet[]> {
  const [, subnets] = await Promise.all([
    unsafe(tx, 'select 1 from networks where id = $1::uuid for no key update', [network_id]),
    tx.unsafe<(NetworkSubnet & Record<string, unknown>)[]>(
      `select id, cidr::text as cidr from subnets
       where network_id = $1::uuid and ip_version = $2::int and not prefix_delegated order by id for no key update`,
      [network_id, version],
      { prepare: true },
    ),
  ]);
  return subnets.map(({ id, cidr }) => ({ id, cidr }));
}

/** Moves the subnets into the pool. */
export async function moveSubnets(tx: Transaction, subnetpool_id: string, ids: readonly string[]): Promise<void> {
  await unsafe(
    tx,
    `update subnets set subnetpool_id = $1::uuid, revision_number = revision_number + 1, updated_at = now()
     where id = any($2::uuid[])`,
    [subnetpool_id, ids],
  );
}
