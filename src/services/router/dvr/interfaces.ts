/**
 * Distributed routers come to hosts, and leave them, with interfaces, gateways, SNAT and floating IPs as well as with ports; and
 * so do their neighbours, which are on a network with them (neutron.db.l3_dvr_db, `_cleanup_after_interface_removal`). Hosts that a
 * router itself comes to hear of it with its other news: agents of Neutron's are given neighbours along with the router that they
 * ask for, here they are told of each.
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { RouterAgentsChange } from '../agents/mod.ts';
import type { RouterHost } from '../host.ts';
import { GATEWAY, INTERFACE_OWNERS, type RouterPort } from '../routers/store.ts';
import { connectedTo, DISTRIBUTED, hostsOf, ON_DISTRIBUTED } from './hosts.ts';
import { mayHaveCome, mayHaveLeft } from './whereabouts.ts';

/** A port of a router that has come or is going. */
interface Link {
  readonly network_id: string;
  /** The subnets that an interface has brought; of a gateway none. */
  readonly subnet_ids: readonly string[];
  readonly is_interface: boolean;
}

interface Around {
  readonly neighbours: readonly string[];
  /** Hosts that have the router by itself, or have ports of the links' subnets. */
  readonly own: readonly string[];
  /** Hosts that have neighbours by themselves. */
  readonly theirs: readonly string[];
}

/** Selects (host) of the routers that a select of (router_id) finds, by interfaces and SNAT of their own. */
const hostsBy = (routers: string, dhcp: boolean): string => `
  select h.host from (${routers}) r
  join router_ports i on i.router_id = r.router_id and i.port_type = '${DISTRIBUTED}'
  join ip_allocations s on s.port_id = i.port_id
  cross join lateral (${hostsOf('a.subnet_id = s.subnet_id', dhcp)}) h
  union
  select t.host from (${routers}) r join router_l3_agents k on k.router_id = r.router_id join agents t on t.id = k.agent_id`;

/** The router's neighbours, and those that were so by the links, and who has which: all may have been at all of the hosts. */
async function around(tx: Transaction, id: string, links: readonly Link[], dhcp: boolean): Promise<Around> {
  const [found] = await tx.unsafe<Around[]>(
    `with l as (select * from json_to_recordset($2::json) as l (network_id uuid, is_interface boolean)),
     g as materialized (
       select through as router_id from (${connectedTo('array[$1::uuid]')}) c
       union
       select x.router_id from l
       cross join lateral (
         select q.id from ports q where q.network_id = l.network_id
           and q.device_owner = any(case when l.is_interface
             then array['${DISTRIBUTED}', '${GATEWAY}'] else array['${DISTRIBUTED}'] end) offset 0) q
       cross join lateral (select router_id from router_ports where port_id = q.id limit 1) x
       cross join lateral (select distributed from routers where id = x.router_id limit 1) y
       where y.distributed and x.router_id <> $1::uuid),
     own as (${hostsOf('a.subnet_id = any($3::uuid[])', dhcp)} union ${hostsBy('select $1::uuid as router_id', dhcp)}),
     theirs as (${hostsBy('select router_id from g', dhcp)})
     select coalesce((select json_agg(router_id order by router_id) from g), '[]') as neighbours,
       coalesce((select json_agg(host order by host) from own), '[]') as own,
       coalesce((select json_agg(host order by host) from theirs), '[]') as theirs`,
    [id, links as never, links.flatMap(({ subnet_ids }) => subnet_ids)],
    { prepare: true },
  );
  return found!;
}

type Told = { readonly tx: Transaction; readonly notify: NonNullable<CallbackPayload['notify']> };

/** Links of the router have come. */
export async function linksHaveCome(
  { tx, notify }: Told,
  id: string,
  links: readonly Link[],
  dhcp: boolean,
): Promise<void> {
  const { neighbours, own } = await around(tx, id, links, dhcp);
  notify(...mayHaveCome(neighbours, own));
}

