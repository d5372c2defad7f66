/**
 * Address management: default pools and gateways, what a port needs, taking and returning addresses, and drawing subnets'
 * prefixes from subnet pools.
 */
export { type AllocationRow, allocate, insertFree, type Place, release, type Want } from './allocate.ts';
export {
  AddressScopeNotFound,
  NetworkAddressScopeAffinityError,
  NetworkSubnetPoolAffinityError,
  SubnetPoolNotFound,
} from './errors.ts';
export {
  type AddressChanges,
  type AddressNeed,
  type AddressOwner,
  automaticAddress,
  type FixedIp,
  type FixedIpRequest,
  planChangedPort,
  planNewPort,
} from './plan.ts';
export { checkGateway, checkGatewayOutsidePools, checkPools, defaultGateway, defaultPools } from './pools.ts';
export { cidrsOf, type Range, rangesCover, rangesMeet, subtractRanges } from './prefixes.ts';
export {
  type AllocationPool,
  hasAutomaticAddresses,
  type IpamSubnet,
  isRouterPort,
  ROUTER_OWNERS,
  storedCidr,
} from './subnet.ts';
export { type DrawablePool, defaultPool, drawPrefix, lockPools } from './subnet_pools.ts';
export { addressScopeScope, subnetPoolScope } from './visible.ts';
