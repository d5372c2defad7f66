/** Routers as agents are told of them, put together from what was read. */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { NEEDS_BINDING, SNAT, UNBOUND } from '../dvr/hosts.ts';
import { furtherGateways } from '../gateways/mod.ts';
import { GATEWAY, INTERFACE_OWNERS } from '../routers/store.ts';
import { describePort } from './ports.ts';
import type { L3Agent } from './routers_of_host.ts';
import type { FloatingPlace, RoutedNetwork, RouterPlace } from './store.ts';

/** What is read of routers, to be put together. */
export interface Read {
  readonly agent: L3Agent;
  readonly routers: readonly Resource[];
  readonly places: ReadonlyMap<string, RouterPlace>;
  readonly floating: readonly FloatingPlace[];
  readonly floatingips: ReadonlyMap<string, Resource>;
  readonly ports: ReadonlyMap<string, JsonObject>;
  readonly networks: ReadonlyMap<string, RoutedNetwork>;
}

/** The routers that the agent can have; a highly available one is an agent's that has a port for it. */
export function describeRouters(read: Read): readonly JsonObject[] {
  const byRouter = Map.groupBy(read.floating, ({ router_id }) => router_id);
  return read.routers.flatMap((resource) => {
    const place = read.places.get(String(resource['id']));
    if (place === undefined) return [];
    if (place.ha && place.ha_port_id === null && read.agent.mode === 'legacy') return [];
    return [
      {
        ...(resource as JsonObject),
        ...portsOf(read, place, resource as JsonObject),
        ...floatingIpsOf(read, byRouter.get(place.id) ?? []),
      },
    ];
  });
}

function portsOf({ ports, networks }: Read, place: RouterPlace, router: JsonObject): JsonObject {
  const { gw_port_id, ha_port_id } = place;
  const described = (ids: readonly string[]): JsonObject[] =>
    ids.flatMap((id) => {
      const port = ports.get(id);
      return port === undefined ? [] : [describePort(port, networks)];
    });
  const ofType = (...types: readonly string[]) =>
    described(place.ports.filter(({ port_type }) => types.includes(port_type)).map(({ id }) => id));
  const interfaces = ofType(...INTERFACE_OWNERS);
  const [gateway] = described(gw_port_id === null ? [] : [gw_port_id]);
  const [ha] = described(ha_port_id === null ? [] : [ha_port_id]);
  return {
    ha_vr_id: place.ha_vr_id,
    gw_port_host: gateway === undefined ? null : place.host,
    ...(gateway === undefined
      ? {}
      : {
          gw_port: gateway,
          ...furtherGateways(router, ofType(GATEWAY)),
          _snat_router_interfaces: ofType(SNAT),
          _floatingip_agent_interfaces: described(place.agent_ports),
        }),
    ...(interfaces.length === 0 ? {} : { _interfaces: interfaces }),
    ...(ha === undefined ? {} : { _ha_interface: ha, _ha_state: place.ha_state, ha_epoch: place.ha_epoch }),
  };
}

function floatingIpsOf({ floatingips }: Read, places: readonly FloatingPlace[]): JsonObject {
  const all = places.flatMap((place) => {
    const floatingip = floatingips.get(place.id);
    if (floatingip === undefined) return [];
    // However many forwardings there are, agents pull them.
    const { port_forwardings: _, ...without } = floatingip as JsonObject;
    const row = forwardsPorts(floatingip) ? without : (floatingip as JsonObject);
    return [{ ...row, fixed_ip_address_scope: place.scope, ...whereOf(place) }];
  });
  return all.length === 0 ? {} : { _floatingips: all };
}

/** Of floating IPs of distributed routers, which host leads them. */
function whereOf({ distributed, host, dest_host, centralized }: FloatingPlace): JsonObject {
  if (!distributed) return {};
  if (centralized === null) return { host: UNBOUND };
  return {
    host: centralized ? NEEDS_BINDING : host,
    ...(host === null ? {} : { dest_host }),
    ...(centralized ? { dvr_snat_bound: true } : {}),
  };
}

const forwardsPorts = ({ port_forwardings = [] }: Resource): boolean =>
  (port_forwardings as readonly unknown[]).length > 0;

/**
 * Neutron tells floating IPs apart: those that lead to a port, and those whose forwardings lead to several. Of a router that was
 * described, because pages are of both together.
 */
export const apart =
  ({ floatingips }: Read) =>
  (router: JsonObject): JsonObject => {
    const { _floatingips: all = [], ...rest } = router as JsonObject & {
      readonly _floatingips?: readonly JsonObject[];
    };
    const forwards = ({ id }: JsonObject) => forwardsPorts(floatingips.get(String(id)) ?? {});
    const forwarding = all.filter(forwards);
    if (forwarding.length === 0) return router;
    const leading = all.filter((floatingip) => !forwards(floatingip));
    return {
      ...rest,
      ...(leading.length === 0 ? {} : { _floatingips: leading }),
      _pf_floatingips: forwarding,
      port_forwardings_fip_set: forwarding.map(({ floating_ip_address }) => `${floating_ip_address}/32`),
      fip_managed_by_port_forwardings: forwarding.map(({ id = null }) => id),
    };
  };