/** Links of the router are going, or have gone. */
export async function linksHaveGone(
  { tx, notify }: Told,
  id: string,
  links: readonly Link[],
  dhcp: boolean,
): Promise<void> {
  const { neighbours, own, theirs } = await around(tx, id, links, dhcp);
  notify(...mayHaveLeft([id], [...new Set([...own, ...theirs])]), ...mayHaveLeft(neighbours, own));
}

/** The links that a router's ports are. */
export const linksOf = (ports: readonly RouterPort[]): readonly Link[] =>
  ports
    .filter(({ port_type }) => port_type === GATEWAY || INTERFACE_OWNERS.includes(port_type))
    .map(({ network_id, port_type, fixed_ips }) => ({
      network_id,
      is_interface: port_type !== GATEWAY,
      subnet_ids: port_type === GATEWAY ? [] : fixed_ips.map(({ subnet_id }) => subnet_id),
    }));

const isDistributed = (router: unknown): boolean => (router as Resource | undefined)?.['distributed'] === true;

function toldBy({ tx, notify }: CallbackPayload): Told | undefined {
  return tx === undefined || notify === undefined ? undefined : { tx, notify };
}

/** Subscribes to what takes distributed routers to hosts and away from them, beside ports. */
export function followLinks({ callbacks, config }: RouterHost): void {
  const dhcp = config.boolean('DEFAULT', 'host_dvr_for_dhcp');

  for (const [event, tell] of [
    ['precommit_create', linksHaveCome],
    ['precommit_delete', linksHaveGone],
  ] as const) {
    callbacks.subscribe('router_interface', event, async (payload) => {
      const told = toldBy(payload);
      if (told === undefined || !isDistributed(payload.latest)) return;
      const { port, subnets } = payload.metadata as unknown as {
        readonly port: { readonly network_id: string };
        readonly subnets: readonly { readonly id: string }[];
      };
      const subnet_ids = subnets.map(({ id }) => id);
      await tell(told, payload.resource_id, [{ network_id: port.network_id, is_interface: true, subnet_ids }], dhcp);
    });

    callbacks.subscribe('router_gateway', event, async (payload) => {
      const told = toldBy(payload);
      if (told === undefined || !isDistributed(payload.latest ?? payload.original)) return;
      const { network_id } = payload.metadata as unknown as { readonly network_id: string };
      await tell(told, payload.resource_id, [{ network_id, is_interface: false, subnet_ids: [] }], dhcp);
    });
  }

  for (const [event, tell] of [
    ['precommit_create', mayHaveCome],
    ['precommit_delete', mayHaveLeft],
  ] as const) {
    callbacks.subscribe('router_agents', event, async (payload) => {
      const told = toldBy(payload);
      const { agents, distributed } = payload.metadata as unknown as RouterAgentsChange;
      if (told === undefined || !distributed) return;
      const found = await told.tx.unsafe<{ through: string }[]>(
        `select distinct through from (${connectedTo('$1::uuid[]')}) c order by 1`,
        [[payload.resource_id]],
        { prepare: true },
      );
      told.notify(
        ...tell(
          found.map(({ through }) => through),
          agents.map(({ host }) => host),
        ),
      );
    });
  }

  const floatingIpGone = async ({ tx, notify, original, latest }: CallbackPayload): Promise<void> => {
    const before = (original ?? {}) as Resource;
    const { port_id, router_id } = before;
    if (tx === undefined || notify === undefined || before[ON_DISTRIBUTED] !== true) return;
    if ((latest as Resource | undefined)?.['port_id'] === port_id) return;
    const found = await tx<{ host: string }[]>`
      select host from port_bindings where port_id = ${String(port_id)} and host <> '' order by host`;
    notify(
      ...mayHaveLeft(
        [String(router_id)],
        found.map(({ host }) => host),
      ),
    );
  };
  callbacks.subscribe('floatingip', 'precommit_update', floatingIpGone);
  callbacks.subscribe('floatingip', 'precommit_delete', floatingIpGone);
}
