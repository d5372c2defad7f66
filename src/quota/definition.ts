/**
 * The quotas API (neutron/extensions/quotasv2.py, quotasv2_detail.py): a project's limits are one object under the project's
 * id. It has an attribute for each counted resource of all plugins, so the map is read when all are loaded.
 */
import { ATTR_NOT_SPECIFIED, type AttributeMap, type AttributeSpec } from '#src/lib/api/attributes.ts';
import type { ActionDefinition, ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { INTEGER, objectOf, type Schema, TEXT } from '#src/lib/api/schema.ts';
import type { PolicyDefault } from '#src/lib/policy.ts';

const LIMIT: AttributeSpec = {
  allow_post: false,
  allow_put: true,
  convert_to: 'convert_to_int',
  validate: { 'type:range': [-1, 2147483647] },
  is_visible: true,
};
/** Shown in lists only. */
const PROJECT: AttributeSpec = {
  allow_post: false,
  allow_put: false,
  default: ATTR_NOT_SPECIFIED,
  response: TEXT,
  is_visible: true,
  required_by_policy: true,
};
/** Not kept: `force` takes limits below the usage too, `check_limit` asks for what is the default. */
const WISH: AttributeSpec = { allow_post: false, allow_put: true, convert_to: 'convert_to_boolean', is_visible: false };

const DETAILS = objectOf({ limit: INTEGER, used: INTEGER, reserved: INTEGER });

/** Reading one's own limits is free; others' need get_quota. */
const READ = 'get_quota_of_project';

const read = (verb: string, ofOne: Schema): ActionDefinition => ({
  method: 'GET',
  verb,
  policy: READ,
  response: objectOf({ quota: { type: 'object', additionalProperties: ofOne } }),
});
const own = (verb: string, key: string, name: string): ActionDefinition => ({
  method: 'GET',
  verb,
  policy: 'regular_user',
  response: objectOf({ [key]: objectOf({ [name]: TEXT }) }),
});

function attributes(resourceNames: readonly string[]): AttributeMap {
  return {
    ...Object.fromEntries(resourceNames.map((name) => [name, LIMIT])),
    force: WISH,
    check_limit: WISH,
    tenant_id: PROJECT,
    project_id: PROJECT,
  };
}

function quotasResource(resourceNames: () => readonly string[]): ResourceDefinition {
  return {
    collection: 'quotas',
    member: 'quota',
    get attributes() {
      return attributes(resourceNames());
    },
    operations: ['list', 'show', 'update', 'delete'],
    key: 'project_id',
    quota: false,
    denial: 'forbidden',
    policy_names: { list: 'get_quota', show: READ, update: 'update_quota', delete: 'delete_quota' },
    member_actions: { default: read('get_default_quota', INTEGER) },
    collection_actions: {
      tenant: own('get_quota_tenant', 'tenant', 'tenant_id'),
      project: own('get_quota_project', 'project', 'project_id'),
    },
  };
}

/** The extensions of the quotas API, over the counted resources' names. */
export function quotaExtensions(resourceNames: () => readonly string[]): readonly ExtensionDefinition[] {
  return [
    {
      alias: 'quotas',
      name: 'Quota management support',
      description: 'Limits on the number of objects, per project',
      updated: '2012-07-29T10:00:00-00:00',
      resources: [quotasResource(resourceNames)],
    },
    {
      alias: 'quota_details',
      name: 'Quota details management support',
      description: 'Limits together with what is used of them',
      updated: '2017-02-10T10:00:00-00:00',
      member_actions: { quotas: { details: read('get_quota_details', DETAILS) } },
      required_extensions: ['quotas'],
    },
    {
      alias: 'quota-check-limit',
      name: 'Quota engine limit check',
      description: 'No limit is set below the usage',
      updated: '2021-09-08T16:00:00-00:00',
    },
    {
      alias: 'quota-check-limit-default',
      name: 'Quota engine limit check by default',
      description: 'Limits are checked against the usage unless the update says force',
      updated: '2024-08-21T16:00:00-00:00',
      required_extensions: ['quota-check-limit'],
    },
  ];
}

export const quotaPolicies: readonly PolicyDefault[] = [
  {
    name: 'get_quota',
    check: '(rule:admin_only) or (role:manager and project_id:%(project_id)s)',
    scope_types: ['project'],
  },
  { name: READ, check: 'rule:get_quota or rule:owner', scope_types: ['project'] },
  { name: 'update_quota', check: 'rule:admin_only', scope_types: ['project'] },
  { name: 'delete_quota', check: 'rule:admin_only', scope_types: ['project'] },
];
