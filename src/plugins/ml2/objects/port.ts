/**
 * The object Port 1.11: for the hosts of its bindings, and for those whose own ports let traffic of the port's security groups
 * through (their rules name a group of the port's as remote group). The latter are told by this object if one of their agents
 * follows ports, which it says in its resource versions; others are told of the groups' members (security_groups/notifier.ts).
 */
import { anyOf, nestedObject, nestedObjects, objectType, standardFields } from '#src/db/mod.ts';
import type { Audience, VersionedObjectType } from '#src/lib/rpc.ts';
import { follows, hostsInGroup } from '#src/services/security_groups/contract.ts';
import { DISTRIBUTED } from '../owners.ts';
import { columnFilters, NETWORK_SEGMENT } from './fields.ts';

const BINDING = nestedObject('PortBinding', '1.0', {
  columns: {
    port_id: 'b.port_id',
    host: 'b.host',
    profile: 'b.profile::text',
    vif_type: 'b.vif_type',
    vnic_type: 'b.vnic_type',
    status: 'b.status',
  },
  others: { vif_details: `nullif(b.vif_details::text, '{}')` },
});
const BINDING_LEVEL = nestedObject('PortBindingLevel', '1.1', {
  columns: {
    port_id: 'l.port_id',
    host: 'l.host',
    level: 'l.level',
    driver: 'l.driver',
    segment: NETWORK_SEGMENT,
    segment_id: 'l.segment_id',
  },
});
/**
 * One object goes to all hosts, which may be thousands: replicas are left out of it, but for the levels of one. Agents that keep
 * objects take the segment from them, which is the same for all hosts.
 */
const OWN_LEVEL = `(b.status <> 'REPLICA' or p.device_owner = '${DISTRIBUTED}' and l.host = (
  select min(f.host) from port_binding_levels f where f.port_id = p.id))`;
const FIXED_IP = nestedObject('IPAllocation', '1.0', {
  columns: {
    port_id: 'p.id',
    subnet_id: 'a.subnet_id',
    network_id: 'p.network_id',
    ip_address: 'host(a.ip_address)',
  },
});
const ADDRESS_PAIR = nestedObject('AllowedAddressPair', '1.0', {
  columns: { port_id: 'p.id', mac_address: `e.value ->> 'mac_address'`, ip_address: `e.value ->> 'ip_address'` },
});
/** What has no id of its own gets one that stays the same. */
const DHCP_OPTION = nestedObject('ExtraDhcpOpt', '1.1', {
  columns: {
    id: `md5(p.id::text || (e.value ->> 'opt_name') || (e.value ->> 'ip_version'))::uuid`,
    port_id: 'p.id',
    opt_name: `e.value ->> 'opt_name'`,
    opt_value: `e.value ->> 'opt_value'`,
    ip_version: `(e.value ->> 'ip_version')::int`,
  },
});
const DNS = nestedObject('PortDNS', '1.1', {
  columns: {
    port_id: 'p.id',
    current_dns_name: `''`,
    current_dns_domain: `''`,
    previous_dns_name: `''`,
    previous_dns_domain: `''`,
    dns_name: 'p.dns_name',
    dns_domain: 'p.dns_domain',
  },
});
const listed = (object: string, list: string): string =>
  nestedObjects(object, `from json_array_elements(${list}) with ordinality e (value, place)`, 'e.place');

/** The remote groups of rules of the host's own ports. */
const remoteGroups = (host: string): string => `array(
  select r.remote_group_id from port_bindings b
    join port_security_groups own on own.port_id = b.port_id
    join security_group_rules r on r.security_group_id = own.security_group_id
  where b.host = ${host} and r.remote_group_id is not null)`;

/**
 * The hosts of each port's bindings, and once for each security group the hosts that follow it: ports of one group share that
 * list, which for a large group is the longest part of the answer.
 */
const AUDIENCE = `
  with member as materialized (
    select m.port_id, m.security_group_id from port_security_groups m where m.port_id = any($1::uuid[])),
  rule as materialized (
    select distinct r.remote_group_id, r.security_group_id from security_group_rules r
    where r.remote_group_id in (select security_group_id from member)),
  concerned as materialized (
    select distinct rule.remote_group_id, q.host from rule
      cross join lateral (${hostsInGroup('rule.security_group_id')}) q),
  follower as (
    select c.remote_group_id, c.host from concerned c where ${follows('c.host', 'Port')})
  select b.port_id as id, array_agg(b.host) as hosts, null::uuid[] as groups from port_bindings b
    where b.port_id = any($1::uuid[]) and b.host <> '' group by b.port_id
  union all
  select member.port_id, null, array_agg(member.security_group_id) from member group by member.port_id
  union all
  select follower.remote_group_id, array_agg(follower.host), null from follower group by follower.remote_group_id`;

