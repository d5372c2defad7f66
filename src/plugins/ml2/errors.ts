/** The errors of networks, subnets and ports, with the names, statuses and texts of neutron_lib.exceptions. */
import { defineError } from '#src/lib/errors.ts';

export const NetworkInUse = defineError(
  'NetworkInUse',
  409,
  (id: string, reason: string) => `Unable to complete operation on network ${id}. ${reason}`,
);
export const SubnetInUse = defineError(
  'SubnetInUse',
  409,
  (id: string, reason = 'One or more ports have an IP allocation from this subnet.') =>
    `Unable to complete operation on subnet ${id}: ${reason}`,
);
export const ServicePortInUse = defineError(
  'ServicePortInUse',
  409,
  (id: string, reason: string) => `Port ${id} cannot be deleted directly via the port API: ${reason}.`,
);
export const MacAddressInUse = defineError(
  'MacAddressInUse',
  409,
  (networkId: string, mac: string) =>
    `Unable to complete operation for network ${networkId}. The mac address ${mac} is in use.`,
);
export const NetworkMacAddressGenerationFailure = defineError(
  'NetworkMacAddressGenerationFailure',
  503,
  (networkId: string) => `Unable to generate unique mac on network ${networkId}.`,
);
export const PortBound = defineError(
  'PortBound',
  409,
  (id: string, vifType: string, oldMac: string, newMac: string) =>
    `Unable to complete operation on port ${id}, port is already bound, port type: ${vifType}, ` +
    `old_mac ${oldMac}, new_mac ${newMac}.`,
);
export const PortInUse = defineError(
  'PortInUse',
  409,
  (id: string, networkId: string, deviceId: string) =>
    `Unable to complete operation on port ${id} for network ${networkId}. ` +
    `Port already has an attached device ${deviceId}.`,
);
export const PortBoundNUMAAffinityPolicy = defineError(
  'PortBoundNUMAAffinityPolicy',
  409,
  (id: string, host: string, policy: unknown) =>
    `Unable to set numa_affinity_policy ${policy} on port ${id}: it is bound to host ${host}; unbind it first.`,
);
export const InvalidSharedSetting = defineError(
  'InvalidSharedSetting',
  409,
  (network: string) => `Unable to reconfigure sharing settings for network ${network}. Multiple tenants are using it.`,
);
export const ExternalNetworkInUse = defineError(
  'ExternalNetworkInUse',
  409,
  (id: string) =>
    `External network ${id} cannot be updated to be made non-external, since it has existing gateway ports.`,
);
export const NetworkMTUSubnetConflict = defineError(
  'NetworkMTUSubnetConflict',
  409,
  (id: string, mtu: number) => `MTU of ${mtu} on network ${id} is too small for the IP version of one of its subnets.`,
);
export const NoNetworkAvailable = defineError(
  'NoNetworkAvailable',
  503,
  () => 'Unable to create the network. No tenant network is available for allocation.',
);
export const SegmentsContainDuplicateEntry = defineError(
  'SegmentsContainDuplicateEntry',
  400,
  () => "Two of the 'segments' of the network are the same; each must be another.",
);
export const SegmentsSetInConjunctionWithProviders = defineError(
  'SegmentsSetInConjunctionWithProviders',
  400,
  () => "A network has either 'segments' or the attributes 'provider:...', not both.",
);
export const DefaultExternalNetworkExists = defineError(
  'DefaultExternalNetworkExists',
  409,
  (id: string) => `The default external network is ${id} already; there can be only one.`,
);
export const MechanismDriverError = defineError('MechanismDriverError', 500, (hook: string) => `${hook} failed.`);
export const VlanTransparencyDriverError = defineError(
  'VlanTransparencyDriverError',
  400,
  (driver: string) => `vlan_transparent: the mechanism driver '${driver}' has no VLAN transparent networks.`,
);
export const VlanQinqDriverError = defineError(
  'VlanQinqDriverError',
  400,
  (driver: string) => `qinq: the mechanism driver '${driver}' has no QinQ networks.`,
);
export const VlanIdInUse = defineError(
  'VlanIdInUse',
  409,
  (id: number | null, physicalNetwork: string | null) =>
    `Unable to create the network. The VLAN ${id} on physical network ${physicalNetwork} is in use.`,
);
export const FlatNetworkInUse = defineError(
  'FlatNetworkInUse',
  409,
  (physicalNetwork: string | null) =>
    `Unable to create the flat network. Physical network ${physicalNetwork} is in use.`,
);
export const TunnelIdInUse = defineError(
  'TunnelIdInUse',
  409,
  (id: number | null) => `Unable to create the network. The tunnel ID ${id} is in use.`,
);
export const GatewayIpInUse = defineError(
  'GatewayIpInUse',
  409,
  (ip: string, portId: string) => `Current gateway ip ${ip} already in use by port ${portId}. Unable to update.`,
);
export const DNSNameServersExhausted = defineError(
  'DNSNameServersExhausted',
  400,
  (subnet: string, quota: number) =>
    `Unable to complete operation for ${subnet}. The number of DNS nameservers exceeds the limit ${quota}.`,
);
export const HostRoutesExhausted = defineError(
  'HostRoutesExhausted',
  400,
  (subnet: string, quota: number) =>
    `Unable to complete operation for ${subnet}. The number of host routes exceeds the limit ${quota}.`,
);
export const AddressPairAndPortSecurityRequired = defineError(
  'AddressPairAndPortSecurityRequired',
  409,
  () => 'Port Security must be enabled in order to have allowed address pairs on a port.',
);
export const TunnelAddressInUse = defineError(
  'TunnelAddressInUse',
  409,
  (ip: string, owner: string, host: string) =>
    `The tunnel address ${ip} of host ${JSON.stringify(host)} is that of host ${JSON.stringify(owner)}, whose agent is ` +
    'alive and tunnels from it: give one of them another local_ip, or stop the agent that is no longer there',
);
export const HostMacAddressGenerationFailure = defineError(
  'HostMacAddressGenerationFailure',
  503,
  (host: string) => `Unable to generate unique mac on host ${host}.`,
);
export const TooManyForOneAnswer = defineError(
  'TooManyForOneAnswer',
  413,
  (method: string, limit: number) =>
    `${method} finds more than the ${limit} objects that one answer may have: ask for parts with limit and marker`,
);
