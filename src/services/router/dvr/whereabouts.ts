/**
 * How hosts hear of distributed routers that come and go. Where a router is follows from where ports are, which others change at
 * the same time: so a transaction says which routers may have come to which hosts, or left them, and whether they have is asked
 * when the message is sent. Of two that take the last two ports of a host away, whichever is last finds the router gone.
 */
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { Audience, MessageNotification, Notification } from '#src/lib/rpc.ts';
import { routerRemoved, routerUpdated } from '../notifications/mod.ts';
import { connectedTo, DISTRIBUTED, IS_DISTRIBUTED, served } from './hosts.ts';

/** A router and a host, as one of an audience's ids: ids of routers have no slash. */
const placeId = (router_id: string, host: string): string => `${router_id}/${host}`;

const told = (
  message: MessageNotification,
  audience: 'dvr_on' | 'dvr_off',
  places: readonly string[],
): Notification => ({
  ...message,
  to: { audience, of: places },
});

/** The routers may have come to the hosts, or lead to more there. */
export const mayHaveCome = (routers: readonly string[], hosts: readonly string[]): readonly Notification[] =>
  hosts.length === 0
    ? []
    : routers.map((id) =>
        told(
          routerUpdated(id),
          'dvr_on',
          hosts.map((host) => placeId(id, host)),
        ),
      );

/** The routers may have left the hosts. */
export const mayHaveLeft = (routers: readonly string[], hosts: readonly string[]): readonly Notification[] =>
  hosts.length === 0
    ? []
    : routers.map((id) =>
        told(
          routerRemoved(id, ''),
          'dvr_off',
          hosts.map((host) => placeId(id, host)),
        ),
      );

/**
 * Selects the places (`$1` routers, `$2` hosts) that have an L3 agent, and whether they have the router: it is scheduled there, or is
 * there as a distributed one. Asked from the host, whose ports are few: those of the router may be very many. The limits and offsets keep
 * PostgreSQL to the way by indexes.
 */
const placesText = (dhcp: boolean): string => `
  with g as (select distinct router_id, host from unnest($1::uuid[], $2::text[]) as g (router_id, host)),
  d as (
    select r.id as router_id, r.id as through from routers r where r.distributed and r.id = any($1::uuid[])
    union ${connectedTo('$1::uuid[]')}),
  w as materialized (
    select d.router_id, array_agg(distinct s.subnet_id) as subnets
    from d join router_ports i on i.router_id = d.through and i.port_type = '${DISTRIBUTED}'
    join ip_allocations s on s.port_id = i.port_id group by d.router_id)
  select g.router_id, g.host, exists (
    select 1 from router_l3_agents k join agents t on t.id = k.agent_id where k.router_id = g.router_id and t.host = g.host
    offset 0)
  or exists (select 1 from agents l where l.host = g.host and ${IS_DISTRIBUTED} offset 0) and (
    exists (
      select 1 from port_bindings b
      cross join lateral (select id, device_owner from ports where id = b.port_id limit 1) p
      where (b.host = g.host or b.profile->>'migrating_to' = g.host) and ${served(dhcp)} and exists (
        select 1 from ip_allocations a
        where a.port_id = p.id and a.subnet_id = any((select w.subnets from w where w.router_id = g.router_id)::uuid[])))
    or exists (
      select 1 from d join router_l3_agents k on k.router_id = d.through join agents t on t.id = k.agent_id
      where d.router_id = g.router_id and t.host = g.host offset 0)) as present
  from g where exists (select 1 from agents t where t.host = g.host and t.agent_type = 'L3 agent' offset 0)`;

interface Place {
  readonly router_id: string;
  readonly host: string;
  readonly present: boolean;
}

/** The audiences of those messages: of places, the hosts that have their router, and those that do not. */
export function whereabouts(dhcp: boolean): PluginPart {
  const text = placesText(dhcp);
  const ofThose =
    (has: boolean): Audience =>
    async (sql, ids) => {
      const places = ids.map((id) => [id.slice(0, id.indexOf('/')), id.slice(id.indexOf('/') + 1)] as const);
      const found = await sql.unsafe<(Place & Record<string, unknown>)[]>(
        text,
        [places.map(([router_id]) => router_id), places.map(([, host]) => host)],
        { prepare: true },
      );
      return new Map(
        found
          .filter(({ present }) => present === has)
          .map(({ router_id, host }) => [placeId(router_id, host), [host]] as const),
      );
    };
  return { audiences: { dvr_on: ofThose(true), dvr_off: ofThose(false) } };
}
