/**
 * From what a caller says of `fixed_ips` to what must be allocated and released (neutron.db.ipam_pluggable_backend).
 * Pure: the database is not asked, so every error that the request itself earns comes before anything is written.
 *
 * A port for which nothing is said gets one IPv4 address, one IPv6 address of a stateful subnet, and its own address
 * in every subnet with automatic addresses; router ports get automatic addresses only where they ask.
 */
import { InvalidInput, SubnetNotFound } from '#src/lib/errors.ts';
import { eui64Address, formatIp, parseIp } from '#src/lib/net/mod.ts';
import {
  AllocationOnAutoAddressSubnet,
  InvalidIpForNetwork,
  InvalidIpForSubnet,
  IpAddressGenerationFailureNoMatchingSubnet,
} from './errors.ts';
import { hasAutomaticAddresses, type IpamSubnet, isHostAddress, isRouterPort, storedCidr } from './subnet.ts';

export interface FixedIpRequest {
  readonly subnet_id?: string;
  readonly ip_address?: string;
  /** On update: the automatic address of the subnet is to go. */
  readonly delete_subnet?: boolean;
}

export interface FixedIp {
  readonly subnet_id: string;
  readonly ip_address: string;
}

/** One address that a port is to get. */
export type AddressNeed =
  | { readonly kind: 'exact'; readonly subnet_id: string; readonly ip_address: string }
  /** Any free address of the first of these subnets that has one; the lowest, for those who are wont to be found there. */
  | { readonly kind: 'any'; readonly subnets: readonly IpamSubnet[]; readonly lowest: boolean };

/** Whose addresses they are to be. */
export interface AddressOwner {
  readonly network_id: string;
  readonly mac_address: string;
  readonly device_owner: string;
  /** All subnets of the network. */
  readonly subnets: readonly IpamSubnet[];
}

/** What a new port needs; `requested` undefined: the caller said nothing. */
export function planNewPort(
  owner: AddressOwner,
  requested: readonly FixedIpRequest[] | undefined,
): readonly AddressNeed[] {
  const usable = servedSubnets(owner);
  const needs: AddressNeed[] = [];
  if (requested !== undefined) {
    needs.push(...requestedNeeds(owner, requested));
  } else {
    if (owner.subnets.length > 0 && usable.length === 0) {
      throw new IpAddressGenerationFailureNoMatchingSubnet(owner.network_id, owner.device_owner);
    }
    for (const version of [4, 6]) {
      const subnets = usable.filter((subnet) => subnet.ip_version === version && !hasAutomaticAddresses(subnet));
      if (subnets.length > 0) needs.push(anyOf(owner, subnets));
    }
  }
  if (!isRouterPort(owner.device_owner)) {
    for (const subnet of usable) if (hasAutomaticAddresses(subnet)) needs.push(automaticNeed(owner, subnet));
  }
  return needs;
}

export interface AddressChanges {
  readonly kept: readonly FixedIp[];
  readonly released: readonly FixedIp[];
  readonly needs: readonly AddressNeed[];
}

/**
 * What changes for a port that has `current` and is to have `requested`. Addresses are kept where they can be; with
 * `newMac` the automatic ones cannot, because they are formed from the MAC address.
 */
export function planChangedPort(
  owner: AddressOwner,
  current: readonly FixedIp[],
  requested: readonly FixedIpRequest[],
  newMac: boolean,
): AddressChanges {
  const subnets = new Map(owner.subnets.map((subnet) => [subnet.id, subnet]));
  const isAutomatic = (subnet_id: string | undefined): boolean => {
    const subnet = subnet_id === undefined ? undefined : subnets.get(subnet_id);
    return subnet !== undefined && formsOwnAddress(owner, subnet);
  };
  const wanted = requested.filter((request) => request.delete_subnet !== true);
  const dropped = new Set(
    requested.filter((request) => request.delete_subnet === true).map(({ subnet_id }) => subnet_id),
  );
  const free = new Set(current);
  const take = (matches: (fixed: FixedIp) => boolean): FixedIp | undefined => {
    const found = [...free].find(matches);
    if (found !== undefined) free.delete(found);
    return found;
  };
  const kept: FixedIp[] = [];
  const added: FixedIpRequest[] = [];
  // Addresses that are named come first, so that a request by subnet does not take one of them.
  for (const named of [true, false]) {
    for (const request of wanted) {
      if ((request.ip_address !== undefined) !== named) continue;
      const address = request.ip_address === undefined ? undefined : canonical(request.ip_address);
      const found = take((fixed) => (named ? fixed.ip_address === address : fixed.subnet_id === request.subnet_id));
      if (found === undefined) added.push(request);
      else kept.push(found);
    }
  }
  const released: FixedIp[] = [];
  for (const fixed of free) {
    (isAutomatic(fixed.subnet_id) && !dropped.has(fixed.subnet_id) ? kept : released).push(fixed);
  }
  const formed = new Set(added.map(({ subnet_id }) => subnet_id).filter(isAutomatic));
  if (newMac) {
    for (const fixed of kept.filter(({ subnet_id }) => isAutomatic(subnet_id))) {
      kept.splice(kept.indexOf(fixed), 1);
      released.push(fixed);
      formed.add(fixed.subnet_id);
    }
  }
  const needs = [...requestedNeeds(owner, added)];
  for (const subnet of owner.subnets) if (formed.has(subnet.id)) needs.push(automaticNeed(owner, subnet));
  return { kept, released, needs };
}

