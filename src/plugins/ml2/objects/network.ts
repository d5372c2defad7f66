/** The object Network 1.3: for the hosts that have ports on it, or serve it with DHCP. */
import { audienceOf, nestedObject, nestedObjects, objectType, standardFields } from '#src/db/mod.ts';
import type { VersionedObjectType } from '#src/lib/rpc.ts';
import { columnFilters, hostsOfNetworks, NETWORK_SEGMENT, networksOfHost } from './fields.ts';

export const networkObject: VersionedObjectType = objectType({
  name: 'Network',
  version: '1.3',
  from: 'networks n',
  key: 'n.id',
  revision: 'n.revision_number',
  data: {
    columns: {
      id: 'n.id',
      project_id: 'n.project_id',
      name: 'n.name',
      status: 'n.status',
      admin_state_up: 'n.admin_state_up',
      vlan_transparent: 'n.vlan_transparent',
      qinq: 'n.qinq',
      availability_zone_hints: `to_jsonb(nullif(n.availability_zone_hints, '{}'))`,
      shared: `exists (select 1 from network_rbacs r
        where r.network_id = n.id and r.action = 'access_as_shared' and r.target_project = '*')`,
      mtu: 'n.mtu',
      security: nestedObject('NetworkPortSecurity', '1.0', {
        columns: { id: 'n.id', port_security_enabled: 'n.port_security_enabled' },
      }),
      ...standardFields('n'),
    },
    others: {
      segments: nestedObjects(NETWORK_SEGMENT, 'from network_segments g where g.network_id = n.id', 'g.segment_index'),
      pvlan: 'null',
      dns_domain: `nullif(n.dns_domain, '')`,
      qos_policy_id: 'null',
    },
  },
  filters: columnFilters('n', {
    id: 'uuid',
    project_id: 'text',
    name: 'text',
    status: 'text',
    admin_state_up: 'boolean',
    mtu: 'integer',
    revision_number: 'integer',
    description: 'text',
  }),
  concerns: (host) => `n.id = any(${networksOfHost(host)})`,
  audience: audienceOf(hostsOfNetworks('select id, id as network_id from networks where id = any($1::uuid[])')),
});
