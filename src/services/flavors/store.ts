/** SQL of flavors and service profiles. */
import type { AttributeSql, TableSql } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';
import { FlavorNotFound, ServiceProfileNotFound } from './errors.ts';

/** Constraints that say what is the matter. */
export const BOUND_ONCE = 'flavor_service_profiles_once';

export const FLAVOR_COLUMNS = {
  id: 'uuid',
  name: 'text',
  description: 'text',
  service_type: 'text',
  enabled: 'boolean',
} as const;

export const PROFILE_COLUMNS = {
  id: 'uuid',
  description: 'text',
  driver: 'text',
  metainfo: 'text',
  enabled: 'boolean',
} as const;

const description: AttributeSql = { select: 't.description', sort: `coalesce(t.description, '')` };
const enabled: AttributeSql = { select: 't.enabled', type: 'boolean' };

export const FLAVORS: TableSql = {
  from: 'flavors t',
  key: 't.id',
  attributes: {
    id: { select: 't.id', type: 'uuid' },
    name: { select: 't.name' },
    description,
    service_type: { select: 't.service_type' },
    enabled,
    service_profiles: {
      select: `(select coalesce(json_agg(b.service_profile_id order by b.service_profile_id), '[]')
        from flavor_service_profiles b where b.flavor_id = t.id)`,
      sort: false,
    },
  },
  notFound: (id) => new FlavorNotFound(id),
};

export const PROFILES: TableSql = {
  from: 'service_profiles t',
  key: 't.id',
  attributes: {
    id: { select: 't.id', type: 'uuid' },
    description,
    driver: { select: 't.driver' },
    metainfo: { select: 't.metainfo', sort: `coalesce(t.metainfo, '')` },
    enabled,
  },
  notFound: (id) => new ServiceProfileNotFound(id),
};

/** Changes columns of one row. */
export async function changeRow(
  tx: Transaction,
  table: 'flavors' | 'service_profiles',
  id: string,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const names = Object.keys(values);
  if (names.length === 0) return;
  await tx`update ${tx(table)} set ${tx(values as Record<string, never>, names)} where id = ${id}`;
}

/** Deletes one row; false where there is none. */
export async function deleteRow(tx: Transaction, table: 'flavors' | 'service_profiles', id: string): Promise<boolean> {
  return (await tx`delete from ${tx(table)} where id = ${id}`).count === 1;
}

export async function isBoundProfile(tx: Transaction, id: string): Promise<boolean> {
  return (await tx`select 1 from flavor_service_profiles where service_profile_id = ${id} limit 1`).length > 0;
}

/** Gives the flavor the profile; what of the two is not there is left to the constraints. */
export async function bind(tx: Transaction, flavor: string, profile: string): Promise<void> {
  await tx`insert into flavor_service_profiles (flavor_id, service_profile_id) values (${flavor}, ${profile})`;
}

export async function unbind(tx: Transaction, flavor: string, profile: string): Promise<boolean> {
  if (!isUuid(flavor) || !isUuid(profile)) return false;
  const gone = await tx`
    delete from flavor_service_profiles where flavor_id = ${flavor} and service_profile_id = ${profile}`;
  return gone.count === 1;
}

export async function isBound(db: Queryable, flavor: string, profile: string): Promise<boolean> {
  if (!isUuid(flavor) || !isUuid(profile)) return false;
  const found = await db`
    select 1 from flavor_service_profiles where flavor_id = ${flavor} and service_profile_id = ${profile}`;
  return found.length > 0;
}

/** The first profile of a flavor. */
export interface Offer {
  readonly service_type: string;
  readonly flavor_enabled: boolean;
  readonly driver: string | null;
  readonly profile_enabled: boolean | null;
}

export async function offerOf(db: Queryable, flavor: string): Promise<Offer | undefined> {
  if (!isUuid(flavor)) return undefined;
  const [found] = await db<Offer[]>`
    select f.service_type, f.enabled as flavor_enabled, p.driver, p.enabled as profile_enabled
    from flavors f
    left join flavor_service_profiles b on b.flavor_id = f.id
    left join service_profiles p on p.id = b.service_profile_id
    where f.id = ${flavor} order by b.service_profile_id limit 1`;
  return found;
}
