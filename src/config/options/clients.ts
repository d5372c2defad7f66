/** The OpenStack services that Neutron calls: how to log in (keystoneauth's options, the same for each) and what to ask for. */
import type { OptionSpec } from '#src/lib/config.ts';
import { type Declaration, defineGroup } from './define.ts';

const keystoneauth: Readonly<Record<string, Declaration>> = {
  auth_type: { type: 'string', default: null, deprecated_names: [[null, 'auth_plugin']] },
  auth_url: { type: 'string', default: null },
  cafile: { type: 'string', default: null },
  certfile: { type: 'string', default: null },
  collect_timing: { type: 'boolean', default: false },
  default_domain_id: { type: 'string', default: null },
  default_domain_name: { type: 'string', default: null },
  domain_id: { type: 'string', default: null },
  domain_name: { type: 'string', default: null },
  insecure: { type: 'boolean', default: false },
  keyfile: { type: 'string', default: null },
  password: { type: 'string', default: null, secret: true },
  project_domain_id: { type: 'string', default: null },
  project_domain_name: { type: 'string', default: null },
  project_id: { type: 'string', default: null, deprecated_names: [[null, 'tenant_id']] },
  project_name: { type: 'string', default: null, deprecated_names: [[null, 'tenant_name']] },
  split_loggers: { type: 'boolean', default: false },
  system_scope: { type: 'string', default: null },
  tenant_id: { type: 'string', default: null },
  tenant_name: { type: 'string', default: null },
  timeout: { type: 'float', default: null },
  tls_ciphers: { type: 'string', default: null },
  tls_min_version: { type: 'string', default: null, choices: [null, '1.2', '1.3'] },
  trust_id: { type: 'string', default: null },
  user_domain_id: { type: 'string', default: null },
  user_domain_name: { type: 'string', default: null },
  user_id: { type: 'string', default: null },
  username: { type: 'string', default: null, deprecated_names: [[null, 'user_name']] },
};

/** The same, where this server does log in. */
const effective: Readonly<Record<string, Declaration>> = {
  auth_type: {
    ...keystoneauth['auth_type']!,
    effective: true,
    help: 'How this server logs in at Keystone: password (also when unset) or v3applicationcredential.',
  },
  auth_url: { type: 'uri', default: null, effective: true, help: 'Keystone. Unset: Nova is told nothing.' },
  username: { ...keystoneauth['username']!, effective: true, help: 'User that this server is to Nova.' },
  user_id: { type: 'string', default: null, effective: true, help: 'The same by id.' },
  password: { type: 'string', default: null, secret: true, effective: true, help: 'Its password.' },
  user_domain_name: { type: 'string', default: null, effective: true, help: 'Domain of that user.' },
  user_domain_id: { type: 'string', default: null, effective: true, help: 'The same by id.' },
  project_name: { ...keystoneauth['project_name']!, effective: true, help: 'Project that it acts in.' },
  project_id: { ...keystoneauth['project_id']!, effective: true, help: 'The same by id.' },
  project_domain_name: { type: 'string', default: null, effective: true, help: 'Domain of that project.' },
  project_domain_id: { type: 'string', default: null, effective: true, help: 'The same by id.' },
  default_domain_name: {
    type: 'string',
    default: null,
    effective: true,
    help: 'Domain of the user and of the project, where they name none.',
  },
  default_domain_id: { type: 'string', default: null, effective: true, help: 'The same by id.' },
  system_scope: {
    type: 'string',
    default: null,
    effective: true,
    help: '"all": act on the system in place of a project.',
  },
  application_credential_id: {
    type: 'string',
    default: null,
    effective: true,
    help: 'Application credential to log in with.',
  },
  application_credential_secret: { type: 'string', default: null, secret: true, effective: true, help: 'Its secret.' },
  timeout: {
    type: 'float',
    default: null,
    effective: true,
    help: 'Seconds to wait for an answer of Keystone or Nova; unset: 30.',
  },
};

const nova = defineGroup('nova', {
  ...keystoneauth,
  ...effective,
  endpoint_type: {
    type: 'string',
    default: 'public',
    choices: ['public', 'admin', 'internal'],
    effective: true,
    help: "Which of Nova's endpoints in the catalogue is used.",
  },
  region_name: { type: 'string', default: null, effective: true, help: 'Region of that endpoint; unset: any.' },
});

const placement = defineGroup('placement', {
  ...keystoneauth,
  endpoint_type: { type: 'string', default: 'public', choices: ['public', 'admin', 'internal'] },
  region_name: { type: 'string', default: null },
});

const ironic = defineGroup('ironic', {
  ...keystoneauth,
  enable_notifications: { type: 'boolean', default: false },
});

const designate = defineGroup('designate', {
  ...keystoneauth,
  allow_reverse_dns_lookup: { type: 'boolean', default: true },
  ipv4_ptr_zone_prefix_size: { type: 'integer', default: 24, min: 8, max: 24 },
  ipv6_ptr_zone_prefix_size: { type: 'integer', default: 120, min: 4, max: 124 },
  ptr_zone_email: { type: 'string', default: '' },
  url: { type: 'uri', default: null },
});

export const clientOptions: readonly OptionSpec[] = [...nova, ...placement, ...ironic, ...designate];
