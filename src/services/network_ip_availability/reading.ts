/** How availabilities are read: one statement over networks, their subnets, and the addresses in use, counted along indexes. */
import type { AttributeSql, TableSql } from '#src/db/mod.ts';
import type { Json } from '#src/lib/api/attributes.ts';
import { NetworkNotFound } from '#src/lib/errors.ts';
import { availabilityOf, type CountedSubnet } from './counting.ts';

const SUBNETS = 'subnet_ip_availability';
/** What is computed from the subnets after the reading. */
export const COMPUTED = [SUBNETS, 'total_ips', 'used_ips', 'ip_availability_details'];

const owner: AttributeSql = { select: 'n.project_id' };

const ATTRIBUTES: Readonly<Record<string, AttributeSql>> = {
  network_id: { select: 'n.id', type: 'uuid' },
  network_name: { select: 'n.name' },
  tenant_id: owner,
  project_id: owner,
  [SUBNETS]: { select: 'a.subnets', sort: false },
  // The reading has only subnets of that version; networks without such are left out.
  ip_version: { select: 'null', filter: () => 'a.subnets is not null', hidden: true },
};

/** The reading; with versions, only subnets of these count. */
export function availabilityReading(versions: readonly Json[] | undefined): TableSql {
  return {
    from: (parameters) => {
      const fitting = versions?.filter((version) => version === '4' || version === '6');
      const those = fitting === undefined ? '' : ` and s.ip_version = any(${parameters.add(fitting, 'smallint[]')})`;
      return `networks n left join lateral (
        select json_agg(json_build_object('subnet_id', s.id, 'subnet_name', s.name, 'ip_version', s.ip_version,
          'cidr', s.cidr::text, 'pools', s.allocation_pools, 'used', u.used, 'used_in_pools', p.used)
          order by s.created_at, s.id) as subnets
        from subnets s
        cross join lateral (select count(*) as used from ip_allocations i where i.subnet_id = s.id) u
        cross join lateral (
          select count(*) as used from json_to_recordset(s.allocation_pools) as r (start inet, "end" inet)
          join ip_allocations i on i.subnet_id = s.id and i.ip_address between r.start and r."end") p
        where s.network_id = n.id${those}) a on true`;
    },
    key: 'n.id',
    attributes: ATTRIBUTES,
    notFound: (id) => new NetworkNotFound(id),
    finish(row) {
      if (row[SUBNETS] !== undefined) Object.assign(row, availabilityOf((row[SUBNETS] ?? []) as CountedSubnet[]));
    },
  };
}
