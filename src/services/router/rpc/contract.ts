/** Whom that concerns which belongs to routers, for other plugins' versioned objects. */
import type { Config } from '#src/lib/config.ts';
import type { PluginDirectory } from '#src/lib/plugin.ts';
import type { Audience } from '#src/lib/rpc.ts';
import { routersOn } from '../dvr/hosts.ts';

/** Selects (router_id) of the routers that a host's L3 agents have; `host` is a placeholder. */
export function routersOfHost(config: Config): (host: string) => string {
  const dhcp = config.boolean('DEFAULT', 'host_dvr_for_dhcp');
  return (host) => `
    select t.router_id from router_l3_agents t join agents g on g.id = t.agent_id where g.host = ${host}
    union ${routersOn(host, dhcp)}`;
}

/** The hosts of the routers that a statement finds: it selects (id, router_id) of the objects that go by `$1`. */
export function withRouters(plugins: PluginDirectory, text: string): Audience {
  return async (sql, ids) => {
    const found = await sql.unsafe<{ id: string; router_id: string }[]>(text, [ids as never], { prepare: true });
    const router = plugins.get('L3_ROUTER_NAT')?.audiences?.['router'];
    const hosts = await router?.(sql, [...new Set(found.map(({ router_id }) => router_id))]);
    return new Map(found.map(({ id, router_id }) => [id, hosts?.get(router_id) ?? []]));
  };
}
