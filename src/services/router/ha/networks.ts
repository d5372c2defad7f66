/**
 * The network of a project on which its highly available routers hear of each other, and the virtual router ids that they have
 * there. It comes with the first of them and goes with the last (neutron.db.l3_hamode_db).
 *
 * Who makes a router keeps the project's row of `ha_networks` (key share); who deletes one holds it against others that delete
 * (no key update), and where it may have been the last, against those that create (update): each sees what the other did. Two that
 * make the first router of a project at once meet at an advisory lock, before either has made a network.
 */
import { elevated } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { SchedulingWork } from '../agents/mod.ts';
import type { RouterHost } from '../host.ts';
import { NoVRIDAvailable } from './errors.ts';
import type { HaSettings } from './settings.ts';

/** VRRP knows 255; Neutron gives out as many. */
const IDS = 254;

/** Work in a transaction that networks can be made in. */
export type NetworkWork = SchedulingWork & Required<Pick<SchedulingWork, 'verbs'>>;

/** A router by what matters here. */
export interface HaRouter {
  readonly id: string;
  readonly project_id: string;
}

export interface HaNetworks {
  /** Gives the router a virtual router id on its project's network, which is made if need be. One that has an id keeps it. */
  enter(work: NetworkWork, router: HaRouter): Promise<void>;
  /** Takes the id back, and the network if nobody is left there; the router's ports are gone. */
  leave(work: NetworkWork, router: HaRouter): Promise<void>;
}

interface Taken {
  /** Null: the project has none. */
  readonly network_id: string | null;
  readonly has_subnet: boolean;
  /** Whether the router has an id now. */
  readonly entered: boolean;
  /** Whether there is none left. */
  readonly full: boolean;
}

/** Takes an id by chance: others who choose at the same time seldom choose the same. */
async function takeId(tx: Transaction, { id, project_id }: HaRouter): Promise<Taken> {
  const [taken] = await tx<Taken[]>`
    with home as materialized (
      select network_id from ha_networks where project_id = ${project_id} for key share),
    free as (
      select v.vr_id from home, generate_series(1, ${IDS}::int) as v (vr_id)
      where not exists (select 1 from router_vr_ids o where o.network_id = home.network_id and o.vr_id = v.vr_id)),
    known as (select 1 from router_vr_ids where router_id = ${id}),
    given as (
      insert into router_vr_ids (network_id, vr_id, router_id)
      select home.network_id, free.vr_id, ${id} from home, free
      where not exists (select 1 from known) order by random() limit 1
      on conflict (network_id, vr_id) do nothing returning vr_id)
    select (select network_id from home) as network_id,
      exists (select 1 from home join subnets s on s.network_id = home.network_id) as has_subnet,
      exists (select 1 from known) or exists (select 1 from given) as entered,
      not exists (select 1 from free) as full`;
  return taken!;
}

async function hold(tx: Transaction, { project_id }: HaRouter, mode: 'no key update' | 'update'): Promise<void> {
  await tx.unsafe(`select 1 from ha_networks where project_id = $1 for ${mode}`, [project_id], { prepare: true });
}

async function giveIdBack(tx: Transaction, { id }: HaRouter): Promise<void> {
  await tx`delete from router_vr_ids where router_id = ${id}`;
}

/** The project's network, if nobody is left there: neither a router nor a port. */
async function emptyNetwork(tx: Transaction, { project_id }: HaRouter): Promise<string | undefined> {
  const [found] = await tx<{ network_id: string }[]>`
    select h.network_id from ha_networks h
    where h.project_id = ${project_id}
      and not exists (select 1 from router_vr_ids v where v.network_id = h.network_id)
      and not exists (select 1 from ports p where p.network_id = h.network_id)`;
  return found?.network_id;
}

export function haNetworks({ acting }: Pick<RouterHost, 'acting'>, settings: HaSettings): HaNetworks {
  const makeSubnet = async ({ context, verbs }: NetworkWork, project_id: string, network_id: string) => {
    const body = { project_id: '', network_id, name: `HA subnet project ${project_id}`, ip_version: 4 };
    await verbs['create_subnet']?.(acting.as(context), {
      parents: {},
      body: { ...body, cidr: settings.cidr, enable_dhcp: false, gateway_ip: null },
    });
  };

  const makeNetwork = async (work: NetworkWork, project_id: string): Promise<void> => {
    const { context, verbs } = work;
    const body = { project_id: '', name: `HA network project ${project_id}`, admin_state_up: true, shared: false };
    // `ha` makes it that of the caller's project.
    const caller = { ...elevated(context), project_id };
    const network = (await verbs['create_network']?.(caller, {
      parents: {},
      body: { ...body, ha: true, ...settings.provider },
    })) as Resource;
    await makeSubnet(work, project_id, String(network['id']));
  };

  return {
    async enter(work, router) {
      const { tx } = work;
      const { id, project_id } = router;
      let holds = false;
      for (;;) {
        const { network_id, has_subnet, entered, full } = await takeId(tx, router);
        // A network without a subnet is one that the project has made itself.
        const complete = network_id !== null && has_subnet;
        if (complete && entered) return;
        if (complete && full) throw new NoVRIDAvailable(id);
        if (complete) continue;
        if (!holds) {
          await tx`select pg_advisory_xact_lock(hashtextextended(${`ha_networks ${project_id}`}, 0))`;
          holds = true;
        } else if (network_id === null) await makeNetwork(work, project_id);
        else await makeSubnet(work, project_id, network_id);
      }
    },

    async leave({ tx, context, verbs }, router) {
      // Sent at once, in this order: the reading sees what the lock has waited for.
      const [, , network] = await Promise.all([
        hold(tx, router, 'no key update'),
        giveIdBack(tx, router),
        emptyNetwork(tx, router),
      ]);
      if (network === undefined) return;
      const [, still] = await Promise.all([hold(tx, router, 'update'), emptyNetwork(tx, router)]);
      if (still !== undefined) await verbs['delete_network']?.(acting.as(context), { id: still, parents: {} });
    },
  };
}
