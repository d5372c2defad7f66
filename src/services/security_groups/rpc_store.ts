/** What security groups' RPC reads: the groups of ports with their rules, the members of remote groups, address groups. */
import type { Queryable } from '#src/lib/database.ts';

/** A rule as agents have it: what it does not say is left out. */
export type RuleDict = Readonly<Record<string, string | number | boolean>> & {
  readonly direction: 'ingress' | 'egress';
  readonly ethertype: 'IPv4' | 'IPv6';
  readonly remote_group_id?: string;
  readonly remote_address_group_id?: string;
};

export interface AppliedGroup {
  readonly id: string;
  readonly stateful: boolean;
  readonly rules: readonly RuleDict[];
}

/** The prefix goes by the name of the side that it is on, with its host bits cleared. */
const RULE = `jsonb_strip_nulls(jsonb_build_object(
  'direction', r.direction, 'ethertype', r.ethertype, 'protocol', r.protocol,
  'port_range_min', r.port_range_min, 'port_range_max', r.port_range_max,
  case r.direction when 'ingress' then 'source_ip_prefix' else 'dest_ip_prefix' end, network(r.remote_ip_prefix::inet),
  'remote_group_id', r.remote_group_id, 'remote_address_group_id', r.remote_address_group_id))`;

/** The groups, with what they let through. */
export async function appliedGroups(sql: Queryable, ids: readonly string[]): Promise<readonly AppliedGroup[]> {
  if (ids.length === 0) return [];
  return await sql.unsafe<(AppliedGroup & Record<string, unknown>)[]>(
    `select g.id, g.stateful, coalesce((
       select jsonb_agg(${RULE} order by r.standard_attr_id) from security_group_rules r
       where r.security_group_id = g.id), '[]') as rules
     from security_groups g where g.id = any($1::uuid[]) order by g.id`,
    [ids as never],
    { prepare: true },
  );
}

/** An address or a network of them, with the MAC address that has it. Those of address groups have none. */
export type Member = readonly [ip: string, mac: string | null];

export interface GroupMembers {
  readonly id: string;
  readonly members: readonly Member[];
  /** The last of the ports that were looked at, if there may be others. */
  readonly last: string | null;
}

const MEMBERS = `
  select w.id, q.members, q.last from unnest($1::uuid[]) as w (id) cross join lateral (
    with m as materialized (
      select m.port_id from port_security_groups m
      where m.security_group_id = w.id and ($3::uuid is null or m.port_id > $3::uuid)
      order by m.port_id limit $2)
    select case when (select count(*) from m) = $2 then (select m.port_id from m order by m.port_id desc limit 1) end as last, (
      select coalesce(json_agg(json_build_array(x.ip, x.mac)), '[]') from (
        select host(a.ip_address) as ip, p.mac_address::text as mac
        from m join ports p on p.id = m.port_id join ip_allocations a on a.port_id = m.port_id
        union
        select e.value ->> 'ip_address', lower(e.value ->> 'mac_address')
        from m join ports p on p.id = m.port_id cross join json_array_elements(p.allowed_address_pairs) e
      ) x) as members) q`;

/** The addresses that ports of each group have and may use beside them; of so many ports of a group, in the order of ids. */
export async function membersOfGroups(
  sql: Queryable,
  ids: readonly string[],
  { limit, after }: { readonly limit: number; readonly after?: string },
): Promise<readonly GroupMembers[]> {
  if (ids.length === 0) return [];
  return await sql.unsafe<(GroupMembers & Record<string, unknown>)[]>(MEMBERS, [ids as never, limit, after ?? null], {
    prepare: true,
  });
}

/** The addresses of address groups. */
export async function membersOfAddressGroups(sql: Queryable, ids: readonly string[]): Promise<readonly GroupMembers[]> {
  if (ids.length === 0) return [];
  return await sql.unsafe<(GroupMembers & Record<string, unknown>)[]>(
    `select g.id, null as last, coalesce((
       select json_agg(json_build_array(a.address, null)) from address_group_addresses a
       where a.address_group_id = g.id), '[]') as members
     from unnest($1::uuid[]) as g (id)`,
    [ids as never],
    { prepare: true },
  );
}

/** Those of the groups whose members the host's ports let through. */
export async function remoteGroupsOfHost(
  sql: Queryable,
  host: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql.unsafe<{ id: string }[]>(
    `select w.id from unnest($2::uuid[]) as w (id) where exists (
       select 1 from port_bindings b join port_security_groups m on m.port_id = b.port_id
       join security_group_rules r on r.security_group_id = m.security_group_id
       where b.host = $1 and r.remote_group_id = w.id)`,
    [host, ids as never],
    { prepare: true },
  );
  return rows.map(({ id }) => id);
}
