/** The object Subnet 1.2: for the hosts that have ports on its network, or serve it with DHCP. */
import { audienceOf, nestedObject, nestedObjects, objectType, standardFields } from '#src/db/mod.ts';
import type { VersionedObjectType } from '#src/lib/rpc.ts';
import { columnFilters, hostsOfNetworks, networksOfHost } from './fields.ts';

/** What has no id of its own gets one that stays the same. */
const POOL = nestedObject('IPAllocationPool', '1.0', {
  columns: {
    id: `md5(s.id::text || (e.value ->> 'start'))::uuid`,
    subnet_id: 's.id',
    start: `e.value ->> 'start'`,
    end: `e.value ->> 'end'`,
  },
});
const NAME_SERVER = nestedObject('DNSNameServer', '1.0', {
  columns: { address: 'e.value', subnet_id: 's.id', order: 'e.place - 1' },
});
const ROUTE = nestedObject('Route', '1.0', {
  columns: { subnet_id: 's.id', destination: `e.value ->> 'destination'`, nexthop: `e.value ->> 'nexthop'` },
});
const listed = (object: string, list: string): string =>
  nestedObjects(object, `from ${list} with ordinality e (value, place)`, 'e.place');

export const subnetObject: VersionedObjectType = objectType({
  name: 'Subnet',
  version: '1.2',
  from: 'subnets s',
  key: 's.id',
  revision: 's.revision_number',
  data: {
    columns: {
      id: 's.id',
      project_id: 's.project_id',
      name: 's.name',
      network_id: 's.network_id',
      segment_id: 's.segment_id',
      subnetpool_id: 's.subnetpool_id',
      ip_version: 's.ip_version',
      cidr: 's.cidr',
      gateway_ip: 'host(s.gateway_ip)',
      enable_dhcp: 's.enable_dhcp',
      ipv6_ra_mode: 's.ipv6_ra_mode',
      ipv6_address_mode: 's.ipv6_address_mode',
      dns_publish_fixed_ip: 's.dns_publish_fixed_ip',
      service_types: 'to_jsonb(s.service_types)',
      shared: `exists (select 1 from network_rbacs r
        where r.network_id = s.network_id and r.action = 'access_as_shared' and r.target_project = '*')`,
      external: 'exists (select 1 from external_networks x where x.network_id = s.network_id)',
      allocation_pools: listed(POOL, 'json_array_elements(s.allocation_pools)'),
      dns_nameservers: listed(NAME_SERVER, 'unnest(s.dns_nameservers)'),
      host_routes: listed(ROUTE, 'json_array_elements(s.host_routes)'),
      ...standardFields('s'),
    },
  },
  filters: {
    ...columnFilters('s', {
      id: 'uuid',
      project_id: 'text',
      name: 'text',
      network_id: 'uuid',
      segment_id: 'uuid',
      subnetpool_id: 'uuid',
      ip_version: 'integer',
      cidr: 'cidr',
      enable_dhcp: 'boolean',
      ipv6_ra_mode: 'text',
      ipv6_address_mode: 'text',
      revision_number: 'integer',
      description: 'text',
    }),
    gateway_ip: ['s.gateway_ip', 'inet'],
  },
  concerns: (host) => `s.network_id = any(${networksOfHost(host)})`,
  audience: audienceOf(hostsOfNetworks('select id, network_id from subnets where id = any($1::uuid[])')),
});