interface AudienceRow {
  readonly id: string;
  readonly hosts: readonly string[] | null;
  readonly groups: readonly string[] | null;
}

const audience: Audience = async (sql, ids) => {
  const rows = await sql.unsafe<(AudienceRow & Record<string, unknown>)[]>(AUDIENCE, [ids as never], { prepare: true });
  const hosts = new Map(rows.flatMap(({ id, hosts }) => (hosts === null ? [] : [[id, hosts] as const])));
  const groups = new Map(rows.flatMap(({ id, groups }) => (groups === null ? [] : [[id, groups] as const])));
  return new Map(
    ids.map((id) => {
      const following = (groups.get(id) ?? []).flatMap((group) => hosts.get(group) ?? []);
      return [id, [...(hosts.get(id) ?? []), ...following]];
    }),
  );
};

export const portObject: VersionedObjectType = objectType({
  name: 'Port',
  version: '1.11',
  from: 'ports p',
  key: 'p.id',
  revision: 'p.revision_number',
  data: {
    columns: {
      id: 'p.id',
      project_id: 'p.project_id',
      name: 'p.name',
      network_id: 'p.network_id',
      mac_address: 'p.mac_address',
      admin_state_up: 'p.admin_state_up',
      device_id: 'p.device_id',
      device_owner: 'p.device_owner',
      status: 'p.status',
      numa_affinity_policy: 'p.numa_affinity_policy',
      device_profile: 'p.device_profile',
      hardware_offload_type: 'p.hardware_offload_type',
      trusted: 'p.trusted',
      security: nestedObject('PortSecurity', '1.0', {
        columns: { id: 'p.id', port_security_enabled: 'p.port_security_enabled' },
      }),
      ...standardFields('p'),
    },
    others: {
      allowed_address_pairs: listed(ADDRESS_PAIR, 'p.allowed_address_pairs'),
      bindings: nestedObjects(
        BINDING,
        `from port_bindings b where b.port_id = p.id and b.status <> 'REPLICA'`,
        'b.status, b.host',
      ),
      binding_levels: nestedObjects(
        BINDING_LEVEL,
        `from port_binding_levels l join network_segments g on g.id = l.segment_id
         join port_bindings b on b.port_id = l.port_id and b.host = l.host
         where l.port_id = p.id and ${OWN_LEVEL}`,
        'l.host, l.level',
      ),
      data_plane_status: `case when p.data_plane_status is not null then ${nestedObject('PortDataPlaneStatus', '1.0', {
        columns: { port_id: 'p.id', data_plane_status: 'p.data_plane_status' },
      })} end`,
      dhcp_options: listed(DHCP_OPTION, 'p.extra_dhcp_opts'),
      distributed_bindings: `'[]'::jsonb`,
      dns: `case when p.dns_name <> '' or p.dns_domain <> '' then ${DNS} end`,
      fixed_ips: nestedObjects(FIXED_IP, 'from ip_allocations a where a.port_id = p.id', 'a.position, a.subnet_id'),
      hints: `case when p.hints is not null then ${nestedObject('PortHints', '1.0', {
        columns: { port_id: 'p.id', hints: 'p.hints::text' },
      })} end`,
      security_group_ids: `coalesce((select jsonb_agg(m.security_group_id order by m.security_group_id)
        from port_security_groups m where m.port_id = p.id), '[]'::jsonb)`,
      pvlan_type: 'null',
      pvlan_community: 'null',
      qos_policy_id: 'null',
      qos_network_policy_id: 'null',
    },
  },
  filters: {
    ...columnFilters('p', {
      id: 'uuid',
      project_id: 'text',
      name: 'text',
      network_id: 'uuid',
      mac_address: 'macaddr',
      admin_state_up: 'boolean',
      device_id: 'text',
      device_owner: 'text',
      status: 'text',
      revision_number: 'integer',
      description: 'text',
    }),
    security_group_ids: (values, parameters) =>
      `p.id in (select m.port_id from port_security_groups m where ${anyOf('m.security_group_id', 'uuid', values, parameters)})`,
  },
  concerns: (host) => `p.id in (
    select b.port_id from port_bindings b where b.host = ${host}
    union
    select m.port_id from port_security_groups m where m.security_group_id = any(${remoteGroups(host)}))`,
  concernsNamed: (host) => `(
    exists (select 1 from port_bindings b where b.port_id = p.id and b.host = ${host})
    or exists (
      select 1 from port_security_groups m
      where m.port_id = p.id and m.security_group_id = any(${remoteGroups(host)})))`,
  audience,
});
