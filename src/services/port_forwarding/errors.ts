/** The errors of port forwardings (neutron.services.portforwarding.common.exceptions). */
import { BadRequest, defineError, type NeutronError } from '#src/lib/errors.ts';

export const PortForwardingNotFound = defineError(
  'PortForwardingNotFound',
  404,
  (id: string) => `Port Forwarding ${id} could not be found.`,
);
export const PortHasPortForwarding = defineError(
  'PortHasPortForwarding',
  400,
  (portId: string) => `Port ${portId} has port forwardings of a distributed router: no floating IP can lead to it.`,
);
export const FipInUseByPortForwarding = defineError(
  'FipInUseByPortForwarding',
  409,
  (id: string) => `Floating IP ${id} is in use by port forwardings.`,
);
export const PortHasBindingFloatingIP = defineError(
  'PortHasBindingFloatingIP',
  409,
  (floatingIp: { readonly id: string; readonly address: string }, portId: string, fixedIp: string) =>
    `No port forwarding can lead to ${fixedIp} of port ${portId}: the floating IP ${floatingIp.address} (${floatingIp.id}) leads to that port.`,
);

/** What has no type of its own. */
export const refusal = (reason: string): NeutronError => new BadRequest('port_forwarding', reason);
