/** The API extensions of security groups: the aliases that clients look for, and what each brings. */
import type { ExtensionDefinition, Operation } from '#src/lib/api/definition.ts';
import {
  BELONGS_TO_DEFAULT,
  DEFAULT_RULE,
  GROUP,
  NORMALIZED_CIDR,
  PORT_GROUPS,
  RULE,
  SHARED,
  STATEFULNESS,
} from './attributes.ts';

const ALL: readonly Operation[] = ['list', 'show', 'create', 'update', 'delete'];
/** Rules are made and deleted, never changed. */
const UNCHANGING: readonly Operation[] = ['list', 'show', 'create', 'delete'];

const { stateful, ...group } = GROUP;
const { remote_address_group_id, ...rule } = RULE;

export const SECURITY_GROUP_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'security-group',
    name: 'security-group',
    description: 'What may reach a port and leave it: groups of rules, and the groups that a port is in',
    updated: '2012-10-05T10:00:00-00:00',
    required_extensions: ['standard-attr-description'],
    resources: [
      {
        collection: 'security_groups',
        member: 'security_group',
        operations: ALL,
        bulk: true,
        attributes: group,
      },
      {
        collection: 'security_group_rules',
        member: 'security_group_rule',
        operations: UNCHANGING,
        bulk: true,
        attributes: rule,
      },
    ],
    attributes: { ports: { security_groups: PORT_GROUPS } },
  },
  {
    alias: 'stateful-security-group',
    name: 'Stateful security group',
    description: 'Groups say whether answers pass because of what they answer, or need rules of their own',
    updated: '2019-11-26T09:00:00-00:00',
    required_extensions: ['security-group'],
    attributes: { security_groups: { stateful: stateful! } },
  },
  {
    alias: 'security-groups-default-statefulness',
    name: 'Security Groups Default Statefulness',
    description: 'Whether new groups of a project are stateful where the request does not say',
    updated: '2026-04-13T00:00:00-00:00',
    required_extensions: ['security-group', 'stateful-security-group'],
    resources: [
      {
        collection: 'security_groups_default_statefulness',
        member: 'security_groups_default_statefulness',
        operations: ALL,
        quota: false,
        attributes: STATEFULNESS,
      },
    ],
  },
  {
    alias: 'security-groups-default-rules',
    name: 'Default rules for security groups',
    description: 'The rules that new groups start with',
    updated: '2022-12-19T10:00:00-00:00',
    required_extensions: ['security-group', 'standard-attr-description'],
    resources: [
      {
        collection: 'default_security_group_rules',
        member: 'default_security_group_rule',
        operations: UNCHANGING,
        quota: false,
        attributes: DEFAULT_RULE,
      },
    ],
  },
  {
    alias: 'security-groups-normalized-cidr',
    name: 'Normalized CIDR field for security group rules',
    description: 'Rules show the network of their remote_ip_prefix without host bits',
    updated: '2020-07-28T10:00:00-00:00',
    required_extensions: ['security-group'],
    attributes: { security_group_rules: { normalized_cidr: NORMALIZED_CIDR } },
  },
  {
    alias: 'security-groups-remote-address-group',
    name: 'Remote address group id field for security group rules',
    description: 'Rules name an address group as the other side',
    updated: '2020-08-25T10:00:00-00:00',
    required_extensions: ['security-group'],
    attributes: { security_group_rules: { remote_address_group_id: remote_address_group_id! } },
  },
  {
    alias: 'security-groups-rules-belongs-to-default-sg',
    name: "Security group rule belongs to the project's default security group",
    description: 'Rules say whether they are of a default group',
    updated: '2023-05-23T10:00:00-00:00',
    required_extensions: ['security-group'],
    attributes: { security_group_rules: { belongs_to_default_sg: BELONGS_TO_DEFAULT } },
  },
  {
    alias: 'rbac-security-groups',
    name: 'Add security_group type to network RBAC',
    description: 'Groups are shared by RBAC policies',
    updated: '2019-02-14T00:00:00-00:00',
    required_extensions: ['rbac-policies', 'security-group'],
  },
  {
    alias: 'security-groups-shared-filtering',
    name: 'Security group filtering on the shared field',
    description: 'Groups say whether they are shared with the caller, and are found by that',
    updated: '2021-10-05T09:00:00-00:00',
    required_extensions: ['rbac-security-groups'],
    attributes: { security_groups: { shared: SHARED } },
  },
  {
    alias: 'port-security-groups-filtering',
    name: 'Port filtering on security groups',
    description: 'Ports are found by the security groups that they are in',
    updated: '2018-01-09T09:00:00-00:00',
  },
];
