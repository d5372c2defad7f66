/** What every port is let in beside its groups' rules: router advertisements, and what DHCP servers answer to its addresses. */
import { parseIp } from '#src/lib/net/mod.ts';

export type ProviderRule = Readonly<Record<string, string | number>>;

/** The version of an address or a network: networks of IPv6 alone have colons. */
export const ethertypeOf = (address: string): 'IPv4' | 'IPv6' => (address.includes(':') ? 'IPv6' : 'IPv4');

/** The network of one address; what is a network already stays. */
export function networkOf(address: string): string {
  if (address.includes('/')) return address;
  return `${address}/${parseIp(address)?.version === 4 ? 32 : 128}`;
}

const ROUTER_ADVERTISEMENT = 134;
const DHCP = [
  // Servers also answer to all, and to the address that a host of IPv6 has on its link.
  { ethertype: 'IPv4', server: 67, client: 68, always: '255.255.255.255/32' },
  { ethertype: 'IPv6', server: 547, client: 546, always: 'fe80::/64' },
] as const;

/** The rules of a port with these addresses. */
export function providerRules(addresses: readonly string[]): readonly ProviderRule[] {
  const rules: ProviderRule[] = [];
  if (addresses.some((address) => ethertypeOf(address) === 'IPv6')) {
    rules.push({
      direction: 'ingress',
      ethertype: 'IPv6',
      protocol: 'ipv6-icmp',
      source_port_range_min: ROUTER_ADVERTISEMENT,
    });
  }
  for (const { ethertype, server, client, always } of DHCP) {
    const own = addresses.filter((address) => ethertypeOf(address) === ethertype).map(networkOf);
    for (const dest_ip_prefix of [...own, always]) {
      rules.push({
        direction: 'ingress',
        ethertype,
        protocol: 'udp',
        port_range_min: client,
        port_range_max: client,
        source_port_range_min: server,
        source_port_range_max: server,
        dest_ip_prefix,
      });
    }
  }
  return rules;
}
