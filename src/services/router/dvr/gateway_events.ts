/** When agents of hosts get and lose their gateway ports without asking: with floating IPs, ports, agents and routers' gateways. */
import type { Context } from '#src/lib/context.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { RouterHost } from '../host.ts';
import { externalNetworkLeft } from '../notifications/mod.ts';
import { LED_TO } from '../ports/guards.ts';
import type { AgentGateways, GatewayPlace } from './agent_gateways.ts';
import { ON_DISTRIBUTED } from './hosts.ts';
import { DVR_INTERFACES } from './port_view.ts';

/** Where floating IPs of distributed routers lead to, or are about to; by a condition on the floating IP `f` and the binding `b`. */
const placesWhere = (condition: string): string => `
  select distinct f.floating_network_id as network_id, h.host
  from port_bindings b join floatingips f on f.fixed_port_id = b.port_id
  join routers r on r.id = f.router_id and r.distributed
  cross join lateral (values (b.host), (b.profile->>'migrating_to')) h (host)
  where (${condition}) and h.host <> '' order by 1, 2`;

const OF_FLOATING_IP = placesWhere('f.id = $1::uuid');
const OF_PORT = placesWhere('b.port_id = $1::uuid');
const OF_HOST = placesWhere('b.host = $1');

export function followGateways({ callbacks, db, log }: RouterHost, gateways: AgentGateways): void {
  /** What is not there yet is made when the agent asks: the work stands all the same. */
  const ensure = async (context: Context, text: string, of: string): Promise<void> => {
    try {
      const places = await db.sql.unsafe<(GatewayPlace & Record<string, unknown>)[]>(text, [of], { prepare: true });
      for (const place of places) await gateways.ensure(context, place);
    } catch (error) {
      log.error("an agent's port on an external network could not be made", { of, error });
    }
  };

  for (const event of ['after_create', 'after_update'] as const) {
    callbacks.subscribe('floatingip', event, async ({ context, resource_id, latest, metadata }) => {
      if (metadata?.['association_event'] !== true || (latest as Resource)[ON_DISTRIBUTED] !== true) return;
      await ensure(context, OF_FLOATING_IP, resource_id);
    });
  }

  callbacks.subscribe('port', 'after_update', async ({ context, resource_id, original, latest }) => {
    const [before, after] = [original, latest] as [Resource, Resource];
    if (after[LED_TO] !== true || (after[DVR_INTERFACES] ?? null) === null) return;
    const names = ['binding:host_id', 'binding:profile'] as const;
    if (names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))) {
      await ensure(context, OF_PORT, resource_id);
    }
  });

  callbacks.subscribe('agent', 'after_create', async ({ context, latest }) => {
    const { agent_type, host } = latest as Resource;
    if (agent_type === 'L3 agent') await ensure(context, OF_HOST, String(host));
  });
  callbacks.subscribe('agent', 'before_delete', async ({ context, resource_id, original }) => {
    if ((original as Resource)['agent_type'] === 'L3 agent') await gateways.releaseAgent(context, resource_id);
  });

  callbacks.subscribe('router_gateway', 'after_delete', async ({ context, metadata, latest }) => {
    const network_id = metadata?.['network_id'];
    if ((latest as Resource)['distributed'] === true) await gateways.releaseNetwork(context, String(network_id));
  });
  callbacks.subscribe('router', 'after_update', async ({ context, original, latest }) => {
    const [before, after] = [original, latest] as [Resource, Resource];
    const gateway = before['external_gateway_info'] as { readonly network_id: string } | null | undefined;
    if (before['distributed'] !== true || after['distributed'] === true || !gateway) return;
    await gateways.releaseNetwork(context, gateway.network_id);
  });

  // What a race has left over must not hold the network back.
  callbacks.subscribe('network', 'precommit_delete', async ({ resource_id, original, tx, notify }) => {
    if (tx === undefined || (original as Resource | undefined)?.['router:external'] !== true) return;
    const hosts = await tx<{ host: string }[]>`
      with g as (
        select g.port_id, a.host from agent_gateway_ports g join agents a on a.id = g.agent_id
        where g.network_id = ${resource_id}),
      p as (delete from ports where id in (select port_id from g))
      select host from g order by host`;
    if (hosts.length > 0) {
      notify?.(
        externalNetworkLeft(
          resource_id,
          hosts.map(({ host }) => host),
        ),
      );
    }
  });
}
