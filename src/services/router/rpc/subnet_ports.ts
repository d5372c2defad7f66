/**
 * What is around routers: the networks they are on, and the ports of a subnet, as distributed routers need them: addresses that they answer for without asking the network
 * (neutron.db.l3_dvr_db, `get_ports_under_dvr_connected_subnet`).
 */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Queryable } from '#src/lib/database.ts';
import type { L3Agent } from './routers_of_host.ts';

/**
 * Bound ports with an address in a subnet, in the order of their ids, after one on; of a subnet that no distributed router of the
 * host is on, it is told nothing.
 */
export async function portsOfSubnet(
  sql: Queryable,
  { id, host, mine }: L3Agent,
  { subnet_id, after, limit }: { readonly subnet_id: string; readonly after: string; readonly limit: number | null },
): Promise<readonly JsonObject[]> {
  return await sql.unsafe<JsonObject[]>(
    `select p.id, p.name, p.network_id, p.project_id, p.mac_address, p.admin_state_up, p.status, p.device_id, p.device_owner,
       (select json_agg(json_build_object('subnet_id', a.subnet_id, 'ip_address', host(a.ip_address)) order by a.position, a.subnet_id)
        from ip_allocations a where a.port_id = p.id) as fixed_ips,
       p.project_id as tenant_id, p.allowed_address_pairs
     from ports p
     where p.id in (select a.port_id from ip_allocations a where a.subnet_id = $3::uuid)
       and exists (select from port_bindings b where b.port_id = p.id and b.vif_type not in ('unbound', 'binding_failed'))
       and exists (
         select from ip_allocations i join router_ports o on o.port_id = i.port_id join routers r on r.id = o.router_id
         where i.subnet_id = $3::uuid and o.router_id in (select router_id from (${mine}) m) and r.distributed)
       and p.id > $4::uuid
     order by p.id limit $5::int`,
    [id, host, subnet_id, after, limit as never],
    { prepare: true },
  );
}

/** The networks that the agent's routers are on. */
export async function networksOf(sql: Queryable, { id, host, mine }: L3Agent): Promise<readonly string[]> {
  const rows = await sql.unsafe<{ id: string }[]>(
    `select distinct p.network_id as id from (${mine}) m join router_ports o on o.router_id = m.router_id
     join ports p on p.id = o.port_id order by id`,
    [id, host],
    { prepare: true },
  );
  return rows.map(({ id }) => id);
}
