/**
 * The verbs of topologies (neutron.services.auto_allocate): what a project asks for it has, and is given if it has not: a network
 * with a subnet of each default subnet pool, and a router from there to the default external network.
 *
 * All of it is one transaction, with the row that says whose it is. Of two who ask at once the second waits at that row's key,
 * gives up what it has made, and answers what the first has made. Taking it back is one transaction, too: what is refused (a
 * server is still on the network) changes nothing.
 */
import { defaultPool } from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { BadRequest, NeutronError, NotAuthorized } from '#src/lib/errors.ts';
import type { IpVersion } from '#src/lib/net/mod.ts';
import type { Call, Plugin, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { AutoAllocationFailure } from './errors.ts';
import { claim, defaultExternalNetwork, lockTopology, noteRouter, type Topology, topologyOf } from './store.ts';

type Verbs = Readonly<Record<string, Verb>>;

const DRY_RUN = 'dry-run';
/** What clients that know no project put in the place of its id. */
const CALLERS_OWN: ReadonlySet<string> = new Set(['None', 'null']);
const LONGEST_PROJECT = 255;
/** Somebody may take a topology back between our giving way to it and our reading it. */
const TRIES = 4;
/** Errors by which Neutron's own steps say that what they stand on is missing. */
const UNMET: ReadonlySet<number> = new Set([400, 404]);

interface Requirements {
  readonly external: string;
  readonly pools: readonly { readonly id: string; readonly ip_version: IpVersion }[];
}

/** Somebody else has given the project a topology. */
class Outrun extends Error {}

export function topologyVerbs({ db, plugins, log }: PluginHost): Verbs {
  const together: NonNullable<Plugin['together']> = (options, work) => {
    const router = plugins.get('L3_ROUTER_NAT');
    if (router?.together === undefined) {
      throw new Error('topologies need a router plugin that has joint transactions');
    }
    return router.together(options, work);
  };

  const requirements = async (context: Context): Promise<Requirements> => {
    const external = await defaultExternalNetwork(db.sql);
    if (external === undefined) throw new AutoAllocationFailure('No default router:external network');
    const versions = [4, 6] as const;
    const found = await Promise.all(versions.map((version) => defaultPool(db.sql, context, version)));
    const pools = versions.flatMap((ip_version, at) => {
      const id = found[at];
      return id === undefined ? [] : [{ id, ip_version }];
    });
    if (pools.length === 0) throw new AutoAllocationFailure('No default subnetpools defined');
    return { external, pools };
  };

  /** What a step throws because something is missing is the deployment's failure; the log says which. */
  const step = async <Result>(what: string, project_id: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NeutronError)) throw error;
      if (!UNMET.has(error.status) && error.type !== 'SubnetAllocationError') throw error;
      log.warn('a topology cannot be allocated', { project_id, what, error });
      throw new AutoAllocationFailure(`Unable to provide ${what}`);
    }
  };

  const build = (context: Context, project_id: string, { external, pools }: Requirements): Promise<Topology> =>
    together({ label: 'auto_allocate', undo: () => takeBack(context, project_id) }, async (tx, verbs) => {
      const { network_id, subnets } = await step('project private network', project_id, async () => {
        const body = { name: 'auto_allocated_network', project_id, admin_state_up: true, shared: false };
        const network_id = String((await made(verbs, context, 'create_network', body))['id']);
        if (!(await claim(tx, project_id, network_id))) throw new Outrun();
        const subnets: string[] = [];
        for (const { id, ip_version } of pools) {
          const subnet = { name: `auto_allocated_subnet_v${ip_version}`, ip_version, subnetpool_id: id };
          const { id: subnet_id } = await made(verbs, context, 'create_subnet', { ...subnet, project_id, network_id });
          subnets.push(String(subnet_id));
        }
        return { network_id, subnets };
      });
      const router_id = await step('external connectivity', project_id, async () => {
        const external_gateway_info = { network_id: external };
        const body = { name: 'auto_allocated_router', project_id, admin_state_up: true, external_gateway_info };
        const router_id = String((await made(verbs, context, 'create_router', body))['id']);
        for (const subnet_id of subnets) {
          await verbs['add_router_interface']?.(context, { id: router_id, parents: {}, body: { subnet_id } });
        }
        return router_id;
      });
      await noteRouter(tx, project_id, router_id);
      return { network_id, router_id };
    });

  const given = async (context: Context, project: string): Promise<Topology> => {
    for (let tries = 1; ; tries++) {
      const present = await topologyOf(db.sql, project);
      if (present !== undefined) return present;
      try {
        return await build(context, project, await requirements(context));
      } catch (error) {
        if (!(error instanceof Outrun) || tries === TRIES) throw error;
      }
    }
  };

  const takeBack = (context: Context, project: string): Promise<void> =>
    together({ label: 'delete_auto_allocated_topology' }, async (tx, verbs) => {
      const topology = await lockTopology(tx, project);
      if (topology === undefined) return;
      const { network_id, router_id, attached } = topology;
      if (router_id !== null) {
        const call = { id: router_id, parents: {} };
        for (const subnet_id of attached) {
          await verbs['remove_router_interface']?.(context, { ...call, body: { subnet_id } });
        }
        await verbs['delete_router']?.(context, call);
      }
      // The row goes with the network.
      await verbs['delete_network']?.(context, { id: network_id, parents: {} });
    });

  return {
    async get_auto_allocated_topology(context, call) {
      const project = projectOf(context, call);
      const fields = call.fields ?? [];
      if (fields.length === 0) return answer((await given(context, project)).network_id, project);
      if (!fields.includes(DRY_RUN)) throw new BadRequest('auto_allocate', 'Unrecognized field');
      await requirements(context);
      return answer('dry-run=pass', project);
    },

    delete_auto_allocated_topology: (context, call) => takeBack(context, projectOf(context, call)),
  };
}

async function made(verbs: Verbs, context: Context, verb: string, body: Resource): Promise<Resource> {
  return (await verbs[verb]?.(context, { parents: {}, body })) as Resource;
}

/** Whose topology is asked about: the caller's own, or for administrators anybody's. */
function projectOf(context: Context, { id = '' }: Call): string {
  const project = CALLERS_OWN.has(id) ? (context.project_id ?? '') : id;
  if (!context.is_admin && project !== context.project_id) throw new NotAuthorized();
  if (project === '' || project.length > LONGEST_PROJECT) {
    throw new BadRequest('auto_allocate', "a topology is a project's: name its id");
  }
  return project;
}

const answer = (id: string, project_id: string) => ({
  auto_allocated_topology: { id, tenant_id: project_id, project_id },
});
