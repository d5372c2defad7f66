/**
 * What a rule matches: checked and brought into the one form that is kept, and compared. Rules of groups and the rules that
 * new groups start with are alike in this (neutron.db.securitygroups_db).
 */
import { SecurityGroupInvalidPortValue, SecurityGroupRuleInvalidProtocol } from '#src/lib/api/errors.ts';
import { parseCidr } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import {
  SecurityGroupEthertypeConflictWithProtocol,
  SecurityGroupInvalidIcmpValue,
  SecurityGroupInvalidPortRange,
  SecurityGroupInvalidProtocolForPort,
  SecurityGroupMissingIcmpType,
  SecurityGroupMultipleRemoteEntites,
  SecurityGroupProtocolRequiredWithPorts,
  SecurityGroupRuleParameterConflict,
} from './errors.ts';
import { hasPorts, ICMP, IPV6_ICMP, isOfIpv6Alone, PORTED, protocolNumber, spellings } from './protocols.ts';

export interface Match {
  readonly direction: string;
  readonly ethertype: 'IPv4' | 'IPv6';
  readonly protocol: string | null;
  readonly port_range_min: number | null;
  readonly port_range_max: number | null;
  readonly remote_ip_prefix: string | null;
  readonly remote_group_id: string | null;
  readonly remote_address_group_id: string | null;
}

/** The columns of a match, with their SQL types. */
export const MATCH_COLUMNS = {
  direction: 'text',
  ethertype: 'text',
  protocol: 'text',
  port_range_min: 'integer',
  port_range_max: 'integer',
  remote_ip_prefix: 'text',
  remote_group_id: 'text',
  remote_address_group_id: 'uuid',
} as const;

const REMOTES = ['remote_ip_prefix', 'remote_group_id', 'remote_address_group_id'] as const;
/** Prefixes that match everything, as no prefix does. */
const EVERYWHERE = ['', '0.0.0.0/0', '::/0'];

/** Reads a prepared body; throws the error of the first thing that is wrong, in Neutron's order. */
export function matchOf(body: Resource): Match {
  const ethertype = body['ethertype'] === 'IPv6' ? 'IPv6' : 'IPv4';
  const protocol = keptProtocol(text(body['protocol']), ethertype);
  const [port_range_min, port_range_max] = keptPorts(body);
  const match: Match = {
    direction: String(body['direction']),
    ethertype,
    protocol,
    port_range_min,
    port_range_max,
    remote_ip_prefix: text(body['remote_ip_prefix']),
    remote_group_id: text(body['remote_group_id']),
    remote_address_group_id: text(body['remote_address_group_id']),
  };
  checkPorts(match);
  checkPrefix(match);
  if (protocol !== null && ethertype === 'IPv4' && isOfIpv6Alone(protocolNumber(protocol)!)) {
    throw new SecurityGroupEthertypeConflictWithProtocol(ethertype, protocol);
  }
  if (REMOTES.filter((name) => match[name] !== null).length > 1) throw new SecurityGroupMultipleRemoteEntites();
  return match;
}

/** Nothing and the empty value are the same. */
function text(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Names stay names and numbers numbers; what means ICMP in a rule of IPv6 is ICMPv6. */
function keptProtocol(protocol: string | null, ethertype: string): string | null {
  if (protocol === null || protocol === 'any') return null;
  const number = protocolNumber(protocol);
  if (number === null) throw new SecurityGroupRuleInvalidProtocol(protocol, ['any', ...PORTED, 'icmp', 'ipv6-icmp']);
  const named = /^[a-z]/.test(protocol);
  if (ethertype === 'IPv6' && (number === ICMP || (number === IPV6_ICMP && named))) {
    return named ? 'ipv6-icmp' : String(IPV6_ICMP);
  }
  return named ? protocol : String(number);
}

/** All ports are no range. */
function keptPorts(body: Resource): readonly [number | null, number | null] {
  const min = (body['port_range_min'] ?? null) as number | null;
  const max = (body['port_range_max'] ?? null) as number | null;
  return min === 1 && max === 65535 ? [null, null] : [min, max];
}

function checkPorts({ protocol, port_range_min: min, port_range_max: max }: Match): void {
  if (min === null && max === null) return;
  if (protocol === null) throw new SecurityGroupProtocolRequiredWithPorts();
  const number = protocolNumber(protocol)!;
  if (hasPorts(number)) {
    if (min === 0 || max === 0) throw new SecurityGroupInvalidPortValue('0');
    if (min === null || max === null || min > max) throw new SecurityGroupInvalidPortRange();
    return;
  }
  if (number !== ICMP && number !== IPV6_ICMP) {
    throw new SecurityGroupInvalidProtocolForPort(protocol, PORTED.map((name) => name.toUpperCase()).join(', '));
  }
  if (min !== null && min > 255) throw new SecurityGroupInvalidIcmpValue('type', 'port_range_min', min);
  if (max !== null && max > 255) throw new SecurityGroupInvalidIcmpValue('code', 'port_range_max', max);
  if (min === null && max !== null) throw new SecurityGroupMissingIcmpType(max);
}

function checkPrefix({ ethertype, remote_ip_prefix: prefix }: Match): void {
  if (prefix === null) return;
  if (`IPv${parseCidr(prefix)?.version}` !== ethertype) throw new SecurityGroupRuleParameterConflict(ethertype, prefix);
}

/** What a rule that matches the same may have in its columns, null as the empty text: for comparing in SQL. */
export function sameness(match: Match): {
  readonly protocols: readonly string[];
  readonly prefixes: readonly string[];
} {
  const { protocol, remote_ip_prefix: prefix } = match;
  return {
    protocols: protocol === null ? [''] : spellings(protocolNumber(protocol)!),
    prefixes: prefix === null || EVERYWHERE.includes(prefix) ? EVERYWHERE : [prefix],
  };
}

/** A text that is equal of rules that match the same. */
export function matchKey(match: Match): string {
  const { protocols, prefixes } = sameness(match);
  return JSON.stringify({ ...match, protocol: protocols[0], remote_ip_prefix: prefixes[0] });
}

const columnsEqual = (name: string, nothing: string): string =>
  `coalesce(e.${name}, ${nothing}) = coalesce(r.${name}, ${nothing})`;
const NO_ID = `'00000000-0000-0000-0000-000000000000'`;

/**
 * The condition that the rule `e` in a table matches the same as `r`, a match with its `sameness`; in the terms of the index
 * `security_group_rules_once`, which finds it.
 */
export const SAME_MATCH = [
  'e.direction = r.direction',
  'e.ethertype = r.ethertype',
  `coalesce(e.protocol, '') = any(r.protocols)`,
  columnsEqual('port_range_min', '-1'),
  columnsEqual('port_range_max', '-1'),
  `coalesce(e.remote_ip_prefix, '') = any(r.prefixes)`,
  columnsEqual('remote_group_id', NO_ID),
  columnsEqual('remote_address_group_id', NO_ID),
].join(' and ');
