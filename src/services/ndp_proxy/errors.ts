/** The errors of NDP proxies (neutron.services.ndp_proxy.exceptions). */
import { defineError } from '#src/lib/errors.ts';

export const NDPProxyNotFound = defineError(
  'NDPProxyNotFound',
  404,
  (id: string) => `Ndp proxy ${id} could not be found.`,
);
export const RouterGatewayInUseByNDPProxy = defineError(
  'RouterGatewayInUseByNDPProxy',
  409,
  (routerId: string) => `The gateway of router ${routerId} cannot be taken away: the router has NDP proxies.`,
);
export const RouterInterfaceInUseByNDPProxy = defineError(
  'RouterInterfaceInUseByNDPProxy',
  409,
  (subnetId: string, routerId: string) =>
    `Subnet ${subnetId} cannot be taken off router ${routerId}: NDP proxies are for addresses of the subnet.`,
);
export const AddressScopeConflict = defineError(
  'AddressScopeConflict',
  409,
  (outside: string | null, inside: string | null) =>
    `The IPv6 address scope ${outside} of the external network is not that of the internal network, ${inside}.`,
);
export const RouterGatewayNotValid = defineError(
  'RouterGatewayNotValid',
  409,
  (routerId: string, reason: string) => `Can not enable ndp proxy on router ${routerId}, ${reason}.`,
);
export const RouterNDPProxyNotEnable = defineError(
  'RouterNDPProxyNotEnable',
  409,
  (routerId: string) => `Router ${routerId} may have no NDP proxies: its enable_ndp_proxy must be true.`,
);
export const PortUnreachableRouter = defineError(
  'PortUnreachableRouter',
  409,
  (portId: string, routerId: string) => `The port ${portId} cannot reach the router ${routerId} by IPv6 subnet.`,
);
export const InvalidAddress = defineError(
  'InvalidAddress',
  400,
  (address: string, reason: string) => `The address ${address} is invalid, reason: ${reason}.`,
);
export const RouterIPv6GatewayInUse = defineError(
  'RouterIPv6GatewayInUse',
  409,
  (routerId: string) =>
    `The gateway of router ${routerId} must have an IPv6 address: the router is one that may have NDP proxies.`,
);
/** What Neutron's objects say of a row that is there already. */
export const NeutronDbObjectDuplicateEntry = defineError(
  'NeutronDbObjectDuplicateEntry',
  409,
  (routerId: string, address: string) => `Router ${routerId} has an NDP proxy for ${address} already.`,
);
