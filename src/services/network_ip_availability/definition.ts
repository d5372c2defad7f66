/** The extensions `network-ip-availability` and `network-ip-availability-details` (neutron_lib.api.definitions). */
import { READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { CIDR, INTEGER, listOf, objectOf, TEXT, UUID } from '#src/lib/api/schema.ts';

const DETAILS = objectOf({
  total_ips_in_subnet: INTEGER,
  total_ips_in_allocation_pool: INTEGER,
  used_ips_in_subnet: INTEGER,
  used_ips_in_allocation_pool: INTEGER,
});
const SUBNET = objectOf({
  subnet_id: UUID,
  subnet_name: TEXT,
  ip_version: INTEGER,
  cidr: CIDR,
  used_ips: INTEGER,
  total_ips: INTEGER,
  ip_availability_details: DETAILS,
});

const AVAILABILITIES: ResourceDefinition = {
  collection: 'network_ip_availabilities',
  member: 'network_ip_availability',
  operations: ['list', 'show'],
  key: 'network_id',
  quota: false,
  attributes: {
    network_id: { ...READ_ONLY, is_filter: true, is_sort_key: true, primary_key: true, response: UUID },
    network_name: { ...READ_ONLY, is_filter: true, response: TEXT },
    tenant_id: { ...READ_ONLY, is_filter: true, response: TEXT },
    project_id: { ...READ_ONLY, is_filter: true, response: TEXT },
    total_ips: { ...READ_ONLY, response: INTEGER },
    used_ips: { ...READ_ONLY, response: INTEGER },
    subnet_ip_availability: { ...READ_ONLY, response: listOf(SUBNET) },
    ip_version: { ...READ_ONLY, is_visible: false, is_filter: true },
  },
};

export const availabilityExtensions: readonly ExtensionDefinition[] = [
  {
    alias: 'network-ip-availability',
    name: 'Network IP Availability',
    description: 'How many addresses of networks and their subnets are in use, and how many there are',
    updated: '2015-09-24T00:00:00-00:00',
    resources: [AVAILABILITIES],
  },
  {
    alias: 'network-ip-availability-details',
    name: 'Network IP Availability Details Extension',
    description: 'The same inside and outside of the allocation pools',
    updated: '2025-10-31T00:00:00-00:00',
    required_extensions: ['network-ip-availability'],
    attributes: { network_ip_availabilities: { ip_availability_details: { ...READ_ONLY, response: DETAILS } } },
  },
];
