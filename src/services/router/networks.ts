/**
 * External networks, whose gateways and floating IPs are ports of nobody's: who relies on a network says the router or the floating
 * IP, and a network goes only with those of its floating IPs that lead nowhere (neutron.db.external_net_db).
 */
import { refuseWhileUsed } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { deleteIdle } from './floatingips/store.ts';
import type { RouterHost } from './host.ts';
import { GATEWAY } from './routers/store.ts';

const SHARES = { table: 'network_rbacs', column: 'network_id', objects: 'networks' } as const;

/** Projects that have gateways or floating IPs on the network, whose id is `$1`. */
const USERS = `
  select r.project_id from router_ports o join ports p on p.id = o.port_id join routers r on r.id = o.router_id
  where o.port_type = '${GATEWAY}' and p.network_id = $1::uuid
  union all
  select f.project_id from floatingips f where f.floating_network_id = $1::uuid`;

/** The gateway ports of a network that have no address of the IP version, with what their routers show of them. */
const LACKING = `
  select r.id, coalesce((select json_agg(json_build_object('subnet_id', a.subnet_id, 'ip_address', host(a.ip_address))
    order by a.position) from ip_allocations a where a.port_id = p.id), '[]') as fixed_ips, p.id as port_id
  from router_ports o join routers r on r.id = o.router_id join ports p on p.id = o.port_id
  where o.port_type = '${GATEWAY}' and p.network_id = $1::uuid and not exists (
    select 1 from ip_allocations a where a.port_id = p.id and family(a.ip_address) = $2::int)
  order by r.id, p.id`;

/** Subscribes to the life of networks, of their shares and of their subnets. */
export function followNetworks(host: RouterHost): void {
  const { callbacks, quota } = host;

  callbacks.subscribe('network', 'precommit_delete', async ({ resource_id, original, tx }) => {
    if (tx === undefined || (original as Resource | undefined)?.['router:external'] !== true) return;
    for (const { project_id, count } of await deleteIdle(tx, resource_id)) {
      await quota.charge(tx, project_id, { floatingip: -count });
    }
  });

  for (const event of ['precommit_update', 'precommit_delete'] as const) {
    callbacks.subscribe('rbac-policy', event, async ({ original, latest, tx }) => {
      const share = (original ?? {}) as Resource;
      if (tx === undefined || share['object_type'] !== 'network' || share['action'] !== 'access_as_external') return;
      if ((latest as Resource | undefined)?.['target_tenant'] === share['target_tenant']) return;
      const [object_id, action, target_project] = [share['object_id'], share['action'], share['target_tenant']].map(
        String,
      ) as [string, string, string];
      await refuseWhileUsed(tx, SHARES, { object_id, action, target_project }, USERS);
    });
  }

  callbacks.subscribe('subnet', 'after_create', async ({ context, latest }) => {
    const subnet = latest as Resource;
    if (subnet['router:external'] === true) await addressGateways(host, context, subnet);
  });
}

/** Gateways get an address of an IP version with the first subnet of it. */
async function addressGateways(
  { db, together, acting, log }: RouterHost,
  context: Context,
  subnet: Resource,
): Promise<void> {
  const types = subnet['service_types'] as readonly string[];
  if (subnet['ip_version'] === 4 && types.length > 0 && !types.includes(GATEWAY)) return;
  const lacking = await db.sql.unsafe<{ id: string; port_id: string; fixed_ips: readonly object[] }[]>(
    LACKING,
    [String(subnet['network_id']), Number(subnet['ip_version'])],
    { prepare: true },
  );
  for (const { id, port_id, fixed_ips } of lacking) {
    try {
      await together({ label: 'address_gateway' }, async (tx, verbs) => {
        await tx`select 1 from routers where id = ${id} for no key update`;
        await verbs['update_port']?.(acting.as(context), {
          ...{ id: port_id, parents: {} },
          body: { fixed_ips: [...fixed_ips, { subnet_id: subnet['id'] }] },
        });
      });
    } catch (error) {
      // It has gone, or the subnet is full already: the subnet stands all the same.
      const expected = error instanceof NeutronError;
      log[expected ? 'info' : 'error']('a gateway has no address in a new subnet', { router_id: id, error });
    }
  }
}