/** The address that a port forms for itself in a subnet with automatic addresses. */
export function automaticAddress(subnet: Pick<IpamSubnet, 'cidr'>, mac_address: string): string {
  return eui64Address(storedCidr(subnet.cidr), mac_address);
}

function automaticNeed(owner: AddressOwner, subnet: IpamSubnet): AddressNeed {
  return { kind: 'exact', subnet_id: subnet.id, ip_address: automaticAddress(subnet, owner.mac_address) };
}

/** Ports of DHCP servers and of distributed services get the lowest address, as they always have. */
const LOWEST: ReadonlySet<string> = new Set(['network:dhcp', 'network:distributed']);

function anyOf(owner: AddressOwner, subnets: readonly IpamSubnet[]): AddressNeed {
  return { kind: 'any', subnets, lowest: LOWEST.has(owner.device_owner) };
}

function formsOwnAddress(owner: AddressOwner, subnet: IpamSubnet): boolean {
  return hasAutomaticAddresses(subnet) && !isRouterPort(owner.device_owner);
}

/** Subnets whose service types allow the port, those made for it first. */
function servedSubnets(owner: AddressOwner): readonly IpamSubnet[] {
  const made = owner.subnets.filter((subnet) => subnet.service_types.includes(owner.device_owner));
  return [...made, ...owner.subnets.filter((subnet) => subnet.service_types.length === 0)];
}

/** The needs that requests spell out; automatic addresses, which come anyway, are left out. */
function requestedNeeds(owner: AddressOwner, requested: readonly FixedIpRequest[]): readonly AddressNeed[] {
  return requested.flatMap((request): AddressNeed[] => {
    const subnet = subnetOf(owner, request);
    if (request.ip_address === undefined) {
      return formsOwnAddress(owner, subnet) ? [] : [anyOf(owner, [subnet])];
    }
    const address = canonical(request.ip_address);
    if (formsOwnAddress(owner, subnet)) throw new AllocationOnAutoAddressSubnet(address, subnet.id);
    return [{ kind: 'exact', subnet_id: subnet.id, ip_address: address }];
  });
}

function subnetOf(owner: AddressOwner, request: FixedIpRequest): IpamSubnet {
  const ip = request.ip_address === undefined ? undefined : parseIp(request.ip_address);
  if (ip === null) throw new InvalidIpForNetwork(String(request.ip_address));
  if (request.subnet_id === undefined) {
    if (ip === undefined) throw new InvalidInput('IP allocation requires subnet_id or ip_address');
    const subnet = owner.subnets.find((candidate) => isHostAddress(storedCidr(candidate.cidr), ip, owner.device_owner));
    if (subnet === undefined) throw new InvalidIpForNetwork(formatIp(ip));
    return subnet;
  }
  const subnet = owner.subnets.find(({ id }) => id === request.subnet_id);
  if (subnet === undefined) throw new SubnetNotFound(request.subnet_id);
  if (ip !== undefined && !isHostAddress(storedCidr(subnet.cidr), ip, owner.device_owner))
    throw new InvalidIpForSubnet(formatIp(ip));
  return subnet;
}

function canonical(address: string): string {
  const ip = parseIp(address);
  if (ip === null) throw new InvalidIpForNetwork(address);
  return formatIp(ip);
}
