/** The errors of routers and floating IPs (neutron_lib.exceptions.l3, .extraroute). */
import { defineError } from '#src/lib/errors.ts';

export const RouterNotFound = defineError('RouterNotFound', 404, (id: string) => `Router ${id} could not be found`);
export const RouterInUse = defineError('RouterInUse', 409, (id: string, reason: string) => `Router ${id} ${reason}`);
export const RouterInterfaceNotFound = defineError(
  'RouterInterfaceNotFound',
  404,
  (id: string, portId: string) => `Router ${id} does not have an interface with id ${portId}`,
);
export const RouterInterfaceNotFoundForSubnet = defineError(
  'RouterInterfaceNotFoundForSubnet',
  404,
  (id: string, subnetId: string) => `Router ${id} has no interface on subnet ${subnetId}`,
);
export const RouterInterfaceInUseByFloatingIP = defineError(
  'RouterInterfaceInUseByFloatingIP',
  409,
  (id: string, subnetId: string) =>
    `Router interface for subnet ${subnetId} on router ${id} cannot be deleted, as it is required by one or more floating IPs.`,
);
export const RouterInterfaceInUseByRoute = defineError(
  'RouterInterfaceInUseByRoute',
  409,
  (id: string, subnetId: string) =>
    `Router interface for subnet ${subnetId} on router ${id} cannot be deleted, as it is required by one or more routes.`,
);
export const RouterExternalGatewayInUseByFloatingIp = defineError(
  'RouterExternalGatewayInUseByFloatingIp',
  409,
  (id: string, networkId: string) =>
    `Gateway cannot be updated for router ${id}, since a gateway to external network ${networkId} is required by one or more floating IPs.`,
);
export const SubnetMismatchForPort = defineError(
  'SubnetMismatchForPort',
  400,
  (portId: string, subnetId: string) => `Subnet on port ${portId} does not match the requested subnet ${subnetId}.`,
);
export const PortInUse = defineError(
  'PortInUse',
  409,
  (id: string, networkId: string, deviceId: string) =>
    `Unable to complete operation on port ${id} for network ${networkId}. Port already has an attached device ${deviceId}.`,
);
export const ServicePortInUse = defineError(
  'ServicePortInUse',
  409,
  (id: string, reason: string) => `Port ${id} cannot be deleted directly via the port API: ${reason}.`,
);
export const DeviceIDNotOwnedByTenant = defineError(
  'DeviceIDNotOwnedByTenant',
  409,
  (deviceId: string) =>
    `The following device_id ${deviceId} is not owned by your project or matches another projects router.`,
);
export const InvalidRoutes = defineError(
  'InvalidRoutes',
  400,
  (routes: readonly { readonly destination: string; readonly nexthop: string }[], reason: string) =>
    `Invalid format for routes: ${JSON.stringify(routes)}, ${reason}`,
);
export const FloatingIPNotFound = defineError(
  'FloatingIPNotFound',
  404,
  (id: string) => `Floating IP ${id} could not be found`,
);
export const FloatingIPPortAlreadyAssociated = defineError(
  'FloatingIPPortAlreadyAssociated',
  409,
  (id: string, address: string, portId: string, fixedIp: string, networkId: string) =>
    `Cannot associate floating IP ${address} (${id}) with port ${portId} using fixed IP ${fixedIp}, as that fixed IP already has a floating IP on external network ${networkId}.`,
);
export const ExternalGatewayForFloatingIPNotFound = defineError(
  'ExternalGatewayForFloatingIPNotFound',
  404,
  (networkId: string, subnetId: string, portId: string) =>
    `External network ${networkId} is not reachable from subnet ${subnetId}. Therefore, cannot associate Port ${portId} with a Floating IP.`,
);
export const ExternalIpAddressExhausted = defineError(
  'ExternalIpAddressExhausted',
  400,
  (networkId: string) => `Unable to find any IP address on external network ${networkId}.`,
);
export const FipAssociated = defineError(
  'FipAssociated',
  409,
  (portId: string) =>
    `Unable to complete the operation on port "${portId}" because the port still has an associated floating IP of another project.`,
);
