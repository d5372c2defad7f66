/** The addresses of a body: networks in canonical form, each once; a host is the network of its one address. */
import { InvalidInput } from '#src/lib/errors.ts';
import { BITS, cidrOf, formatCidr, parseCidr, parseIp } from '#src/lib/net/mod.ts';
import { AddrFormatError } from './errors.ts';

function normal(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const ip = parseIp(text);
  const cidr = ip === null ? parseCidr(text) : cidrOf(ip, BITS[ip.version]);
  if (cidr === null) throw new AddrFormatError(`'${text}'`);
  return formatCidr(cidr);
}

/** The networks of a list; throws AddrFormatError for what is none. */
export function networksOf(addresses: unknown): readonly string[] {
  if (!Array.isArray(addresses)) throw new InvalidInput('addresses must be a list of IP networks');
  return [...new Set(addresses.map(normal))];
}
