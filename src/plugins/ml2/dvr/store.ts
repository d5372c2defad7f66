/** SQL of distributed routing: MAC addresses of hosts, and what hosts look up of their ports and subnets. */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';

export type HostMac = { readonly host: string; readonly mac_address: string };

/** As netaddr writes them, which agents compare: `FA-16-3F-AE-62-85`. */
const MAC = `upper(replace(mac_address::text, ':', '-')) as mac_address`;

export async function hostMacs(sql: Queryable): Promise<readonly HostMac[]> {
  return await sql.unsafe<HostMac[]>(`select host, ${MAC} from dvr_host_macs order by host`, [], { prepare: true });
}

export async function hostMac(sql: Queryable, host: string): Promise<HostMac | undefined> {
  const [found] = await sql.unsafe<HostMac[]>(`select host, ${MAC} from dvr_host_macs where host = $1`, [host], {
    prepare: true,
  });
  return found;
}

/** Whether the host has got the address; it has not if it has one already, or another host has this. */
export async function takeMac(tx: Transaction, host: string, mac: string): Promise<boolean> {
  const taken = await tx`
    insert into dvr_host_macs (host, mac_address) values (${host}, ${mac}) on conflict do nothing returning 1`;
  return taken.length > 0;
}

/** Takes a host's address away when no agent but the one with the id is on it; whether it had one. */
export async function releaseMac(tx: Transaction, host: string, agent_id: string): Promise<boolean> {
  const gone = await tx`
    delete from dvr_host_macs
    where host = ${host} and not exists (select 1 from agents where host = ${host} and id <> ${agent_id}) returning 1`;
  return gone.length > 0;
}

/** Owners of ports that a distributed router serves where they are. */
const SERVED = `(p.device_owner like 'compute:%' or p.device_owner in
  ('network:dhcp', 'trunk:subport', 'neutron:LOADBALANCER', 'neutron:LOADBALANCERV2'))`;

/** The ports on a host with an address of a subnet, as far as distributed routers need to know them. */
export async function portsOnHost(sql: Queryable, host: string, subnet_id: string): Promise<readonly JsonObject[]> {
  return await sql.unsafe<JsonObject[]>(
    `select p.id, p.name, p.network_id, p.project_id, p.mac_address, p.admin_state_up, p.status, p.device_id,
       p.device_owner, p.project_id as tenant_id
     from port_bindings b join ports p on p.id = b.port_id
     where b.host = $1 and b.status = 'ACTIVE' and ${SERVED}
       and exists (select 1 from ip_allocations a where a.port_id = p.id and a.subnet_id = $2::uuid)
     order by p.id`,
    [host, subnet_id],
    { prepare: true },
  );
}

/** The MAC address of the port that has the address in the subnet, if ports of the subnet's network are on the host. */
export async function gatewayMac(
  sql: Queryable,
  host: string,
  subnet_id: string,
  ip_address: string,
): Promise<string | undefined> {
  const [found] = await sql<{ mac_address: string }[]>`
    select p.mac_address from ip_allocations a join ports p on p.id = a.port_id
    where a.subnet_id = ${subnet_id} and a.ip_address = ${ip_address} and exists (
      select 1 from port_bindings b join ports o on o.id = b.port_id
      where b.host = ${host} and o.network_id = p.network_id)`;
  return found?.mac_address;
}
