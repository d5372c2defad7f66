/** What can be wrong with networks and the DHCP agents that serve them (neutron_lib.exceptions.dhcpagentscheduler). */
import { defineError } from '#src/lib/errors.ts';

export const InvalidDHCPAgent = defineError(
  'InvalidDHCPAgent',
  404,
  (id: string) => `Agent ${id} is not a valid DHCP Agent or has been disabled.`,
);
export const NetworkHostedByDHCPAgent = defineError(
  'NetworkHostedByDHCPAgent',
  409,
  (network: string, agent: string) => `The network ${network} has been already hosted by the DHCP Agent ${agent}.`,
);
export const NetworkNotHostedByDhcpAgent = defineError(
  'NetworkNotHostedByDhcpAgent',
  409,
  (network: string, agent: string) => `The network ${network} is not hosted by the DHCP agent ${agent}.`,
);
