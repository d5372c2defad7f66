/** How security groups, their rules and what new groups start with are read: one statement each, for any attributes. */
import { type AttributeSql, apiTime, standardAttributes, type TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import {
  DefaultSecurityGroupRuleNotFound,
  SecurityGroupDefaultStatefulnessNotFound,
  SecurityGroupNotFound,
  SecurityGroupRuleNotFound,
} from './errors.ts';
import { sharedWith } from './scope.ts';

/** The owner of a rule's group, which policy asks for: read along, so that it is not read for each request by itself. */
export const GROUP_OWNER = 'security_group:project_id';
const NORMALIZED = 'network(r.remote_ip_prefix::inet)';

/** What a rule matches, of the row `r`. */
const MATCH: Readonly<Record<string, AttributeSql>> = {
  direction: { select: 'r.direction' },
  ethertype: { select: 'r.ethertype' },
  protocol: { select: 'r.protocol', sort: `coalesce(r.protocol, '')` },
  port_range_min: { select: 'r.port_range_min', type: 'integer', sort: 'coalesce(r.port_range_min, -1)' },
  port_range_max: { select: 'r.port_range_max', type: 'integer', sort: 'coalesce(r.port_range_max, -1)' },
  remote_ip_prefix: { select: 'r.remote_ip_prefix', sort: `coalesce(r.remote_ip_prefix, '')` },
  remote_address_group_id: {
    select: 'r.remote_address_group_id',
    type: 'uuid',
    sort: `coalesce(r.remote_address_group_id::text, '')`,
  },
};
const REMOTE_GROUP_SORT = `coalesce(r.remote_group_id::text, '')`;
const { tags: _, ...withoutTags } = standardAttributes('r');
const ruleOwner: AttributeSql = { select: 'r.project_id' };

export const RULES: TableSql = {
  from: 'security_group_rules r left join security_groups g on g.id = r.security_group_id',
  key: 'r.id',
  attributes: {
    id: { select: 'r.id', type: 'uuid' },
    tenant_id: ruleOwner,
    project_id: ruleOwner,
    security_group_id: { select: 'r.security_group_id', type: 'uuid' },
    ...MATCH,
    remote_group_id: { select: 'r.remote_group_id', type: 'uuid', sort: REMOTE_GROUP_SORT },
    normalized_cidr: { select: NORMALIZED, type: 'cidr', sort: `coalesce(${NORMALIZED}::text, '')` },
    belongs_to_default_sg: { select: 'g.is_default', type: 'boolean' },
    [GROUP_OWNER]: { select: 'g.project_id' },
    ...withoutTags,
  },
  changed: 'r.updated_at',
  notFound: (id) => new SecurityGroupRuleNotFound(id),
};

export const DEFAULT_RULES: TableSql = {
  from: 'default_security_group_rules r',
  key: 'r.id',
  attributes: {
    id: { select: 'r.id', type: 'uuid' },
    ...MATCH,
    remote_group_id: { select: 'r.remote_group_id', sort: REMOTE_GROUP_SORT },
    used_in_default_sg: { select: 'r.used_in_default_sg', type: 'boolean' },
    used_in_non_default_sg: { select: 'r.used_in_non_default_sg', type: 'boolean' },
    ...withoutTags,
  },
  changed: 'r.updated_at',
  notFound: (id) => new DefaultSecurityGroupRuleNotFound(id),
};

/** Members of a rule as it stands in its group, by what their values look like in JSON: text that needs quotes only, or as it is. */
const IN_GROUP: Readonly<Record<string, { readonly quoted: string } | { readonly plain: string }>> = {
  id: { quoted: 'r.id' },
  project_id: { plain: 'to_json(r.project_id)::text' },
  tenant_id: { plain: 'to_json(r.project_id)::text' },
  security_group_id: { quoted: 'r.security_group_id' },
  ethertype: { quoted: 'r.ethertype' },
  direction: { quoted: 'r.direction' },
  protocol: { quoted: 'r.protocol' },
  port_range_min: { plain: 'r.port_range_min' },
  port_range_max: { plain: 'r.port_range_max' },
  remote_ip_prefix: { quoted: 'r.remote_ip_prefix' },
  remote_address_group_id: { quoted: 'r.remote_address_group_id' },
  normalized_cidr: { quoted: NORMALIZED },
  remote_group_id: { quoted: 'r.remote_group_id' },
  standard_attr_id: { plain: 'r.standard_attr_id' },
  belongs_to_default_sg: { plain: 'g.is_default' },
  description: { plain: 'to_json(r.description)::text' },
  tags: { plain: 'array_to_json(r.tags)::text' },
  revision_number: { plain: 'r.revision_number' },
  created_at: { quoted: apiTime('r.created_at') },
  updated_at: { quoted: apiTime('r.updated_at') },
};

/** Joined as text, at a fraction of the time that json_build_object takes. */
const RULE_JSON = Object.entries(IN_GROUP)
  .map(([name, value]) =>
    'quoted' in value
      ? `'"${name}":' || coalesce('"' || ${value.quoted} || '"', 'null')`
      : `'"${name}":' || coalesce((${value.plain})::text, 'null')`,
  )
  .join(` || ',' || `);

const RULES_JSON =
  `'[' || array_to_string(array(select '{' || ${RULE_JSON} || '}' ` +
  `from security_group_rules r where r.security_group_id = g.id order by r.standard_attr_id), ',') || ']'`;

const groupOwner: AttributeSql = { select: 'g.project_id' };

const GROUP_ATTRIBUTES: Readonly<Record<string, AttributeSql>> = {
  id: { select: 'g.id', type: 'uuid' },
  name: { select: 'g.name' },
  tenant_id: groupOwner,
  project_id: groupOwner,
  stateful: { select: 'g.stateful', type: 'boolean' },
  // Not shown: what verbs ask before a change.
  is_default: { select: 'g.is_default', type: 'boolean' },
  security_group_rules: { select: `(${RULES_JSON})::json`, json: RULES_JSON, sort: false },
  shared: { select: `(g.id = any(me.shared))`, type: 'boolean' },
  ...standardAttributes('g'),
};

/** The reading of groups; per caller, because `shared` is. */
export function groupReading(context: Context): TableSql {
  return {
    from: (parameters) =>
      `security_groups g cross join (select ${sharedWith('security_group_rbacs', parameters.add(context.project_id, 'text'))} as shared) me`,
    key: 'g.id',
    attributes: GROUP_ATTRIBUTES,
    changed: 'g.updated_at',
    notFound: (id) => new SecurityGroupNotFound(id),
  };
}

export const STATEFULNESS: TableSql = {
  from: 'security_groups_default_statefulness d',
  key: 'd.id',
  attributes: {
    id: { select: 'd.id', type: 'uuid' },
    project_id: { select: 'd.project_id', sort: `coalesce(d.project_id, '')` },
    stateful: { select: 'd.stateful', type: 'boolean' },
  },
  notFound: (id) => new SecurityGroupDefaultStatefulnessNotFound(id),
};
