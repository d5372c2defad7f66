/** Converters of Neutron's own extensions: security group rules (neutron/extensions/securitygroup.py) and RBAC. */
import { InvalidInput, type NeutronError } from '../../errors.ts';
import type { Converter } from '../attributes.ts';
import {
  InvalidCIDR,
  SecurityGroupInvalidPortValue,
  SecurityGroupRuleInvalidEtherType,
  SecurityGroupRuleInvalidProtocol,
} from '../errors.ts';
import { pythonInt, pythonStr, pythonTruthy } from '../python.ts';
import type { AttributeSettings } from '../settings.ts';
import { cidrText } from './common.ts';

const ETHERTYPES = ['IPv4', 'IPv6'] as const;
// biome-ignore format: one table
const PROTOCOLS: readonly (string | null)[] = [
  null, 'any', 'ah', 'dccp', 'egp', 'esp', 'gre', 'hopopt', 'icmp', 'igmp', 'ip', 'ipip', 'ipv6-encap', 'ipv6-frag', 'ipv6-icmp',
  'icmpv6', 'ipv6-nonxt', 'ipv6-opts', 'ipv6-route', 'ospf', 'pgm', 'rsvp', 'sctp', 'tcp', 'udp', 'udplite', 'vrrp',
];

/** The ethertype in its proper case, null for none of them. */
export function properEthertype(value: unknown): 'IPv4' | 'IPv6' | null {
  if (typeof value !== 'string') return null;
  return ETHERTYPES.find((ethertype) => ethertype.toLowerCase() === value.toLowerCase()) ?? null;
}

/** A port number from anything that `int()` takes; null stays null. */
export function portNumber(value: unknown, refuse: (port: string) => NeutronError): number | null {
  if (value === null) return null;
  const port = pythonInt(value);
  if (port === null || port < 0 || port > 65535) throw refuse(pythonStr(value));
  return port;
}

const convert_protocol: Converter = (value) => {
  if (value === null || value === 'any') return null;
  const number = pythonInt(value);
  if (number !== null && number >= 0 && number <= 255) return pythonStr(value);
  const name = typeof value === 'string' ? value.toLowerCase() : null;
  if (name !== null && PROTOCOLS.includes(name)) return name;
  throw new SecurityGroupRuleInvalidProtocol(pythonStr(value), PROTOCOLS);
};

const convert_ethertype_to_case_insensitive: Converter = (value) => {
  const ethertype = properEthertype(value);
  if (ethertype === null) throw new SecurityGroupRuleInvalidEtherType(pythonStr(value), ETHERTYPES);
  return ethertype;
};

const convert_ip_prefix_to_cidr: Converter = (value) => {
  if (!pythonTruthy(value)) return null;
  const text = cidrText(value);
  if (text === null) throw new InvalidCIDR(pythonStr(value));
  return text;
};

/** The converters of Neutron's extensions, by name. */
export function neutronConverters(settings: AttributeSettings) {
  return {
    convert_valid_object_type: (value: unknown) => {
      const type = typeof value === 'string' ? value.trim() : value;
      if (typeof type === 'string' && settings.rbacObjectTypes().includes(type)) return type;
      throw new InvalidInput(`'${pythonStr(value)}' is no type of object that RBAC policies share`);
    },
    convert_protocol,
    convert_validate_port_value: (value: unknown) =>
      portNumber(value, (port) => new SecurityGroupInvalidPortValue(port)),
    convert_ethertype_to_case_insensitive,
    convert_ip_prefix_to_cidr,
  } satisfies Readonly<Record<string, Converter>>;
}
