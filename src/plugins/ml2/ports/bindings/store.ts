/** SQL of a port's bindings as a sub-resource. What changes them has locked the port. */
import type { Queryable, Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';

export interface PortBinding {
  readonly host: string;
  readonly vnic_type: string;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly vif_type: string;
  readonly vif_details: Readonly<Record<string, unknown>>;
  readonly status: 'ACTIVE' | 'INACTIVE';
  /** The driver that bound the lowest level. */
  readonly driver: string | null;
  /** The port's, where it says. */
  readonly trusted: boolean | null;
}

/** A port has one binding on a host. */
export const ONE_ON_A_HOST = 'port_bindings_port_id_host_pk';

/** The bindings of a port, by host. */
export async function readBindings(sql: Queryable, port_id: string): Promise<readonly PortBinding[]> {
  return await sql<PortBinding[]>`
    select b.host, b.vnic_type, b.profile, b.vif_type, b.vif_details, b.status, p.trusted, (
      select l.driver from port_binding_levels l where l.port_id = b.port_id and l.host = b.host
      order by l.level desc limit 1) as driver
    from port_bindings b join ports p on p.id = b.port_id
    where b.port_id = ${port_id} and b.status <> 'REPLICA' order by b.host`;
}

/** As the API shows it. */
export function shown({ driver, trusted, ...binding }: PortBinding): Resource {
  const { bound_drivers, ...vif_details } = binding.vif_details;
  const told = trusted !== null && binding.vif_type !== 'unbound';
  return { ...binding, vif_details, profile: told ? { ...binding.profile, trusted } : binding.profile };
}

/** What a binding is made for. */
export interface BindingWish {
  readonly host: string;
  readonly vnic_type: string;
  readonly profile: Readonly<Record<string, unknown>>;
}

/** A binding that is not active, and not bound yet. Violates ONE_ON_A_HOST. */
export async function insertBinding(tx: Transaction, port_id: string, wish: BindingWish): Promise<void> {
  await tx`
    insert into port_bindings (port_id, host, vnic_type, profile, status)
    values (${port_id}, ${wish.host}, ${wish.vnic_type}, ${tx.json(wish.profile as never)}, 'INACTIVE')`;
}

/** Changes what a binding that is not active is made for; it is not bound then. Violates ONE_ON_A_HOST. */
export async function changeInactive(tx: Transaction, port_id: string, host: string, wish: BindingWish): Promise<void> {
  await Promise.all([
    tx`delete from port_binding_levels where port_id = ${port_id} and host = ${host}`,
    tx`
      update port_bindings set host = ${wish.host}, vnic_type = ${wish.vnic_type},
        profile = ${tx.json(wish.profile as never)}, vif_type = 'unbound', vif_details = '{}'
      where port_id = ${port_id} and host = ${host} and status = 'INACTIVE'`,
  ]);
}

/** Its levels go with it. */
export async function deleteInactive(tx: Transaction, port_id: string, host: string): Promise<void> {
  await tx`delete from port_bindings where port_id = ${port_id} and host = ${host} and status = 'INACTIVE'`;
}

/**
 * Makes a binding the active one; the one that was active is not bound any more. Two statements, because the index of the one
 * that is active looks at every row by itself.
 */
export async function activateBinding(tx: Transaction, port_id: string, host: string): Promise<void> {
  await Promise.all([
    tx.unsafe(
      `with former as (
         update port_bindings set status = 'INACTIVE', vif_type = 'unbound', vif_details = '{}'
         where port_id = $1::uuid and status = 'ACTIVE' returning port_id, host)
       delete from port_binding_levels l using former f where l.port_id = f.port_id and l.host = f.host`,
      [port_id],
      { prepare: true },
    ),
    tx`update port_bindings set status = 'ACTIVE' where port_id = ${port_id} and host = ${host}`,
  ]);
}

/** Takes away the binding without a host, which a port has that nobody has placed yet. */
export async function deletePlaceholder(tx: Transaction, port_id: string): Promise<void> {
  await tx`delete from port_bindings where port_id = ${port_id} and host = '' and status = 'INACTIVE'`;
}
