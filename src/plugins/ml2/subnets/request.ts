/**
 * Where the network of a new subnet comes from (neutron.db.db_base_plugin_v2, `_create_subnet_precommit`): it is named, drawn
 * from a subnet pool (any, or a named one), or delegated to the router later. Pure, so that what the request itself earns
 * comes before anything is asked of the database.
 */
import { BadRequest, InvalidInput } from '#src/lib/errors.ts';
import { type Cidr, cidrOf, formatCidr, type IpVersion, parseCidr, parseIp } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';

/** What `subnetpool_id` is where the prefix is delegated. */
export const PREFIX_DELEGATION = 'prefix_delegation';
/** The network of such a subnet until its router has a prefix. */
export const PROVISIONAL_PREFIX = '::/64';
const DELEGATED_MODES: ReadonlySet<unknown> = new Set(['slaac', 'dhcpv6-stateless']);

/** What is wanted of a pool: a network, or one of a length (the pool's own default unless told) around the gateway, if named. */
export interface Drawing {
  readonly cidr?: Cidr;
  readonly prefixlen?: number;
}

export type Source =
  | { readonly kind: 'named'; readonly cidr: Cidr }
  | ({ readonly kind: 'pool'; readonly subnetpool_id: string } & Drawing)
  | ({ readonly kind: 'default pool'; readonly ip_version: IpVersion } & Drawing)
  | { readonly kind: 'delegated'; readonly cidr: Cidr };

const bad = (reason: string) => new BadRequest('subnets', reason);

/** Reads the source of a new subnet's network; throws for what contradicts itself. */
export function sourceOf(body: Resource, delegateByDefault: boolean): Source {
  const cidr = namedCidr(body);
  const prefixlen = body['prefixlen'] as number | undefined;
  if (cidr !== undefined && prefixlen !== undefined) throw bad('cidr and prefixlen must not be supplied together');
  const ip_version = body['ip_version'] as IpVersion;
  const byDefault = body['use_default_subnetpool'] === true;
  const named = body['subnetpool_id'] ?? undefined;
  if (byDefault && named !== undefined) {
    throw bad('subnetpool_id and use_default_subnetpool cannot both be specified');
  }
  if (!byDefault && named === undefined) {
    if (cidr === undefined) throw bad('a subnetpool must be specified in the absence of a cidr');
    return checked({ kind: 'named', cidr });
  }
  if (cidr === undefined && (body['allocation_pools'] ?? undefined) !== undefined) {
    throw bad('allocation_pools allowed only for specific subnet requests');
  }
  if (named === PREFIX_DELEGATION || (byDefault && ip_version === 6 && delegateByDefault)) {
    return cidr === undefined ? delegated(body) : checked({ kind: 'named', cidr });
  }
  const drawing: Drawing = {
    ...(cidr === undefined ? {} : { cidr }),
    ...(prefixlen === undefined ? {} : { prefixlen }),
  };
  if (cidr !== undefined) checkNetwork(cidr);
  if (named === undefined) return { kind: 'default pool', ip_version, ...drawing };
  return { kind: 'pool', subnetpool_id: String(named), ...drawing };
}

/** The network that is to be drawn from a pool with that default: the one named, or the one around a named gateway. */
export function drawnCidr(body: Resource, drawing: Drawing, default_prefixlen: number): Cidr | undefined {
  const gateway = body['gateway_ip'];
  if (drawing.cidr !== undefined || typeof gateway !== 'string') return drawing.cidr;
  const ip = parseIp(gateway);
  const prefixlen = drawing.prefixlen ?? default_prefixlen;
  return ip === null ? undefined : cidrOf(ip, prefixlen);
}

function namedCidr(body: Resource): Cidr | undefined {
  const text = body['cidr'];
  if (typeof text !== 'string') return undefined;
  const cidr = parseCidr(text);
  if (cidr === null) throw new InvalidInput(`'${text}' is not a valid IP subnet`);
  if (cidr.version !== body['ip_version']) {
    throw new InvalidInput(`cidr '${formatCidr(cidr)}' does not match the ip_version '${body['ip_version']}'`);
  }
  return cidr;
}

function checked(source: Source & { readonly cidr: Cidr }): Source {
  checkNetwork(source.cidr);
  return source;
}

function checkNetwork(cidr: Cidr): void {
  if (cidr.prefix === 0) throw new InvalidInput('0 is not allowed as CIDR prefix length');
  if (cidr.version === 6 && cidr.first === 0n) throw new InvalidInput("IPv6 subnet '::' is not supported");
}

function delegated(body: Resource): Source {
  if (body['ip_version'] !== 6) throw bad('Prefix Delegation can only be used with IPv6 subnets');
  for (const [name, what] of [
    ['ipv6_ra_mode', 'IPv6 RA Mode'],
    ['ipv6_address_mode', 'IPv6 Address Mode'],
  ] as const) {
    if (!DELEGATED_MODES.has(body[name])) throw bad(`${what} must be SLAAC or Stateless for Prefix Delegation`);
  }
  return { kind: 'delegated', cidr: cidrOf({ version: 6, value: 0n }, 64) };
}
