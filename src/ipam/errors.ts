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
