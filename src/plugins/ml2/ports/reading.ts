/** How ports are read: one statement with addresses and the active binding. */
import {
  type AttributeSql,
  anyOf,
  type Parameters,
  quotedJson,
  standardAttributes,
  substringPattern,
  type TableSql,
} from '#src/db/mod.ts';
import type { Filter } from '#src/lib/api/query.ts';
import { InvalidInput, PortNotFound } from '#src/lib/errors.ts';
import type { ResourceExtensions } from '../managers/extension.ts';

const owner: AttributeSql = { select: 'p.project_id' };

/** One of a few words of ours. */
const word = (select: string): AttributeSql => ({ select, json: quotedJson(select) });

/** By key and operator of the filter, `fixed_ips=ip_address_substr=10.` being a substring of ip_address. */
const FIXED_IP_FILTERS: Readonly<Record<string, (filter: Filter, parameters: Parameters) => string>> = {
  'ip_address in': ({ values }, parameters) => anyOf('a.ip_address', 'inet', values, parameters),
  'subnet_id in': ({ values }, parameters) => anyOf('a.subnet_id', 'uuid', values, parameters),
  'ip_address substring': ({ values }, parameters) => {
    const patterns = values.map((value) => substringPattern(String(value)));
    return `host(a.ip_address) like any(${parameters.add(patterns, 'text[]')})`;
  },
};

function fixedIpsFilter(filter: Filter, parameters: Parameters): string {
  const condition = FIXED_IP_FILTERS[`${filter.key} ${filter.operator}`];
  if (condition === undefined) {
    throw new InvalidInput(
      `fixed_ips is filtered by ip_address, subnet_id or ip_address_substr, not by '${filter.key}'`,
    );
  }
  return `p.id = any(array(select a.port_id from ip_allocations a where ${condition(filter, parameters)}))`;
}

/** Joined as text: a quarter of the time that json_agg takes, and ids and addresses need no escaping. */
const FIXED_IPS =
  `'[' || array_to_string(array(` +
  `select '{"subnet_id":"' || a.subnet_id || '","ip_address":"' || host(a.ip_address) || '"}' ` +
  `from ip_allocations a where a.port_id = p.id order by a.position, a.subnet_id), ',') || ']'`;

const ATTRIBUTES: Readonly<Record<string, AttributeSql>> = {
  id: { select: 'p.id', type: 'uuid' },
  name: { select: 'p.name' },
  network_id: { select: 'p.network_id', type: 'uuid' },
  tenant_id: owner,
  project_id: owner,
  mac_address: { select: 'p.mac_address', type: 'macaddr' },
  admin_state_up: { select: 'p.admin_state_up', type: 'boolean' },
  status: word('p.status'),
  device_id: { select: 'p.device_id' },
  device_owner: { select: 'p.device_owner' },
  fixed_ips: {
    select: `(${FIXED_IPS})::json`,
    json: FIXED_IPS,
    filter: fixedIpsFilter,
    sort: false,
  },
  'binding:host_id': {
    select: 'b.host',
    filter: (filter, parameters) =>
      `p.id = any(array(select h.port_id from port_bindings h where h.status = 'ACTIVE' and ${anyOf('h.host', 'text', filter.values, parameters)}))`,
  },
  'binding:vnic_type': word('b.vnic_type'),
  'binding:profile': { select: 'b.profile', sort: false },
  'binding:vif_type': word('b.vif_type'),
  'binding:vif_details': { select: 'b.vif_details', json: `coalesce(b.vif_details::text, 'null')`, sort: false },
  ...standardAttributes('p'),
};

/** The limit keeps the planner from joining whole tables: a page costs its own rows only, however deep it is. */
const BINDING = `left join lateral (
  select * from port_bindings where port_id = p.id and status = 'ACTIVE' limit 1) b on true`;

/** The hosts that migrations have prepared for a port, or that have replicas of it; not in the API. */
export const PREPARED_HOSTS = 'prepared_hosts';

/** The reading of a port that is deleted: those hosts, too, have to hear of it. */
export function lastPortReading(reading: TableSql): TableSql {
  const hosts = `array(select h.host from port_bindings h where h.port_id = p.id and h.status <> 'ACTIVE')`;
  return { ...reading, attributes: { ...reading.attributes, [PREPARED_HOSTS]: { select: hosts } } };
}

/** The reading of ports with what extension drivers add. */
export function portReading(extensions: Pick<ResourceExtensions, 'attributes' | 'joins'>): TableSql {
  return {
    from: `ports p${extensions.joins}`,
    joins: { b: BINDING },
    key: 'p.id',
    attributes: { ...ATTRIBUTES, ...extensions.attributes },
    changed: 'p.updated_at',
    notFound: (id) => new PortNotFound(id),
  };
}
