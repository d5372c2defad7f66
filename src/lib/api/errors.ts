/** Errors that attribute rules and converters raise under Neutron's own types, instead of an `Invalid input for ...`. */
import { defineError } from '../errors.ts';

const listed = (values: readonly (string | null)[]) =>
  `[${values.map((value) => (value === null ? 'None' : `'${value}'`)).join(', ')}]`;

export const AllowedAddressPairsMissingIP = defineError(
  'AllowedAddressPairsMissingIP',
  400,
  () => 'An allowed address pair must contain ip_address.',
);
export const AllowedAddressPairExhausted = defineError(
  'AllowedAddressPairExhausted',
  400,
  (maximum: number) => `There are more than ${maximum} allowed address pairs (max_allowed_address_pair).`,
);
export const DuplicateAddressPairInRequest = defineError(
  'DuplicateAddressPairInRequest',
  400,
  (mac: string, ip: string) => `The request repeats the address pair mac_address ${mac} ip_address ${ip}.`,
);
export const InvalidInputSubnetServiceType = defineError(
  'InvalidInputSubnetServiceType',
  400,
  (type: string) => `Subnet service type '${type}' is not a string.`,
);
export const InvalidSubnetServiceType = defineError(
  'InvalidSubnetServiceType',
  400,
  (type: string) => `Subnet service type '${type}' does not begin with a prefix of a device owner.`,
);
export const InvalidServiceType = defineError(
  'InvalidServiceType',
  400,
  (type: string) => `Invalid service type: ${type}.`,
);
export const InvalidCIDR = defineError(
  'InvalidCIDR',
  400,
  (input: string) => `'${input}' is no CIDR for an IP prefix.`,
);

export const SecurityGroupDefaultAlreadyExists = defineError(
  'SecurityGroupDefaultAlreadyExists',
  409,
  () => 'Default security group already exists.',
);
export const SecurityGroupRuleInvalidEtherType = defineError(
  'SecurityGroupRuleInvalidEtherType',
  400,
  (ethertype: string, allowed: readonly string[]) =>
    `Security group rules know no ethertype '${ethertype}'; allowed are ${listed(allowed)}.`,
);
export const SecurityGroupRuleInvalidProtocol = defineError(
  'SecurityGroupRuleInvalidProtocol',
  400,
  (protocol: string, allowed: readonly (string | null)[]) =>
    `Security group rules know no protocol ${protocol}; allowed are ${listed(allowed)} and numbers from 0 to 255.`,
);
export const SecurityGroupInvalidPortValue = defineError(
  'SecurityGroupInvalidPortValue',
  400,
  (port: string) => `Invalid value for port ${port}`,
);

export const FlowClassifierInvalidEthertype = defineError(
  'FlowClassifierInvalidEthertype',
  400,
  (ethertype: string, allowed: readonly string[]) =>
    `Flow classifiers know no ethertype ${ethertype}; allowed are ${listed(allowed)}.`,
);
export const FlowClassifierInvalidProtocol = defineError(
  'FlowClassifierInvalidProtocol',
  400,
  (protocol: string, allowed: readonly string[]) =>
    `Flow classifiers know no protocol ${protocol}; allowed are ${listed(allowed)}.`,
);
export const FlowClassifierInvalidPortValue = defineError(
  'FlowClassifierInvalidPortValue',
  400,
  (port: string) => `Flow classifier has invalid port value ${port}.`,
);
export const FlowClassifierInvalidL7Parameter = defineError(
  'FlowClassifierInvalidL7Parameter',
  400,
  (parameter: string) => `Flow classifiers know no L7 parameter ${parameter}.`,
);
export const PortPairGroupNotSpecified = defineError(
  'PortPairGroupNotSpecified',
  400,
  () => 'A port chain needs at least one port pair group.',
);
export const InvalidUUID = defineError(
  'InvalidUUID',
  400,
  (id: string) => `A service graph links port chains by their ids; ${id} is no UUID.`,
);
