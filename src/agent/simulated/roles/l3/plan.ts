/** What a host has to plug in and to lead of a router, by what its L3 agent may do. */
import type { AgentMode, HaState, RouterFloatingIp, RouterPort, SyncedRouter } from '#src/services/router/contract.ts';
import type { LedFloatingIp } from '../../state.ts';

/** Of floating IPs of distributed routers that the agent which has their router's SNAT leads, `host` says this. */
const CENTRAL = 'FLOATING_IP_NEEDS_BINDING';

/** What stands before a device's name, by the owner of the port. */
const DEVICES: Readonly<Record<string, string>> = {
  'network:router_gateway': 'qg-',
  'network:router_interface': 'qr-',
  'network:router_interface_distributed': 'qr-',
  'network:ha_router_replicated_interface': 'qr-',
  'network:router_centralized_snat': 'sg-',
  'network:floatingip_agent_gateway': 'fg-',
  'network:router_ha_interface': 'ha-',
};

/** Device names have room for 11 characters of the port's id. */
const deviceOf = ({ id, device_owner }: RouterPort): string => `${DEVICES[device_owner] ?? 'qr-'}${id.slice(0, 11)}`;

export interface Place {
  readonly host: string;
  readonly mode: AgentMode;
  /** Null: the router is not highly available. */
  readonly ha: HaState | null;
}

/** Whether the agent does the router's SNAT: as the one that has it, and the active one. */
export function hasSnat(router: SyncedRouter, { host, mode, ha }: Place): boolean {
  if (ha !== null && ha !== 'active') return false;
  if (!router.distributed) return true;
  return mode === 'dvr_snat' && router.gw_port_host === host;
}

/** The names of the devices by port; `shared` is the host's own port on the external network. */
export function devicesOf(
  router: SyncedRouter,
  place: Place,
  shared: RouterPort | undefined,
): ReadonlyMap<string, string> {
  const snat = hasSnat(router, place);
  const ports: (RouterPort | null | undefined)[] = [
    ...(router.distributed || snat ? router._interfaces : []),
    ...(snat ? [router.gw_port, ...(router.distributed ? router._snat_router_interfaces : [])] : []),
    router.ha && (!router.distributed || place.mode === 'dvr_snat') ? router._ha_interface : null,
    shared,
  ];
  return new Map(ports.flatMap((port) => (port == null ? [] : [[port.id, deviceOf(port)]])));
}

/** Whether floating IPs of the router are led by this host itself, past its SNAT. */
export const leadsItself = (router: SyncedRouter, { host, mode }: Place): readonly RouterFloatingIp[] =>
  router.distributed && (mode === 'dvr' || mode === 'dvr_snat')
    ? router._floatingips.filter((floatingip) => floatingip.host === host)
    : [];

/** The floating IPs that are led here, by id, ACTIVE from now on. */
export function floatingIpsOf(router: SyncedRouter, place: Place): ReadonlyMap<string, LedFloatingIp> {
  const central = hasSnat(router, place)
    ? [
        ...router._floatingips.filter(({ host }) => !router.distributed || host == null || host === CENTRAL),
        ...router._pf_floatingips,
      ]
    : [];
  const led = [...central, ...leadsItself(router, place)];
  return new Map(
    led.map(({ id, floating_ip_address, fixed_ip_address, status }) => [
      id,
      { leads: `${floating_ip_address} to ${fixed_ip_address ?? 'where its ports are forwarded'}`, status },
    ]),
  );
}
