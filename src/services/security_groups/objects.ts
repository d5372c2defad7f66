/**
 * The objects SecurityGroup 1.6 and SecurityGroupRule 1.3, and whom groups concern:
 *
 *   security_group          hosts with ports in the group: they apply its rules
 *   security_group_remote   hosts with ports in groups whose rules name it as remote group: they let its members through, and
 *                           are told of those by messages
 *   security_group_remote_objects   the same, but of hosts whose agents follow Port objects: they are told by those
 */
import { audienceOf, nestedObject, nestedObjects, type ObjectData, objectType, standardFields } from '#src/db/mod.ts';
import type { Audience, VersionedObjectType } from '#src/lib/rpc.ts';
import { follows, hostsInGroup } from './contract.ts';

/** Of the rows `r` and, its group, `g`. */
const RULE: ObjectData = {
  columns: {
    id: 'r.id',
    project_id: 'r.project_id',
    security_group_id: 'r.security_group_id',
    remote_group_id: 'r.remote_group_id',
    direction: 'r.direction',
    ethertype: 'r.ethertype',
    protocol: 'r.protocol',
    port_range_min: 'r.port_range_min',
    port_range_max: 'r.port_range_max',
    remote_ip_prefix: 'r.remote_ip_prefix',
    remote_address_group_id: 'r.remote_address_group_id',
    normalized_cidr: 'network(r.remote_ip_prefix::inet)',
    belongs_to_default_sg: 'g.is_default',
    ...standardFields('r'),
  },
};

/** Groups that ports on the host are in. */
const groupsOfHost = (host: string): string =>
  `array(select m.security_group_id from port_bindings b join port_security_groups m on m.port_id = b.port_id
    where b.host = ${host})`;

const inGroup = audienceOf(`
  select s.id, q.host from unnest($1::uuid[]) as s (id) cross join lateral (${hostsInGroup('s.id')}) q`);

/** `told`: which of the hosts. */
const remote = (told: string): Audience =>
  audienceOf(`
    with rule as materialized (
      select distinct r.remote_group_id as id, r.security_group_id from security_group_rules r
      where r.remote_group_id = any($1::uuid[])),
    concerned as materialized (
      select distinct rule.id, q.host from rule cross join lateral (${hostsInGroup('rule.security_group_id')}) q)
    select c.id, c.host from concerned c where ${told}`);

export const securityGroupAudiences: Readonly<Record<string, Audience>> = {
  security_group: inGroup,
  security_group_remote: remote(`not ${follows('c.host', 'Port')}`),
  security_group_remote_objects: remote(follows('c.host', 'Port')),
};

const securityGroup = objectType({
  name: 'SecurityGroup',
  version: '1.6',
  from: 'security_groups g',
  key: 'g.id',
  revision: 'g.revision_number',
  data: {
    columns: {
      id: 'g.id',
      name: 'g.name',
      project_id: 'g.project_id',
      shared: `exists (select 1 from security_group_rbacs s
        where s.object_id = g.id and s.action = 'access_as_shared' and s.target_project = '*')`,
      stateful: 'g.stateful',
      is_default: 'g.is_default',
      rules: nestedObjects(
        nestedObject('SecurityGroupRule', '1.3', RULE),
        'from security_group_rules r where r.security_group_id = g.id',
        'r.standard_attr_id',
      ),
      ...standardFields('g'),
    },
  },
  filters: {
    id: ['g.id', 'uuid'],
    name: ['g.name', 'text'],
    project_id: ['g.project_id', 'text'],
    stateful: ['g.stateful', 'boolean'],
    is_default: ['g.is_default', 'boolean'],
    revision_number: ['g.revision_number', 'integer'],
    description: ['g.description', 'text'],
  },
  concerns: (host) => `g.id = any(${groupsOfHost(host)})`,
  audience: inGroup,
});

const securityGroupRule = objectType({
  name: 'SecurityGroupRule',
  version: '1.3',
  from: 'security_group_rules r join security_groups g on g.id = r.security_group_id',
  key: 'r.id',
  revision: 'r.revision_number',
  data: RULE,
  filters: {
    id: ['r.id', 'uuid'],
    project_id: ['r.project_id', 'text'],
    security_group_id: ['r.security_group_id', 'uuid'],
    remote_group_id: ['r.remote_group_id', 'uuid'],
    remote_address_group_id: ['r.remote_address_group_id', 'uuid'],
    direction: ['r.direction', 'text'],
    ethertype: ['r.ethertype', 'text'],
    protocol: ['r.protocol', 'text'],
    port_range_min: ['r.port_range_min', 'integer'],
    port_range_max: ['r.port_range_max', 'integer'],
    remote_ip_prefix: ['r.remote_ip_prefix', 'text'],
    revision_number: ['r.revision_number', 'integer'],
    description: ['r.description', 'text'],
  },
  concerns: (host) => `r.security_group_id = any(${groupsOfHost(host)})`,
  audience: audienceOf(`
    with rule as materialized (
      select id, security_group_id from security_group_rules where id = any($1::uuid[])),
    hosts as materialized (
      select g.security_group_id, q.host from (select distinct security_group_id from rule) g
        cross join lateral (${hostsInGroup('g.security_group_id')}) q)
    select rule.id, hosts.host from rule join hosts on hosts.security_group_id = rule.security_group_id`),
});

export const securityGroupObjects: readonly VersionedObjectType[] = [securityGroup, securityGroupRule];
