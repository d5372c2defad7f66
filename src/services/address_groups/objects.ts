/**
 * The object AddressGroup 1.2, and whom address groups concern: hosts with ports in security groups whose rules name them.
 * Those are pushed the object; `address_group` has the ones among them that must be sent a message, no agent of theirs following
 * AddressGroup objects.
 */
import { audienceOf, nestedObject, nestedObjects, objectType, standardFields } from '#src/db/mod.ts';
import type { Audience, VersionedObjectType } from '#src/lib/rpc.ts';
import { follows, hostsInGroup } from '#src/services/security_groups/contract.ts';

const ADDRESS = nestedObject('AddressAssociation', '1.0', {
  columns: { address: 'a.address', address_group_id: 'a.address_group_id' },
});

const CONCERNED = `
  with rule as materialized (
    select distinct r.remote_address_group_id as id, r.security_group_id from security_group_rules r
    where r.remote_address_group_id = any($1::uuid[])),
  concerned as materialized (
    select distinct rule.id, q.host from rule cross join lateral (${hostsInGroup('rule.security_group_id')}) q)
  select c.id, c.host from concerned c`;

export const addressGroupAudiences: Readonly<Record<string, Audience>> = {
  address_group: audienceOf(`${CONCERNED} where not ${follows('c.host', 'AddressGroup')}`),
};

export const addressGroupObject: VersionedObjectType = objectType({
  name: 'AddressGroup',
  version: '1.2',
  from: 'address_groups g',
  key: 'g.id',
  revision: 'g.revision_number',
  data: {
    columns: {
      id: 'g.id',
      name: 'g.name',
      project_id: 'g.project_id',
      shared: `exists (select 1 from address_group_rbacs s
        where s.object_id = g.id and s.action = 'access_as_shared' and s.target_project = '*')`,
      addresses: nestedObjects(ADDRESS, 'from address_group_addresses a where a.address_group_id = g.id', 'a.address'),
      ...standardFields('g'),
    },
  },
  filters: {
    id: ['g.id', 'uuid'],
    name: ['g.name', 'text'],
    project_id: ['g.project_id', 'text'],
    revision_number: ['g.revision_number', 'integer'],
    description: ['g.description', 'text'],
  },
  concerns: (host) => `g.id = any(array(
    select r.remote_address_group_id from port_bindings b
      join port_security_groups m on m.port_id = b.port_id
      join security_group_rules r on r.security_group_id = m.security_group_id
    where b.host = ${host} and r.remote_address_group_id is not null))`,
  audience: audienceOf(CONCERNED),
});
