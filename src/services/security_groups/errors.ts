/** The errors of security groups and their rules, with the names and statuses of neutron.extensions.securitygroup. */
import { defineError } from '#src/lib/errors.ts';

export const SecurityGroupNotFound = defineError(
  'SecurityGroupNotFound',
  404,
  (id: string) => `Security group ${id} does not exist`,
);
export const SecurityGroupInUse = defineError(
  'SecurityGroupInUse',
  409,
  (id: string, reason = 'in use') => `Security Group ${id} ${reason}.`,
);
export const SecurityGroupCannotRemoveDefault = defineError(
  'SecurityGroupCannotRemoveDefault',
  409,
  () => 'Insufficient rights for removing default security group.',
);
export const SecurityGroupCannotUpdateDefault = defineError(
  'SecurityGroupCannotUpdateDefault',
  409,
  () => 'Updating default security group not allowed.',
);
export const SecurityGroupConflict = defineError(
  'SecurityGroupConflict',
  409,
  (reason: string) => `Error ${reason} while attempting the operation.`,
);

// Rules.
export const SecurityGroupRuleNotFound = defineError(
  'SecurityGroupRuleNotFound',
  404,
  (id: string) => `Security group rule ${id} does not exist`,
);
export const SecurityGroupRuleExists = defineError(
  'SecurityGroupRuleExists',
  409,
  (ruleId: string) => `Security group rule already exists. Rule id is ${ruleId}.`,
);
export const DuplicateSecurityGroupRuleInPost = defineError(
  'DuplicateSecurityGroupRuleInPost',
  409,
  () => 'Duplicate Security Group Rule in POST.',
);
export const SecurityGroupNotSingleGroupRules = defineError(
  'SecurityGroupNotSingleGroupRules',
  400,
  () => 'The rules of one request must all have the same security_group_id.',
);
export const SecurityGroupRulesNotSingleProject = defineError(
  'SecurityGroupRulesNotSingleProject',
  400,
  () => 'The rules of one request must all have the same project_id.',
);
export const SecurityGroupInvalidPortRange = defineError(
  'SecurityGroupInvalidPortRange',
  400,
  () => 'For TCP/UDP protocols, port_range_min must be <= port_range_max, and both must be given',
);
export const SecurityGroupInvalidProtocolForPort = defineError(
  'SecurityGroupInvalidProtocolForPort',
  400,
  (protocol: string, ported: string) =>
    `Ports cannot be specified for protocol ${protocol}. Ports are only supported for ${ported}.`,
);
export const SecurityGroupProtocolRequiredWithPorts = defineError(
  'SecurityGroupProtocolRequiredWithPorts',
  400,
  () => 'Must also specify protocol if port range is given.',
);
export const SecurityGroupInvalidIcmpValue = defineError(
  'SecurityGroupInvalidIcmpValue',
  400,
  (field: string, attribute: string, value: number) =>
    `Invalid value for ICMP ${field} (${attribute}) ${value}. It must be 0 to 255.`,
);
export const SecurityGroupMissingIcmpType = defineError(
  'SecurityGroupMissingIcmpType',
  400,
  (code: number) => `ICMP code (port-range-max) ${code} is provided but ICMP type (port-range-min) is missing.`,
);
export const SecurityGroupEthertypeConflictWithProtocol = defineError(
  'SecurityGroupEthertypeConflictWithProtocol',
  400,
  (ethertype: string, protocol: string) => `Invalid ethertype ${ethertype} for protocol ${protocol}.`,
);
export const SecurityGroupRuleParameterConflict = defineError(
  'SecurityGroupRuleParameterConflict',
  400,
  (ethertype: string, cidr: string) => `Conflicting value ethertype ${ethertype} for CIDR ${cidr}`,
);
export const SecurityGroupMultipleRemoteEntites = defineError(
  'SecurityGroupMultipleRemoteEntites',
  400,
  () => 'Only one of remote_ip_prefix, remote_group_id and remote_address_group_id may be given.',
);
export const AddressGroupNotFound = defineError(
  'AddressGroupNotFound',
  404,
  (id: string) => `Address group ${id} could not be found.`,
);

// The rules that new groups start with, and whether they are stateful.
export const DefaultSecurityGroupRuleNotFound = defineError(
  'DefaultSecurityGroupRuleNotFound',
  404,
  (id: string) => `Default Security Group rule ${id} does not exist`,
);
export const DefaultSecurityGroupRuleExists = defineError(
  'DefaultSecurityGroupRuleExists',
  409,
  (ruleId: string) => `Default Security group rule already exists. Rule id is ${ruleId}.`,
);
export const SecurityGroupDefaultStatefulnessNotFound = defineError(
  'SecurityGroupDefaultStatefulnessNotFound',
  404,
  (id: string) => `Security group default statefulness ${id} could not be found.`,
);
export const SecurityGroupDefaultStatefulnessAlreadyExists = defineError(
  'SecurityGroupDefaultStatefulnessAlreadyExists',
  409,
  (project: string) => `A security group default statefulness setting already exists for project '${project}'.`,
);

// Ports.
export const PortSecurityAndIPRequiredForSecurityGroups = defineError(
  'PortSecurityAndIPRequiredForSecurityGroups',
  400,
  () => 'Port security must be enabled and the port must have an IP address in order to use security groups.',
);
export const PortSecurityPortHasSecurityGroup = defineError(
  'PortSecurityPortHasSecurityGroup',
  409,
  () => 'Port has security group associated. Port security cannot be disabled: clear security_groups, too.',
);
