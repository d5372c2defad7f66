/** The errors of address management, with the names, statuses and texts of neutron_lib.exceptions and neutron.ipam. */
import { defineError } from '#src/lib/errors.ts';

export const InvalidAllocationPool = defineError(
  'InvalidAllocationPool',
  400,
  (pool: string) => `The allocation pool ${pool} is not valid.`,
);
export const OutOfBoundsAllocationPool = defineError(
  'OutOfBoundsAllocationPool',
  400,
  (pool: string, cidr: string) => `The allocation pool ${pool} spans beyond the subnet cidr ${cidr}.`,
);
export const OverlappingAllocationPools = defineError(
  'OverlappingAllocationPools',
  409,
  (first: string, second: string, cidr: string) =>
    `Found overlapping allocation pools: ${first} ${second} for subnet ${cidr}.`,
);
export const GatewayConflictWithAllocationPools = defineError(
  'GatewayConflictWithAllocationPools',
  409,
  (ip: string, pool: string) => `Gateway ip ${ip} conflicts with allocation pool ${pool}.`,
);
export const IpamValueInvalid = defineError('IpamValueInvalid', 409, (reason: string) => `Invalid value: ${reason}.`);
export const IpAddressGenerationFailure = defineError(
  'IpAddressGenerationFailure',
  409,
  (networkId: string) => `No more IP addresses available on network ${networkId}.`,
);
export const IpAddressGenerationFailureNoMatchingSubnet = defineError(
  'IpAddressGenerationFailureNoMatchingSubnet',
  409,
  (networkId: string, serviceType: string) =>
    `No valid service subnet for the given device owner, network ${networkId}, service type ${serviceType}.`,
);
export const IpAddressAlreadyAllocated = defineError(
  'IpAddressAlreadyAllocated',
  409,
  (ip: string, subnetId: string) => `IP address ${ip} already allocated in subnet ${subnetId}`,
);
export const InvalidIpForNetwork = defineError(
  'InvalidIpForNetwork',
  400,
  (ip: string) => `IP address ${ip} is not a valid IP for any of the subnets on the specified network.`,
);
export const InvalidIpForSubnet = defineError(
  'InvalidIpForSubnet',
  400,
  (ip: string) => `IP address ${ip} is not a valid IP for the specified subnet.`,
);
export const AllocationOnAutoAddressSubnet = defineError(
  'AllocationOnAutoAddressSubnet',
  400,
  (ip: string, subnetId: string) =>
    `IPv6 address ${ip} cannot be directly assigned to a port on subnet ${subnetId} as the subnet is configured for automatic addresses`,
);
export const AddressScopeNotFound = defineError(
  'AddressScopeNotFound',
  404,
  (id: string) => `Address scope ${id} could not be found.`,
);
export const SubnetPoolNotFound = defineError(
  'SubnetPoolNotFound',
  404,
  (id: string) => `Subnet pool ${id} could not be found.`,
);
export const MinPrefixSubnetAllocationError = defineError(
  'MinPrefixSubnetAllocationError',
  400,
  (prefixlen: number, least: number) =>
    `A subnet of prefix length ${prefixlen} cannot be had from the pool: its min_prefixlen is ${least}.`,
);
export const MaxPrefixSubnetAllocationError = defineError(
  'MaxPrefixSubnetAllocationError',
  400,
  (prefixlen: number, most: number) =>
    `A subnet of prefix length ${prefixlen} cannot be had from the pool: its max_prefixlen is ${most}.`,
);
export const SubnetPoolQuotaExceeded = defineError(
  'SubnetPoolQuotaExceeded',
  409,
  (poolId: string, quota: number) =>
    `The project would have more of subnet pool ${poolId} than its default_quota of ${quota} allows.`,
);
// 500 in the reference implementation, though the pool's state is the reason: a conflict.
export const SubnetAllocationError = defineError(
  'SubnetAllocationError',
  409,
  (reason: string) => `Failed to allocate subnet: ${reason}.`,
);
export const NetworkSubnetPoolAffinityError = defineError(
  'NetworkSubnetPoolAffinityError',
  400,
  () => 'Subnets of one network and IP version must come from the same subnet pool.',
);
export const NetworkAddressScopeAffinityError = defineError(
  'NetworkAddressScopeAffinityError',
  400,
  () => 'Subnets of one network and IP version must be in the same address scope.',
);
