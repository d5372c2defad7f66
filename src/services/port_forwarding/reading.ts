/** How port forwardings are read: those of one floating IP, by who sees that. */
import { type AttributeSql, anyOf, type Scope, type TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { floatingIpScope } from '#src/services/router/floatingips/contract.ts';
import { PortForwardingNotFound } from './errors.ts';
import { rangeOf, rangeText, type Side } from './ranges.ts';

/** SQL of a range of the row that goes by `w`. */
export const rangeSql = (side: Side): string => `w.${side}_port_start || ':' || w.${side}_port_end`;
/** The same of its one port; null where there are several. */
export const portSql = (side: Side): string =>
  `case when w.${side}_port_start = w.${side}_port_end then w.${side}_port_start end`;

const RANGE_TEXT = /^\d{1,5}(:\d{1,5})?$/;

const range = (side: Side): AttributeSql => ({
  select: rangeSql(side),
  sort: `w.${side}_port_start`,
  filter: ({ values }, parameters) => {
    const ranges = values.filter((value) => RANGE_TEXT.test(String(value))).map((value) => rangeText(rangeOf(value)));
    return anyOf(`(${rangeSql(side)})`, 'text', ranges, parameters);
  },
});
const port = (side: Side): AttributeSql => ({
  select: `(${portSql(side)})`,
  type: 'integer',
  sort: `w.${side}_port_start`,
});

export const FORWARDING_READING: TableSql = {
  from: 'port_forwardings w join floatingips f on f.id = w.floatingip_id',
  key: 'w.id',
  attributes: {
    id: { select: 'w.id', type: 'uuid' },
    external_port: port('external'),
    external_port_range: range('external'),
    protocol: { select: 'w.protocol' },
    internal_port_id: { select: 'w.internal_port_id', type: 'uuid' },
    internal_ip_address: { select: 'host(w.internal_ip_address)' },
    internal_port: port('internal'),
    internal_port_range: range('internal'),
    description: { select: 'w.description' },
    /** These two are not shown: for those who go on with the forwarding. */
    revision_number: { select: 'w.revision_number', type: 'integer' },
    floating_network_id: { select: 'f.floating_network_id', type: 'uuid' },
  },
  notFound: (id) => new PortForwardingNotFound(id),
};

/** Those of the floating IP, if the caller sees it. */
export const forwardingScope =
  (context: Context, floatingip_id: string): Scope =>
  (parameters) => {
    const seen = floatingIpScope(context)(parameters);
    const own = `w.floatingip_id = ${parameters.add(floatingip_id, 'uuid')}`;
    return seen === undefined ? own : `${own} and ${seen}`;
  };
