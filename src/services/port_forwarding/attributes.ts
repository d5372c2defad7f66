/** What floating IPs show of their forwardings; and what is read along with others, for the server itself. */
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import { portSql } from './reading.ts';

/** Of a port: whether forwardings lead to it. */
export const FORWARDED_TO = 'has_port_forwardings';
/** Of a router: whether floating IPs with forwardings go by it. */
export const FORWARDS = 'forwards_ports';
/** Of a floating IP: whether forwardings of a distributed router lead to the port that it leads to. */
export const MEETS_FORWARDINGS = 'meets_port_forwardings';

/** One as its floating IP shows it; a range has no port of its own. */
const SHOWN = `json_strip_nulls(json_build_object('id', w.id, 'protocol', w.protocol,
  'internal_ip_address', host(w.internal_ip_address), 'internal_port', ${portSql('internal')},
  'external_port', ${portSql('external')}, 'internal_port_id', w.internal_port_id))`;

export const floatingIpAttributes: AttributeExtension = {
  attributes: {
    port_forwardings: {
      select: `coalesce((select json_agg(${SHOWN} order by w.protocol, w.external_port_start)
        from port_forwardings w where w.floatingip_id = f.id), '[]')`,
      sort: false,
    },
    [MEETS_FORWARDINGS]: {
      select: `exists (select 1 from port_forwardings w join floatingips o on o.id = w.floatingip_id
        join routers x on x.id = o.router_id where w.internal_port_id = f.fixed_port_id and x.distributed)`,
      sort: false,
    },
  },
  internal: [MEETS_FORWARDINGS],
};

export const portAttributes: AttributeExtension = {
  attributes: {
    [FORWARDED_TO]: {
      select: 'exists (select 1 from port_forwardings w where w.internal_port_id = p.id)',
      sort: false,
    },
  },
  internal: [FORWARDED_TO],
};

export const routerAttributes: AttributeExtension = {
  attributes: {
    [FORWARDS]: {
      select: `exists (select 1 from floatingips q join port_forwardings w on w.floatingip_id = q.id
        where q.router_id = r.id)`,
      sort: false,
    },
  },
  internal: [FORWARDS],
};
