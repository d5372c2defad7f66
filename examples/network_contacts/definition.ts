/** The extension `network-contact`: the resource `network_contacts`, from which the API makes routes, checks and filters. */
import {
  type AttributeSpec,
  type ExtensionDefinition,
  InvalidInput,
  type ResourceDefinition,
  type Validator,
} from '#src/plugin_api/mod.ts';

const READ_ONLY = { allow_post: false, allow_put: false, is_visible: true } as const satisfies AttributeSpec;
const FOUND = { is_visible: true, is_filter: true, is_sort_key: true } as const;
const TEXT = { allow_post: true, allow_put: true, default: '', validate: { 'type:string': 255 } } as const;
const OWNER = {
  allow_post: true,
  allow_put: false,
  validate: { 'type:string': 255 },
  required_by_policy: true,
  ...FOUND,
} as const satisfies AttributeSpec;

/** A rule of our own: an address, of one of the domains if any are given. */
function emailOf(domains: readonly string[]): Validator {
  return (value) => {
    const domain = typeof value === 'string' ? /^[^\s@]{1,64}@([^\s@]{1,190})$/.exec(value)?.[1] : undefined;
    if (domain === undefined) return `'${value}' is not an e-mail address`;
    const known = domains.length === 0 || domains.includes(domain.toLowerCase());
    return known ? null : `'${value}' is not of one of the domains ${domains.join(', ')}`;
  };
}

/** A converter of our own: any ISO 8601 time with a zone becomes the form that the API answers. */
function toTime(value: unknown): unknown {
  if (value === null) return null;
  const time =
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) throw new InvalidInput(`'${value}' is not a time like 2030-01-31T12:00:00Z`);
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

const networkContacts = (emailDomains: readonly string[]): ResourceDefinition => ({
  collection: 'network_contacts',
  member: 'network_contact',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  attributes: {
    id: { ...READ_ONLY, ...FOUND, validate: { 'type:uuid': null }, primary_key: true },
    tenant_id: OWNER,
    project_id: OWNER,
    network_id: {
      allow_post: true,
      allow_put: false,
      validate: { 'type:uuid': null },
      required_by_policy: true,
      ...FOUND,
    },
    name: { ...TEXT, ...FOUND },
    email: { allow_post: true, allow_put: true, validate: { email: emailOf(emailDomains) }, ...FOUND },
    notify: { allow_post: true, allow_put: true, default: false, convert_to: 'convert_to_boolean', ...FOUND },
    expires_at: { allow_post: true, allow_put: true, default: null, convert_to: toTime, is_visible: true },
    description: { ...TEXT, is_visible: true },
    revision_number: { ...READ_ONLY, ...FOUND },
    created_at: READ_ONLY,
    updated_at: READ_ONLY,
  },
});

/** The extension, for a deployment's e-mail domains. */
export function networkContactExtension(emailDomains: readonly string[]): ExtensionDefinition {
  return {
    alias: 'network-contact',
    name: 'Network contacts',
    description: 'Whom to call about a network',
    updated: '2026-11-30T00:00:00-00:00',
    required_extensions: ['project-id', 'revision-if-match'],
    resources: [networkContacts(emailDomains.map((domain) => domain.toLowerCase()))],
  };
}
