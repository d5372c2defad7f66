/**
 * The resource `auto_allocated_topology` (neutron_lib.api.definitions.auto_allocated_topology). An item goes by its project, and is
 * made by being asked for.
 */
import { READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { objectOf, TEXT } from '#src/lib/api/schema.ts';

const TOPOLOGIES: ResourceDefinition = {
  collection: 'auto_allocated_topology',
  member: 'auto_allocated_topology',
  operations: ['show', 'delete'],
  // `fields=dry-run` is no attribute, and policy is asked before anything is made.
  raw: true,
  quota: false,
  key: 'project_id',
  attributes: {
    id: { ...READ_ONLY, response: TEXT },
    tenant_id: { ...READ_ONLY, response: TEXT },
    project_id: { ...READ_ONLY, response: TEXT },
  },
  responses: {
    show: objectOf({ auto_allocated_topology: objectOf({ id: TEXT, tenant_id: TEXT, project_id: TEXT }) }),
  },
};

export const TOPOLOGY_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'auto-allocated-topology',
    name: 'Auto Allocated Topology Services',
    description: 'A project gets a network with its way to the outside by asking for it',
    updated: '2016-01-01T00:00:00-00:00',
    required_extensions: ['router', 'subnet_allocation', 'external-net'],
    resources: [TOPOLOGIES],
  },
];
