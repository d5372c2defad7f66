/**
 * SQL of contacts. Whoever writes contacts of a network first locks the network's row: so a network cannot be deleted under a
 * contact that is being made, and messages about one network's contacts leave in the order of the commits.
 */
import {
  apiTime,
  type Context,
  NetworkNotFound,
  type Queryable,
  type Scope,
  type TableSql,
  type Transaction,
} from '#src/plugin_api/mod.ts';
import type { AgentContact } from './contract.ts';
import { NetworkContactNotFound } from './errors.ts';

/** Columns that verbs write, with their SQL types. */
export const COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  network_id: 'uuid',
  name: 'text',
  email: 'text',
  notify: 'boolean',
  expires_at: 'timestamptz',
  description: 'text',
} as const;

/** How contacts are read: lists with filters, sorting and pages are made from this. */
export const CONTACTS: TableSql = {
  from: 'network_contacts c',
  key: 'c.id',
  attributes: {
    id: { select: 'c.id', type: 'uuid' },
    tenant_id: { select: 'c.project_id' },
    project_id: { select: 'c.project_id' },
    network_id: { select: 'c.network_id', type: 'uuid' },
    name: { select: 'c.name' },
    email: { select: 'c.email' },
    notify: { select: 'c.notify', type: 'boolean' },
    expires_at: { select: apiTime('c.expires_at') },
    description: { select: 'c.description' },
    revision_number: { select: 'c.revision_number', type: 'integer' },
    created_at: { select: apiTime('c.created_at') },
    updated_at: { select: apiTime('c.updated_at') },
  },
  changed: 'c.updated_at',
  notFound: (id) => new NetworkContactNotFound(id),
};

/** What a caller sees: its own contacts, and those of its own networks. Policy asks again; this keeps lists short. */
export function visibleTo(context: Context): Scope {
  return (parameters) => {
    if (context.is_admin) return undefined;
    const project = parameters.add(context.project_id, 'text');
    return `(c.project_id = ${project} or c.network_id = any(array(select id from networks where project_id = ${project})))`;
  };
}

/** Locks networks to the end of the transaction, in the order of their ids; throws NetworkNotFound. */
export async function lockNetworks(tx: Transaction, ids: Iterable<string>): Promise<readonly string[]> {
  const wanted = [...new Set(ids)].toSorted();
  const found = await tx<{ id: string }[]>`
    select id from networks where id = any(${wanted}::uuid[]) order by id for no key update`;
  const missing = wanted.find((id) => !found.some((row) => row.id === id));
  if (missing !== undefined) throw new NetworkNotFound(missing);
  return wanted;
}

/** The hosts that have ports of a network. */
export async function hostsOf(tx: Transaction, network_id: string): Promise<readonly string[]> {
  const rows = await tx<{ host: string }[]>`
    select distinct b.host from ports p join port_bindings b on b.port_id = p.id
    where p.network_id = ${network_id} and b.host <> '' order by b.host`;
  return rows.map(({ host }) => host);
}

/** The contacts of those of the networks that have ports on the host. */
export function contactsOnHost(
  db: Queryable,
  host: string,
  network_ids: readonly string[],
): Promise<readonly { readonly network_id: string; readonly contacts: readonly AgentContact[] }[]> {
  return db<{ network_id: string; contacts: readonly AgentContact[] }[]>`
    select n.id as network_id, coalesce(
      (select json_agg(json_build_object('name', c.name, 'email', c.email, 'notify', c.notify) order by c.created_at, c.id)
       from network_contacts c where c.network_id = n.id), '[]') as contacts
    from networks n
    where n.id = any(${network_ids}::uuid[]) and exists (
      select 1 from ports p join port_bindings b on b.port_id = p.id where p.network_id = n.id and b.host = ${host})`;
}

/** Addresses of the contacts without whom the network must not go. */
export async function mustBeAsked(tx: Transaction, network_id: string): Promise<readonly string[]> {
  const rows = await tx<{ email: string }[]>`
    select email from network_contacts where network_id = ${network_id} and notify order by email`;
  return rows.map(({ email }) => email);
}

/** A contact that was deleted. */
export interface Removed {
  readonly project_id: string;
  readonly network_id: string;
}

export function deleteContact(tx: Transaction, id: string): Promise<readonly Removed[]> {
  return tx<Removed[]>`delete from network_contacts where id = ${id} returning project_id, network_id`;
}

export function deleteContactsOf(tx: Transaction, network_id: string): Promise<readonly Removed[]> {
  return tx<Removed[]>`delete from network_contacts where network_id = ${network_id} returning project_id, network_id`;
}

/** Networks that have expired contacts, not more than the limit. */
export async function networksWithExpired(db: Queryable, limit: number): Promise<readonly string[]> {
  const rows = await db<{ network_id: string }[]>`
    select distinct network_id from network_contacts where expires_at <= now() order by network_id limit ${limit}`;
  return rows.map(({ network_id }) => network_id);
}

export function deleteExpired(tx: Transaction, network_ids: readonly string[]): Promise<readonly Removed[]> {
  return tx<Removed[]>`
    delete from network_contacts where network_id = any(${network_ids}::uuid[]) and expires_at <= now()
    returning project_id, network_id`;
}
