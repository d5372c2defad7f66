/**
 * Ports as distributed routers see them: which are served, where, on interfaces of which routers, and which addresses they answer
 * to. All of it is in the reading of the port, so that ports on networks without distributed routers cost no statement.
 */
import type { AttributeReading } from '#src/lib/ml2/extension_driver.ts';
import { contains, parseCidr, parseIp } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { ArpEntry } from '../notifications/mod.ts';
import { LED_TO } from '../ports/guards.ts';
import { DISTRIBUTED, isServed } from './hosts.ts';

/** Read along with ports, and not shown: the interfaces that distributed routers have on their network. */
export const DVR_INTERFACES = 'dvr_interfaces';

export const dvrInterfaces: AttributeReading = {
  select: `(select json_agg(json_build_object('router_id', x.router_id, 'subnet_id', i.subnet_id, 'cidr', s.cidr::text))
    from ports q join router_ports x on x.port_id = q.id
    join ip_allocations i on i.port_id = q.id join subnets s on s.id = i.subnet_id
    where q.network_id = p.network_id and q.device_owner = '${DISTRIBUTED}')`,
  sort: false,
};

interface Interface {
  readonly router_id: string;
  readonly subnet_id: string;
  readonly cidr: string;
}

interface Address {
  readonly subnet_id: string;
  readonly ip_address: string;
}

interface Pair {
  readonly ip_address: string;
  readonly mac_address?: string;
}

/** A port on a network of distributed routers. */
export interface PortView {
  /** Where it is, or is about to migrate; empty where routers have nothing to do with it. */
  readonly hosts: readonly string[];
  /** The routers with interfaces on its subnets. */
  readonly routers: readonly string[];
  /** What the routers have to know by heart while it is bound, by router and address. */
  readonly entries: ReadonlyMap<string, { readonly router_id: string; readonly entry: ArpEntry }>;
}

const NOTHING: PortView = { hosts: [], routers: [], entries: new Map() };

/** Addresses beside the port's own, of pairs that name one address each, where an interface is on their subnet. */
function paired(port: Resource, interfaces: readonly Interface[]) {
  const pairs = (port['allowed_address_pairs'] ?? []) as readonly Pair[];
  return pairs.flatMap(({ ip_address, mac_address }) => {
    const [text = '', prefix] = ip_address.split('/');
    const ip = parseIp(text);
    if (ip === null || (prefix !== undefined && Number(prefix) !== (ip.version === 4 ? 32 : 128))) return [];
    const subnet = interfaces.find(({ cidr }) => {
      const network = parseCidr(cidr);
      return network !== null && contains(network, ip);
    });
    if (subnet === undefined) return [];
    return [{ subnet_id: subnet.subnet_id, ip_address: text, mac_address: String(mac_address ?? port['mac_address']) }];
  });
}

/** How distributed routers see a port; `dhcp` is `[DEFAULT] host_dvr_for_dhcp`. */
export function viewOf(port: Resource, dhcp: boolean): PortView {
  const interfaces = port[DVR_INTERFACES] as readonly Interface[] | null | undefined;
  if (interfaces === null || interfaces === undefined) return NOTHING;
  if (!isServed(String(port['device_owner']), dhcp) && port[LED_TO] !== true) return NOTHING;
  const own = (port['fixed_ips'] as readonly Address[]).map((address) => ({
    ...address,
    mac_address: String(port['mac_address']),
  }));
  const subnets = new Set(own.map(({ subnet_id }) => subnet_id));
  const routers = new Set(interfaces.flatMap((one) => (subnets.has(one.subnet_id) ? [one.router_id] : [])));
  const host = String(port['binding:host_id'] ?? '');
  const migrating = (port['binding:profile'] as { readonly migrating_to?: unknown } | null | undefined)?.migrating_to;
  const hosts = [host, ...(typeof migrating === 'string' ? [migrating] : [])].filter((name) => name !== '');
  const known = host === '' ? [] : [...own, ...(port['admin_state_up'] === true ? paired(port, interfaces) : [])];
  const entries = known.flatMap(({ subnet_id, ip_address, mac_address }) =>
    interfaces
      .filter((one) => one.subnet_id === subnet_id)
      .map(({ router_id }) => {
        const entry = { ip_address, mac_address, subnet_id };
        return [`${router_id} ${subnet_id} ${ip_address}`, { router_id, entry }] as const;
      }),
  );
  return { hosts, routers: [...routers], entries: new Map(entries) };
}
