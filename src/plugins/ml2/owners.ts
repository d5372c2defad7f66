/** Owners of router ports that are on many hosts at once, and what they are in SQL. */

/** The interface of a distributed router: bound to each host of the router of its own accord. */
export const DISTRIBUTED = 'network:router_interface_distributed';
/** The interface of a highly available router: plugged in on the hosts of all of its agents, bound to that of the active one. */
export const HA_INTERFACE = 'network:ha_router_replicated_interface';
const SNAT = 'network:router_centralized_snat';
const GATEWAY = 'network:router_gateway';

/** Whether a port (`p`) of a router (`r`) is on all hosts of the router. */
export const ON_MANY_HOSTS = `(p.device_owner = '${DISTRIBUTED}'
  or r.ha and p.device_owner in ('${HA_INTERFACE}', '${SNAT}', '${GATEWAY}'))`;

/** Whether a port (`p`) has its addresses behind the tunnels of several hosts, so that none of them stands for it. */
export const BEHIND_MANY_TUNNELS = `(p.device_owner in ('${DISTRIBUTED}', '${HA_INTERFACE}')
  or p.device_owner = '${SNAT}' and exists (
    select 1 from router_ports x join routers r on r.id = x.router_id where x.port_id = p.id and r.ha))`;

/** As far as the owner alone tells. */
export const isBehindManyTunnels = (device_owner: unknown): boolean =>
  device_owner === DISTRIBUTED || device_owner === HA_INTERFACE;

/** Whether ports of the owner may be on many hosts at once. */
export const mayBeOnManyHosts = (device_owner: unknown): boolean =>
  isBehindManyTunnels(device_owner) || device_owner === SNAT || device_owner === GATEWAY;
