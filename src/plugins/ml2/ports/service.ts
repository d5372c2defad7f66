/** The verbs of ports. */
import { listRows, reviseRow, showItem, showRow, showRows, violatedConstraint } from '#src/db/mod.ts';
import {
  type AddressOwner,
  allocate,
  type FixedIp,
  type FixedIpRequest,
  planChangedPort,
  planNewPort,
  release,
} from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { InvalidInput, NetworkNotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { randomMac } from '#src/lib/net/mod.ts';
import type { Call, Resource, Verb } from '#src/lib/plugin.ts';
import { changeBinding, isBound } from '../binding/mod.ts';
import { MacAddressInUse, NetworkMacAddressGenerationFailure, PortBound } from '../errors.ts';
import { type CreateWork, createLifecycle } from '../lifecycle.ts';
import { networkScope, portScope, subnetScope } from '../scope.ts';
import type { Ml2 } from '../state.ts';
import { changes, pick } from '../values.ts';
import { changeOfBinding, newBinding } from './binding_input.ts';
import { lastPortReading, portReading } from './reading.ts';
import {
  deletePort,
  existingSubnets,
  keepNetworkOf,
  MAC_ONCE,
  networkReader,
  orderFixedIps,
  PORT_COLUMNS,
  type PortNetwork,
  portInserter,
  takenMac,
} from './store.ts';

const CHANGEABLE = ['name', 'description', 'admin_state_up', 'mac_address', 'device_id', 'device_owner'];
/** Random MAC addresses to try before giving up. */
const MAC_TRIES = 16;

export function portVerbs(ml2: Ml2): Readonly<Record<string, Verb>> {
  const extensions = ml2.extensions.ports;
  const reading = portReading(extensions);
  const columns = { ...PORT_COLUMNS, ...extensions.columns };
  const insertPorts = portInserter(columns);
  const readNetworks = networkReader(ml2.extensions.networks, ml2.dhcp.columns);
  const baseMac = ml2.config.string('DEFAULT', 'base_mac');
  const lifecycle = createLifecycle(ml2, {
    kind: 'port',
    table: 'ports',
    reading: () => reading,
    lastReading: lastPortReading(reading),
    scope: portScope,
    // Who changes addresses reads the network's subnets, and so locks it: before the port, as they do who add a subnet.
    lockFirst: (tx, id, body) => (changesAddresses(body) ? keepNetworkOf(tx, id) : undefined),
  });

  const rowOf = (context: Context, draft: Draft, network: PortNetwork, mac_address: string) => {
    const { body } = draft;
    const complete = { ...body, mac_address };
    return {
      id: draft.id,
      project_id: String(body['project_id'] ?? context.project_id ?? ''),
      network_id: draft.network_id,
      name: body['name'] ?? '',
      description: body['description'] ?? '',
      mac_address,
      admin_state_up: body['admin_state_up'] ?? true,
      status: 'DOWN',
      device_id: body['device_id'] ?? '',
      device_owner: String(body['device_owner'] ?? ''),
      revision_number: 1,
      ...newBinding(body),
      ...extensions.create({ context, body: complete, network }),
    };
  };

  const create = (context: Context, bodies: readonly Resource[]) => {
    const drafts: readonly Draft[] = bodies.map((body) => ({
      id: newId<'port'>(),
      network_id: String(body['network_id']),
      body,
    }));
    const networkIds = [...new Set(drafts.map(({ network_id }) => network_id))];
    const named = drafts.flatMap(({ network_id, body }) =>
      typeof body['mac_address'] === 'string' ? [{ network_id, mac_address: body['mac_address'] }] : [],
    );
    const write: CreateWork['write'] = async (tx, notify) => {
      const networks = await readNetworks(tx, networkIds, networkScope(context));
      const ports = [];
      for (const draft of drafts) {
        const network = networks.get(draft.network_id);
        if (network === undefined) throw new NetworkNotFound(draft.network_id);
        const row = rowOf(context, draft, network, String(draft.body['mac_address'] ?? randomMac(baseMac)));
        const requested = draft.body['fixed_ips'] as readonly FixedIpRequest[] | undefined;
        const subnets = network.subnets;
        await refuseForeignSubnets(tx, context, draft.network_id, subnets, requested);
        const needs = planNewPort({ ...row, subnets }, requested);
        const waits_for_dhcp = ml2.dhcp.awaited(network, row.device_owner, needs);
        ports.push({ row: { ...row, waits_for_dhcp }, needs });
      }
      const wants = ports.flatMap(({ row, needs }) =>
        needs.map((need, position) => ({ port_id: row.id, network_id: row.network_id, position, need })),
      );
      const readBack = () =>
        showRows(
          tx,
          reading,
          drafts.map(({ id }) => id),
        );
      const written = ports.map(({ row }, index) => ({ id: row.id, body: drafts[index]?.body ?? {}, row }));
      const rows = ports.map(({ row }) => row);
      // Sent at once; the reading is true if nothing had to be written after it.
      const scheduled = new Set(rows.filter(ml2.dhcp.schedules).map(({ network_id }) => network_id));
      const [allocated, stored, read, served] = await Promise.all([
        allocate(tx, wants, (addresses) => insertPorts(tx, rows, addresses)),
        extensions.store(tx, context, written),
        readBack(),
        ml2.dhcp.serve(
          tx,
          [...networks.values()].map((network) => ({
            ...network,
            dhcp_wanted: network.dhcp_wanted && scheduled.has(network.id),
          })),
          notify,
        ),
      ]);
      const created = allocated && stored ? read : await readBack();
      ml2.dhcp.tellPorts(served, created, notify);
      return created;
    };
    return lifecycle.create(context, {
      requests: drafts,
      write,
      attempt: withOtherMacs(named, networkIds),
      complete: (created) =>
        ml2.binder.bindWritten(
          context,
          created.map((port) => ({ port })),
        ),
      undo: (context, id) => remove(context, { id, parents: {} }),
    });
  };

  /** Runs a transaction again while the MAC addresses that were made up for it are taken. */
  const withOtherMacs =
    (named: readonly NamedMac[], networkIds: readonly string[]) =>
    async <Result>(transaction: () => Promise<Result>): Promise<Result> => {
      refuseTwice(named);
      for (let tries = 1; ; tries++) {
        try {
          return await transaction();
        } catch (error) {
          if (violatedConstraint(error) !== MAC_ONCE) throw error;
          const taken = named.length === 0 ? undefined : await takenMac(ml2.db.sql, named);
          if (taken !== undefined) throw new MacAddressInUse(taken.network_id, taken.mac_address);
          if (tries === MAC_TRIES) throw new NetworkMacAddressGenerationFailure(networkIds.join(', '));
        }
      }
    };

  /** Addresses after an update; whether they change. */
  const changeAddresses = async (
    tx: Transaction,
    context: Context,
    original: Resource,
    body: Resource,
  ): Promise<boolean> => {
    const current = original['fixed_ips'] as readonly FixedIp[];
    const port = { ...original, ...body };
    const newMac = port['mac_address'] !== original['mac_address'];
    if (body['fixed_ips'] === undefined && !newMac) return false;
    const network_id = String(original['network_id']);
    const network = (await readNetworks(tx, [network_id])).get(network_id);
    const subnets = network?.subnets ?? [];
    const requested = body['fixed_ips'] as readonly FixedIpRequest[] | undefined;
    await refuseForeignSubnets(tx, context, network_id, subnets, requested);
    const owner: AddressOwner = {
      network_id,
      mac_address: String(port['mac_address']),
      device_owner: String(port['device_owner']),
      subnets,
    };
    const { kept, released, needs } = planChangedPort(owner, current, requested ?? current, newMac);
    const port_id = String(original['id']);
    const keeping = kept.map((fixed) => ({ kind: 'exact', ...fixed }) as const);
    if (network !== undefined && ml2.dhcp.awaited(network, owner.device_owner, [...keeping, ...needs])) {
      await ml2.statuses.block(tx, [{ port_id, entity: 'DHCP' }]);
    }
    if (released.length === 0 && needs.length === 0) return false;
    await release(tx, port_id, released);
    await orderFixedIps(tx, port_id, kept);
    const wants = needs.map((need, index) => ({ port_id, network_id, position: kept.length + index, need }));
    await allocate(tx, wants);
    return true;
  };

  const update = async (context: Context, call: Call): Promise<Resource> => {
    const mac = call.body?.['mac_address'];
    let before: Resource = {};
    try {
      const port = await lifecycle.update(context, call, async (tx, original, body) => {
        before = original;
        const id = String(original['id']);
        const asked = changes(original, {
          ...pick(body, CHANGEABLE),
          ...extensions.update({ context, body, original }),
        });
        checkMacChange(original, asked['mac_address']);
        const { input, rebound } = changeOfBinding(original, { ...original, ...asked }, body);
        const values = {
          ...asked,
          ...(givesCardBack(original, body) ? { mac_address: randomMac(baseMac) } : {}),
          ...(rebound ? { status: 'DOWN' } : {}),
        };
        const addressesChange = await changeAddresses(tx, context, original, {
          ...body,
          ...pick(values, ['mac_address']),
        });
        if (input !== undefined) await changeBinding(tx, id, input);
        await extensions.store(tx, context, [{ id, body, original }]);
        const stored = changes(original, pick(body, extensions.stored));
        const changed = input !== undefined || [values, stored].some((part) => Object.keys(part).length > 0);
        if (!changed && !addressesChange) return false;
        return { underway: reviseRow(tx, 'ports', id, columns, values) };
      });
      if (isBound(before) && !isBound(port)) await ml2.binder.released([String(port['network_id'])]);
      return (await ml2.binder.bindWritten(context, [{ port, original: before }]))[0] ?? port;
    } catch (error) {
      if (violatedConstraint(error) !== MAC_ONCE) throw error;
      const port = await showRow(ml2.db.sql, reading, String(call.id), ['network_id']);
      throw new MacAddressInUse(String(port?.['network_id']), String(mac));
    }
  };

  const remove = async (context: Context, call: Call): Promise<void> => {
    let before: Resource = {};
    await lifecycle.remove(context, call, async (tx, original, last) => {
      before = original;
      last(deletePort(tx, String(original['id'])));
    });
    if (isBound(before)) await ml2.binder.released([String(before['network_id'])]);
  };

  return {
    create_port: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_port_bulk: async (context, { bodies = [] }) => await create(context, bodies),

    async get_port(context, call) {
      const port = await showItem(ml2.db.sql, reading, call, portScope(context));
      if (port === undefined) throw reading.notFound(String(call.id));
      return port;
    },

    get_ports: async (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      await listRows(ml2.db.sql, reading, query, portScope(context)),

    update_port: update,
    delete_port: remove,
  };
}

const changesAddresses = (body: Resource | undefined): boolean =>
  body?.['fixed_ips'] !== undefined || body?.['mac_address'] !== undefined;

interface Draft {
  readonly id: string;
  readonly network_id: string;
  readonly body: Resource;
}

interface NamedMac {
  readonly network_id: string;
  readonly mac_address: string;
}

/** One request that names a MAC address twice on a network cannot succeed. */
function refuseTwice(named: readonly NamedMac[]): void {
  const seen = new Set<string>();
  for (const { network_id, mac_address } of named) {
    const key = `${network_id} ${mac_address.toLowerCase()}`;
    if (seen.has(key)) throw new MacAddressInUse(network_id, mac_address);
    seen.add(key);
  }
}

/** Subnets of other networks are named as such; those that the caller cannot see do not exist: the planning says so. */
async function refuseForeignSubnets(
  tx: Transaction,
  context: Context,
  network_id: string,
  subnets: AddressOwner['subnets'],
  requested: readonly FixedIpRequest[] | undefined,
): Promise<void> {
  const own = new Set(subnets.map(({ id }) => id));
  const others = (requested ?? []).flatMap(({ subnet_id }) =>
    subnet_id === undefined || own.has(subnet_id) ? [] : [subnet_id],
  );
  if (others.length === 0) return;
  const [foreign] = await existingSubnets(tx, others, subnetScope(context));
  if (foreign !== undefined) {
    throw new InvalidInput(
      `Failed to create port on network ${network_id}, because fixed_ips included invalid subnet ${foreign}`,
    );
  }
}

function checkMacChange(original: Resource, mac: unknown): void {
  if (mac !== undefined && isBound(original)) {
    const vifType = original['binding:vif_type'];
    throw new PortBound(String(original['id']), String(vifType), String(original['mac_address']), String(mac));
  }
}

/** Whether a port that was a whole card, and had the card's MAC address, is taken off its device. */
function givesCardBack(original: Resource, body: Resource): boolean {
  return (
    original['binding:vnic_type'] === 'direct-physical' &&
    body['device_id'] === '' &&
    body['device_owner'] === '' &&
    original['device_id'] !== ''
  );
}
