/** The resource `rbac_policies` (neutron.extensions.rbac), over whatever types of objects the loaded plugins share. */
import type { Converter } from '#src/lib/api/attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { TEXT } from '#src/lib/api/schema.ts';
import { InvalidInput } from '#src/lib/errors.ts';

const FOUND = { is_visible: true, is_filter: true, is_sort_key: true } as const;
const GIVEN_ONCE = { allow_post: true, allow_put: false, ...FOUND } as const;

/** The name of a type, in any case; `types` gives those that there are. */
const toObjectType =
  (types: () => readonly string[]): Converter =>
  (value) => {
    const name = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
    if (name !== undefined && types().includes(name)) return name;
    throw new InvalidInput(`object_type ${JSON.stringify(value)} is none of ${types().join(', ')}`);
  };

const rbacPolicies = (types: () => readonly string[]): ResourceDefinition => ({
  collection: 'rbac_policies',
  member: 'rbac_policy',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  attributes: {
    id: { allow_post: false, allow_put: false, ...FOUND, validate: { 'type:uuid': null }, primary_key: true },
    object_type: {
      ...GIVEN_ONCE,
      default: null,
      convert_to: toObjectType(types),
      enforce_policy: true,
      response: TEXT,
    },
    object_id: { ...GIVEN_ONCE, validate: { 'type:uuid': null }, enforce_policy: true },
    target_tenant: {
      ...GIVEN_ONCE,
      allow_put: true,
      validate: { 'type:valid_target_project': null },
      enforce_policy: true,
    },
    tenant_id: { ...GIVEN_ONCE, validate: { 'type:string': 255 }, required_by_policy: true },
    action: { ...GIVEN_ONCE, validate: { 'type:string': 255 }, enforce_policy: true },
  },
});

export const rbacExtension = (types: () => readonly string[]): ExtensionDefinition => ({
  alias: 'rbac-policies',
  name: 'RBAC Policies',
  description: 'Projects share objects of theirs with other projects',
  updated: '2015-06-17T12:15:12-00:00',
  resources: [rbacPolicies(types)],
});
