/** Rules for addresses: IP, networks, MAC, and the lists that are made of them. */
import { HttpBadRequest } from '../../errors.ts';
import { canonicalIp, isMulticast, parseCidr, parseIp, parseMac } from '../../net/mod.ts';
import type { Validator } from '../attributes.ts';
import { AllowedAddressPairExhausted, AllowedAddressPairsMissingIP, DuplicateAddressPairInRequest } from '../errors.ts';
import { pythonRepr, pythonStr } from '../python.ts';
import type { AttributeSettings } from '../settings.ts';
import { dictionary, isDictionary, keysAre } from './dicts.ts';
import { uniqueListOf } from './lists.ts';
import { orNone, quoted, uuid } from './scalars.ts';

export const ip_address: Validator = (value) => {
  if (typeof value === 'string') {
    if (parseIp(value) !== null) return null;
    const recommended = canonicalIp(value.replace(/(^|\.)0+(?=\d)/g, '$1'));
    if (recommended !== null && !value.includes(':')) {
      return `${quoted(value)} is not an accepted IP address, '${recommended}' is recommended`;
    }
  }
  return `${quoted(value)} is not a valid IP address`;
};

/** A network with its prefix length; host bits may be set. */
export const subnet: Validator = (value) =>
  typeof value === 'string' && parseCidr(value) !== null ? null : `${quoted(value)} is not a valid IP subnet`;

const ip_or_subnet: Validator = (value) =>
  ip_address(value, null) === null || subnet(value, null) === null
    ? null
    : `${quoted(value)} is neither a valid IP address, nor is it a valid IP subnet`;

/** A network without host bits. */
const cidr: Validator = (value) => {
  const network = typeof value === 'string' ? parseCidr(value) : null;
  return network !== null && network.address === network.first ? null : `${quoted(value)} is not a valid CIDR`;
};

const mac_address: Validator = (value) => {
  const mac = typeof value === 'string' ? parseMac(value) : null;
  return mac === null || mac === 0n || mac === 0xffffffffffffn ? `${quoted(value)} is not a valid MAC address` : null;
};

const nameservers: Validator = (value) => {
  if (!Array.isArray(value)) return `Invalid data format for nameserver: ${quoted(value)}`;
  const seen = new Set<string>();
  for (const server of value as readonly unknown[]) {
    const wrong = ip_address(server, null);
    if (wrong !== null) return wrong;
    if (seen.has(server as string)) return `Duplicate nameserver ${quoted(server)}`;
    seen.add(server as string);
  }
  return null;
};

const hostroutes: Validator = (value) => {
  if (!Array.isArray(value)) return `Invalid data format for hostroute: ${quoted(value)}`;
  const seen = new Set<string>();
  for (const route of value as readonly unknown[]) {
    const wrong = keysAre(route, ['destination', 'nexthop']);
    if (wrong !== null) return wrong;
    const { destination, nexthop } = route as { readonly destination: unknown; readonly nexthop: unknown };
    const invalid = cidr(destination, null) ?? ip_address(nexthop, null);
    if (invalid !== null) return invalid;
    const key = `${destination} ${nexthop}`;
    if (seen.has(key)) return `Duplicate hostroute ${quoted(route)}`;
    seen.add(key);
  }
  return null;
};

/** Pools inside the subnet and in order are the IPAM's concern. */
const ip_pools: Validator = (value) => {
  if (!Array.isArray(value)) return `Invalid data format for IP pool: ${quoted(value)}`;
  for (const pool of value as readonly unknown[]) {
    const wrong = keysAre(pool, ['end', 'start']);
    if (wrong !== null) return wrong;
    const { start, end } = pool as { readonly start: unknown; readonly end: unknown };
    const invalid = ip_address(start, null) ?? ip_address(end, null);
    if (invalid !== null) return invalid;
  }
  return null;
};

const fixed_ips: Validator = (value) => {
  if (!Array.isArray(value)) return `Invalid data format for fixed IP: ${quoted(value)}`;
  const seen = new Set<unknown>();
  for (const fixed of value as readonly unknown[]) {
    if (!isDictionary(fixed)) return `Invalid data format for fixed IP: ${quoted(fixed)}`;
    if ('ip_address' in fixed) {
      if (seen.has(fixed['ip_address'])) return `Duplicate IP address ${quoted(fixed['ip_address'])}`;
      seen.add(fixed['ip_address']);
      const wrong = ip_address(fixed['ip_address'], null);
      if (wrong !== null) return wrong;
    }
    const wrong = 'subnet_id' in fixed ? uuid(fixed['subnet_id'], null) : null;
    if (wrong !== null) return wrong;
  }
  return null;
};

const allowed_address_pairs = (settings: AttributeSettings): Validator => {
  return (value) => {
    if (!Array.isArray(value)) throw new HttpBadRequest(`Allowed address pairs must be a list, not ${quoted(value)}`);
    const maximum = settings.max_allowed_address_pair;
    if (value.length > maximum) throw new AllowedAddressPairExhausted(maximum);
    const seen = new Set<string>();
    for (const pair of value as readonly unknown[]) {
      const wrong = dictionary(pair);
      if (wrong !== null) return wrong;
      checkAddressPair(pair as Readonly<Record<string, unknown>>, seen);
    }
    return null;
  };
};

function checkAddressPair(pair: Readonly<Record<string, unknown>>, seen: Set<string>): void {
  const { mac_address: mac, ip_address: ip } = pair;
  const wrongMac = 'mac_address' in pair ? mac_address(mac, null) : null;
  if (wrongMac !== null) throw new HttpBadRequest(wrongMac);
  if (!('ip_address' in pair)) throw new AllowedAddressPairsMissingIP();

  const key = pythonRepr([mac, ip]);
  if (seen.has(key)) throw new DuplicateAddressPairInRequest(pythonStr(mac), pythonStr(ip));
  seen.add(key);

  const unknown = Object.keys(pair).filter((name) => name !== 'mac_address' && name !== 'ip_address');
  if (unknown.length > 0) throw new HttpBadRequest(`Unrecognized attribute(s) '${unknown.join(', ')}'`);
  const wrongIp = String(ip).includes('/') ? subnet(ip, null) : ip_address(ip, null);
  if (wrongIp !== null) throw new HttpBadRequest(wrongIp);

  const group = parseIp(String(ip).split('/')[0] as string);
  if (group !== null && isMulticast(group)) throw new HttpBadRequest(`${quoted(ip)} is a multicast IP address`);
  // The lowest bit of the first octet marks a group address.
  if (typeof mac === 'string' && ((parseMac(mac) ?? 0n) >> 40n) & 1n) {
    throw new HttpBadRequest(`${quoted(mac)} is a multicast MAC address`);
  }
}

/** The rules of this file, by name. */
export function addressRules(settings: AttributeSettings) {
  const subnets = uniqueListOf(subnet);
  return {
    'type:ip_address': ip_address,
    'type:ip_address_or_none': orNone(ip_address),
    'type:ip_or_subnet_or_none': orNone(ip_or_subnet),
    'type:subnet': subnet,
    'type:subnet_or_none': orNone(subnet),
    'type:subnet_list': subnets,
    'type:list_of_subnets_or_none': orNone(subnets),
    'type:mac_address': mac_address,
    'type:mac_address_or_none': orNone(mac_address),
    'type:nameservers': nameservers,
    'type:hostroutes': hostroutes,
    'type:ip_pools': ip_pools,
    'type:fixed_ips': fixed_ips,
    'type:allowed_address_pairs': allowed_address_pairs(settings),
  } satisfies Readonly<Record<string, Validator>>;
}
