/** The plugin's options, known by name and checked as Nucleon's own: `[network_contacts] purge_interval`. */
import type { OptionSpec } from '#src/plugin_api/mod.ts';

export const GROUP = 'network_contacts';

export const options: readonly OptionSpec[] = [
  {
    group: GROUP,
    name: 'email_domains',
    type: 'list',
    default: [],
    help: 'Domains that addresses of contacts must be of. Empty: any.',
    effective: true,
  },
  {
    group: GROUP,
    name: 'purge_interval',
    type: 'integer',
    default: 3600,
    min: 1,
    max: 86_400,
    help: 'Seconds between two removals of contacts that have expired.',
    effective: true,
  },
  {
    group: 'quotas',
    name: 'quota_network_contact',
    type: 'integer',
    default: 50,
    min: -1,
    help: 'Contacts that a project may have; -1: any number.',
    effective: true,
  },
];
