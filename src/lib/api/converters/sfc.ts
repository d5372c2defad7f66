/**
 * Converters of service function chaining (networking-sfc). Values of a wrong shape that Neutron fails on pass through here,
 * so that the attribute's rules refuse them.
 */

import type { Converter } from '../attributes.ts';
import {
  FlowClassifierInvalidEthertype,
  FlowClassifierInvalidL7Parameter,
  FlowClassifierInvalidPortValue,
  FlowClassifierInvalidProtocol,
  InvalidUUID,
  PortPairGroupNotSpecified,
} from '../errors.ts';
import { pythonStr, pythonTruthy } from '../python.ts';
import { isUuidLike } from '../uuid.ts';
import { portNumber, properEthertype } from './neutron.ts';

const ETHERTYPES = ['IPv4', 'IPv6'];
const PROTOCOLS = ['tcp', 'udp', 'icmp'];

const normalize_protocol: Converter = (value) => {
  if (value === null) return null;
  const protocol = typeof value === 'string' ? value.toLowerCase() : '';
  if (!PROTOCOLS.includes(protocol)) throw new FlowClassifierInvalidProtocol(pythonStr(value), PROTOCOLS);
  return protocol;
};

const normalize_ethertype: Converter = (value) => {
  if (value === null) return 'IPv4';
  const ethertype = properEthertype(value);
  if (ethertype === null) throw new FlowClassifierInvalidEthertype(pythonStr(value), ETHERTYPES);
  return ethertype;
};

/** No L7 parameter is known, so that only empty values pass. */
const normalize_l7parameters: Converter = (value) => {
  if (value === null) return {};
  if (value === '' || (typeof value === 'object' && !pythonTruthy(value))) return value;
  const parameters = typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : [pythonStr(value)];
  throw new FlowClassifierInvalidL7Parameter(parameters.join(', '));
};

const normalize_service_graph: Converter = (value) => {
  if (value === null) return {};
  if (typeof value === 'string' && value !== '') throw new InvalidUUID(value);
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  for (const [chain, next] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    const ids: readonly unknown[] = [chain, ...(Array.isArray(next) ? next : [next])];
    const wrong = ids.find((id) => !isUuidLike(id));
    if (wrong !== undefined) throw new InvalidUUID(pythonStr(wrong));
  }
  return value;
};

/** Adds what is missing to a dictionary; anything empty becomes the defaults. */
const withDefaults =
  (defaults: () => Readonly<Record<string, unknown>>): Converter =>
  (value) => {
    if (!pythonTruthy(value)) return defaults();
    return typeof value === 'object' && !Array.isArray(value) ? { ...defaults(), ...value } : value;
  };

const normalize_port_pair_groups: Converter = (value) => {
  const groups =
    value === null
      ? []
      : Array.isArray(value)
        ? value
        : typeof value === 'object'
          ? Object.keys(value as object)
          : [value];
  if (groups.length === 0) throw new PortPairGroupNotSpecified();
  return groups;
};

/** The converters of networking-sfc, by name. */
export const sfcConverters = {
  normalize_string: (value: unknown) => value ?? '',
  normalize_protocol,
  normalize_ethertype,
  normalize_port_value: (value: unknown) => portNumber(value, (port) => new FlowClassifierInvalidPortValue(port)),
  normalize_l7parameters,
  normalize_service_graph,
  normalize_chain_parameters: withDefaults(() => ({ correlation: 'mpls', symmetric: false })),
  normalize_sf_parameters: (value: unknown) => (pythonTruthy(value) ? value : { correlation: null, weight: 1 }),
  normalize_ppg_parameters: withDefaults(() => ({
    lb_fields: [],
    ppg_n_tuple_mapping: { ingress_n_tuple: {}, egress_n_tuple: {} },
  })),
  normalize_port_pair_groups,
} satisfies Readonly<Record<string, Converter>>;
