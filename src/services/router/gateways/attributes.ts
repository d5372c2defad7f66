/** What routers show of their gateways and default routes beside `external_gateway_info`. */
import type { Config } from '#src/lib/config.ts';
import type { AttributeExtension, AttributeReading } from '#src/lib/ml2/extension_driver.ts';
import { fixedIpsOf } from '../reading.ts';
import { GATEWAY } from '../routers/store.ts';

const SWITCHES = ['enable_default_route_ecmp', 'enable_default_route_bfd'] as const;

const switched = (name: string): AttributeReading => ({ select: `r.${name}`, type: 'boolean' });

/** The one that `external_gateway_info` shows is the first. */
const GATEWAYS = `case when r.gw_port_id is null then '[]'::json else (
  select json_agg(json_build_object('network_id', xp.network_id, 'external_fixed_ips', ${fixedIpsOf('xp')},
    'enable_snat', r.enable_snat) order by xp.id is distinct from r.gw_port_id, xp.id)
  from router_ports xo cross join lateral (select t.id, t.network_id from ports t where t.id = xo.port_id limit 1) xp
  where xo.router_id = r.id and xo.port_type = '${GATEWAY}') end`;

export function gatewayAttributes({ config }: { readonly config: Config }): AttributeExtension {
  const defaults = Object.fromEntries(SWITCHES.map((name) => [name, config.boolean('DEFAULT', name)]));
  return {
    attributes: {
      external_gateways: { select: GATEWAYS, sort: false },
      ...Object.fromEntries(SWITCHES.map((name) => [name, switched(name)])),
    },
    columns: Object.fromEntries(SWITCHES.map((name) => [name, 'boolean'])),
    create: ({ body }) => Object.fromEntries(SWITCHES.map((name) => [name, body[name] ?? defaults[name]])),
    update: ({ body }) =>
      Object.fromEntries(SWITCHES.flatMap((name) => (typeof body[name] === 'boolean' ? [[name, body[name]]] : []))),
  };
}
