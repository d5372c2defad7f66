/** The verbs of subnets; making them is in `create.ts`. */
import { bumpRevisions, listRows, reviseRow, showItem } from '#src/db/mod.ts';
import {
  type AllocationPool,
  checkGateway,
  checkGatewayOutsidePools,
  checkPools,
  hasAutomaticAddresses,
  storedCidr,
} from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Call, Resource, Verb } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { GatewayIpInUse, SubnetInUse } from '../errors.ts';
import { createLifecycle } from '../lifecycle.ts';
import { subnetScope } from '../scope.ts';
import type { Ml2 } from '../state.ts';
import { changes, pick } from '../values.ts';
import { subnetCreator } from './create.ts';
import { type PortChange, portAddresses } from './port_addresses.ts';
import { subnetReading } from './reading.ts';
import { checkDhcp, checkIpv6Modes, checkLists } from './rules.ts';
import { deleteSubnet, isInUse, lockNetworkOf, routerPortAt, SUBNET_COLUMNS, type SubnetRow } from './store.ts';

const CHANGEABLE = ['name', 'description', 'enable_dhcp', 'dns_nameservers', 'host_routes', 'service_types'];

export function subnetVerbs(ml2: Ml2): Readonly<Record<string, Verb>> {
  const extensions = ml2.extensions.subnets;
  const reading = subnetReading(extensions);
  const columns = { ...SUBNET_COLUMNS, ...extensions.columns };
  const limits = {
    max_dns_nameservers: ml2.config.integer('DEFAULT', 'max_dns_nameservers'),
    max_subnet_host_routes: ml2.config.integer('DEFAULT', 'max_subnet_host_routes'),
  };
  const lifecycle = createLifecycle(ml2, {
    kind: 'subnet',
    table: 'subnets',
    reading,
    scope: subnetScope,
    lockFirst: lockNetworkOf,
  });

  const addresses = portAddresses(ml2);

  const remove = async (context: Context, call: Call): Promise<void> => {
    let changes: readonly PortChange[] = [];
    await lifecycle.remove(context, call, async (tx, original) => {
      const subnet = original as unknown as SubnetRow;
      if (await isInUse(tx, subnet.id, hasAutomaticAddresses(subnet))) throw new SubnetInUse(subnet.id);
      const [released] = await Promise.all([
        deleteSubnet(tx, subnet.id),
        bumpRevisions(tx, 'networks', [subnet.network_id]),
      ]);
      const messages: Notification[] = [];
      await bumpRevisions(tx, 'ports', [...new Set(released.map(({ port_id }) => port_id))]);
      changes = await addresses.removed(tx, context, released, (...more) => void messages.push(...more));
      // COMMIT goes out behind it; if it fails, so does the transaction.
      ml2.outbox.add(tx, context, messages).catch(() => {});
    });
    await addresses.published(context, changes);
  };

  const undo = (context: Context, id: string) => remove(context, { id, parents: {} });
  const create = subnetCreator({ ml2, lifecycle, limits, reading, undo });

  /** Gateway and pools after an update, checked against each other and against routers that use the gateway. */
  const newAddresses = async (tx: Transaction, original: Resource, body: Resource): Promise<Resource> => {
    const cidr = storedCidr(String(original['cidr']));
    const changed = pick(body, ['gateway_ip', 'allocation_pools']);
    const gateway = ('gateway_ip' in changed ? changed : original)['gateway_ip'] as string | null;
    const pools = ({ ...original, ...changed }['allocation_pools'] ?? []) as readonly AllocationPool[];
    if ('allocation_pools' in changed) checkPools(cidr, pools);
    if ('gateway_ip' in changed && gateway !== original['gateway_ip']) {
      if (gateway !== null) checkGateway(cidr, gateway);
      const before = original['gateway_ip'];
      const user =
        typeof before === 'string'
          ? await routerPortAt(tx, { subnet_id: String(original['id']), ip_address: before })
          : undefined;
      if (user !== undefined) throw new GatewayIpInUse(String(before), user);
    }
    if (gateway !== null && Object.keys(changed).length > 0) checkGatewayOutsidePools(gateway, pools);
    return changed;
  };

  return {
    create_subnet: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_subnet_bulk: async (context, { bodies = [] }) => await create(context, bodies),

    async get_subnet(context, call) {
      const subnet = await showItem(ml2.db.sql, reading(context), call, subnetScope(context));
      if (subnet === undefined) throw reading(context).notFound(String(call.id));
      return subnet;
    },

    get_subnets: async (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      await listRows(ml2.db.sql, reading(context), query, subnetScope(context)),

    update_subnet: async (context, call) =>
      await lifecycle.update(context, call, async (tx, original, body) => {
        const subnet = { ...original, ...body } as unknown as SubnetRow;
        const cidr = storedCidr(subnet.cidr);
        if (body['enable_dhcp'] !== undefined) {
          if (original['enable_dhcp'] !== true) checkDhcp(cidr, subnet.enable_dhcp);
          checkIpv6Modes(subnet);
        }
        checkLists({ ...original, ...body }, limits);
        const values = changes(original, {
          ...pick(body, CHANGEABLE),
          ...(await newAddresses(tx, original, body)),
          ...extensions.update({ context, body, original }),
        });
        await extensions.store(tx, context, [{ id: subnet.id, body, original }]);
        if (Object.keys(values).length === 0) return false;
        const revised = reviseRow(tx, 'subnets', subnet.id, columns, values);
        return { underway: Promise.all([revised, bumpRevisions(tx, 'networks', [subnet.network_id])]) };
      }),

    delete_subnet: remove,
  };
}
