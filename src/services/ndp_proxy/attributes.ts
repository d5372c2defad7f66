/**
 * Whether a router may have NDP proxies, and what is read along with others for the server itself.
 *
 * `enable_ndp_proxy` is what was said of the router, or else `[DEFAULT] enable_ndp_proxy_by_default`, as long as the router has a
 * gateway for it: with an IPv6 address, on a network that has IPv6 subnets in an address scope. A gateway that is taken away takes
 * what was said with it.
 */
import type { Config } from '#src/lib/config.ts';
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';

/** Of a router: what was said. */
export const ASKED = 'asked_ndp_proxy';
/** Of a router: whether it has proxies. */
export const HAS_PROXIES = 'has_ndp_proxies';
/** Of a port: whether proxies are for its addresses. */
export const PROXIED = 'has_ndp_proxies';

/** The IPv6 address scope of a network, or null, as networks show it. */
export const scopeOf = (network_id: string): string => `(
  select k.address_scope_id from subnets j join subnetpools k on k.id = j.subnetpool_id
  where j.network_id = ${network_id} and j.ip_version = 6 and k.address_scope_id is not null
  order by j.created_at desc, j.id limit 1)`;

/** Whether the router `r` may have proxies. */
export function enabledSql(config: Config): string {
  const byDefault = config.boolean('DEFAULT', 'enable_ndp_proxy_by_default');
  return `(case when coalesce(r.enable_ndp_proxy, ${byDefault}) then exists (
    select 1 from ports y where y.id = r.gw_port_id and ${scopeOf('y.network_id')} is not null
      and exists (select 1 from ip_allocations z where z.port_id = y.id and family(z.ip_address) = 6)) else false end)`;
}

export function routerAttributes(config: Config): AttributeExtension {
  return {
    attributes: {
      enable_ndp_proxy: { select: enabledSql(config), type: 'boolean' },
      [ASKED]: { select: 'r.enable_ndp_proxy', sort: false },
      [HAS_PROXIES]: { select: 'exists (select 1 from ndp_proxies x where x.router_id = r.id)', sort: false },
    },
    internal: [ASKED, HAS_PROXIES],
    // Not one of the row's own columns: what is kept is not what is shown, by which those are known to have changed.
    async store(tx, _context, written) {
      const asked = written.flatMap(({ id, body }) =>
        typeof body['enable_ndp_proxy'] === 'boolean' ? [{ id, asked: body['enable_ndp_proxy'] }] : [],
      );
      if (asked.length === 0) return true;
      await tx.unsafe(
        `update routers t set enable_ndp_proxy = w.asked from json_to_recordset($1::json) as w (id uuid, asked boolean)
         where t.id = w.id`,
        [asked as never],
        { prepare: true },
      );
      return true;
    },
  };
}

export const portAttributes: AttributeExtension = {
  attributes: {
    [PROXIED]: { select: 'exists (select 1 from ndp_proxies x where x.port_id = p.id)', sort: false },
  },
  internal: [PROXIED],
};
