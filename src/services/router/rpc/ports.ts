/**
 * The ports of routers as agents have them: with the subnets of their networks, those that they have an address in and the others,
 * with prefix lengths, address scopes and MTU; and on which hosts they have to be (neutron.db.l3_db,
 * `_populate_mtu_and_subnets_for_ports`; neutron.api.rpc.handlers.l3_rpc, `_ensure_host_set_on_ports`).
 */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Placement } from '#src/lib/plugin.ts';
import { DISTRIBUTED, SNAT } from '../dvr/hosts.ts';
import { GATEWAY } from '../routers/store.ts';
import type { RoutedNetwork, RouterPlace } from './store.ts';

type FixedIp = { readonly subnet_id: string; readonly ip_address: string };

/** The port with its networks' words; one without addresses has none of them. */
export function describePort(port: JsonObject, networks: ReadonlyMap<string, RoutedNetwork>): JsonObject {
  const fixed = port['fixed_ips'] as unknown as readonly FixedIp[];
  const network = networks.get(String(port['network_id']));
  if (fixed.length === 0 || network === undefined) return port;
  const used = new Set(fixed.map(({ subnet_id }) => subnet_id));
  const all = network.subnets as readonly (RoutedNetwork['subnets'][number] & JsonObject)[];
  const lengths = new Map(all.map(({ id, cidr }) => [id, Number(cidr.slice(cidr.indexOf('/') + 1))]));
  return {
    ...port,
    fixed_ips: fixed.map((one) => ({ ...one, prefixlen: lengths.get(one.subnet_id) ?? null })),
    subnets: all.filter(({ id }) => used.has(id)) as Json[],
    extra_subnets: all.filter(({ id }) => !used.has(id)) as Json[],
    address_scopes: { ...network.address_scopes },
    mtu: network.mtu,
  };
}

/** Ports that follow the SNAT of a distributed router. */
const OF_SNAT: ReadonlySet<string> = new Set([GATEWAY, SNAT]);
const NOWHERE: ReadonlySet<Json | undefined> = new Set(['unbound', 'binding_failed']);

/** The ports of routers that are not where they have to be, or not bound there. */
export function misplaced(
  host: string,
  routers: Iterable<RouterPlace>,
  ports: ReadonlyMap<string, JsonObject>,
): readonly Placement[] {
  const found: Placement[] = [];
  const want = (id: string, wanted: (present: string) => string) => {
    const port = ports.get(id);
    if (port === undefined) return;
    const present = String(port['binding:host_id'] ?? '');
    const place = wanted(present);
    if (present !== place || (place !== '' && NOWHERE.has(port['binding:vif_type'])))
      found.push({ port_id: id, host: place });
  };
  for (const router of routers) {
    // Ports of a highly available router are where it is active, and move with that; until then they are where it was asked for.
    const active = (present: string) => (present === '' ? (router.active_host ?? host) : present);
    const scheduled = () => router.host ?? '';
    for (const { id, port_type } of router.ports) {
      if (port_type === DISTRIBUTED) continue;
      const follows = router.distributed && OF_SNAT.has(port_type) ? scheduled : () => host;
      want(id, router.ha ? active : follows);
    }
    if (router.ha_port_id !== null) want(router.ha_port_id, () => host);
  }
  return found;
}
