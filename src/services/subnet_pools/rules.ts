/** What a subnet pool may be (neutron.ipam.subnet_alloc.SubnetPoolReader): prefixes of one IP version, and lengths in order. */
import { cidrsOf, type Range, rangesCover } from '#src/ipam/mod.ts';
import { HttpBadRequest, InvalidInput } from '#src/lib/errors.ts';
import { BITS, type Cidr, formatCidr, type IpVersion, parseCidr } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import {
  EmptySubnetPoolPrefixList,
  IllegalSubnetPoolPrefixBounds,
  IllegalSubnetPoolPrefixUpdate,
  PrefixVersionMismatch,
} from './errors.ts';

const LEAST_PREFIXLEN: Readonly<Record<IpVersion, number>> = { 4: 8, 6: 64 };

/** Networks as their text; the API has checked that of bodies. */
export function readCidrs(texts: readonly string[]): readonly Cidr[] {
  return texts.map((text) => {
    const cidr = parseCidr(text);
    if (cidr === null) throw new InvalidInput(`'${text}' is not a valid IP subnet`);
    return cidr;
  });
}

/** The fewest prefixes that make up the addresses. */
export function compactPrefixes(version: IpVersion, ranges: readonly Range[]): readonly string[] {
  return cidrsOf(version, ranges).map(formatCidr);
}

/** The IP version of prefixes, which must be some and of one. */
function versionOf(cidrs: readonly Cidr[]): IpVersion {
  const [first] = cidrs;
  if (first === undefined) throw new EmptySubnetPoolPrefixList();
  if (cidrs.some(({ version }) => version !== first.version)) throw new PrefixVersionMismatch();
  return first.version;
}

export interface PrefixLengths {
  readonly min_prefixlen: number;
  readonly max_prefixlen: number;
  readonly default_prefixlen: number;
}

/** Throws for lengths that contradict each other or the IP version; the order of the checks is Neutron's. */
export function checkLengths(version: IpVersion, lengths: PrefixLengths): void {
  const { min_prefixlen: min, max_prefixlen: max, default_prefixlen: usual } = lengths;
  if (min > max) throw new IllegalSubnetPoolPrefixBounds('min_prefixlen', min, 'greater', 'max_prefixlen', max);
  if (max > BITS[version]) {
    throw new IllegalSubnetPoolPrefixBounds('max_prefixlen', max, 'greater', 'ip_version_max', BITS[version]);
  }
  if (usual < min) throw new IllegalSubnetPoolPrefixBounds('default_prefixlen', usual, 'less', 'min_prefixlen', min);
  if (usual > max) throw new IllegalSubnetPoolPrefixBounds('default_prefixlen', usual, 'greater', 'max_prefixlen', max);
}

export interface NewPool extends PrefixLengths {
  readonly ip_version: IpVersion;
  readonly prefixes: readonly string[];
}

/** The prefixes and lengths of a new pool, by default those of the IP version. */
export function newPool(body: Resource): NewPool {
  const cidrs = readCidrs(body['prefixes'] as readonly string[]);
  const ip_version = versionOf(cidrs);
  const min_prefixlen = (body['min_prefixlen'] ?? LEAST_PREFIXLEN[ip_version]) as number;
  const lengths = {
    min_prefixlen,
    max_prefixlen: (body['max_prefixlen'] ?? BITS[ip_version]) as number,
    default_prefixlen: (body['default_prefixlen'] ?? min_prefixlen) as number,
  };
  checkLengths(ip_version, lengths);
  return { ip_version, prefixes: compactPrefixes(ip_version, cidrs), ...lengths };
}

/** The prefixes of a pool that is to have these: they may only become more. */
export function grownPrefixes(
  version: IpVersion,
  current: readonly string[],
  wanted: readonly Cidr[],
): readonly string[] {
  const ours = wanted.filter((cidr) => cidr.version === version);
  if (!rangesCover(ours, readCidrs(current))) {
    throw new IllegalSubnetPoolPrefixUpdate('the prefixes that the pool has must be among the new ones');
  }
  if (ours.length < wanted.length) throw new PrefixVersionMismatch();
  return compactPrefixes(version, ours);
}

/** The prefixes that the body of `add_prefixes` or `remove_prefixes` names. */
export function namedPrefixes(body: Resource | undefined): readonly Cidr[] {
  const prefixes = body?.['prefixes'];
  if (!Array.isArray(prefixes) || prefixes.length === 0) {
    throw new HttpBadRequest("Request body contains invalid data: 'prefixes' must be a list of one network at least");
  }
  return prefixes.map((text: unknown) => {
    const cidr = typeof text === 'string' ? parseCidr(text) : null;
    if (cidr === null) {
      throw new HttpBadRequest(`Invalid input for prefixes. Reason: '${String(text)}' is not a valid IP subnet.`);
    }
    return cidr;
  });
}
