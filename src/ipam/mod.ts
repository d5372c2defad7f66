/** Address management: default pools and gateways, what a port needs, and taking and returning addresses. */
export { allocate, release, type Want } from './allocate.ts';
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
export { type AllocationPool, hasAutomaticAddresses, type IpamSubnet, isRouterPort, storedCidr } from './subnet.ts';
