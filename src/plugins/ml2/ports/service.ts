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
import type { Resource, Verb } from '#src/lib/plugin.ts';
import { isBound } from '../binding.ts';
import { MacAddressInUse, NetworkMacAddressGenerationFailure, PortBound } from '../errors.ts';
import { createLifecycle } from '../lifecycle.ts';
import { isOnNoHost, portNotifications } from '../notifier.ts';
import { networkScope, portScope, subnetScope } from '../scope.ts';
import type { Ml2 } from '../state.ts';
import { changes, pick } from '../values.ts';
import { portReading } from './reading.ts';
import {
  changeBinding,
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
const BINDING = {
  'binding:host_id': { column: 'host', empty: '' },
  'binding:vnic_type': { column: 'vnic_type', empty: 'normal' },
  'binding:profile': { column: 'profile', empty: {} },
} as const;
const LONGEST_PROFILE = 4095;
/** Random MAC addresses to try before giving up. */
const MAC_TRIES = 16;

export function portVerbs(ml2: Ml2): Readonly<Record<string, Verb>> {
  const extensions = ml2.extensions.ports;
  const reading = portReading(extensions);
  const columns = { ...PORT_COLUMNS, ...extensions.columns };
  const insertPorts = portInserter(columns);
  const readNetworks = networkReader(ml2.extensions.networks);
  const baseMac = ml2.config.string('DEFAULT', 'base_mac');
  const lifecycle = createLifecycle(ml2, {
    kind: 'port',
    table: 'ports',
    reading: () => reading,
    scope: portScope,
    // Who changes addresses reads the network's subnets, and so locks it: before the port, as they do who add a subnet.
    lockFirst: (tx, id, body) => (changesAddresses(body) ? keepNetworkOf(tx, id) : undefined),
    notifications: portNotifications(extensions.notifies),
    silent: isOnNoHost,
  });

  const rowOf = (context: Context, draft: Draft, network: PortNetwork, mac_address: string) => {
    const { body } = draft;
    const complete = { ...body, mac_address };
    checkProfile(body['binding:profile']);
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
      host: body['binding:host_id'] ?? '',
      vnic_type: body['binding:vnic_type'] ?? 'normal',
      profile: body['binding:profile'] ?? {},
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
    const write = async (tx: Transaction) => {
      const networks = await readNetworks(tx, networkIds, networkScope(context));
      const ports = [];
      for (const draft of drafts) {
        const network = networks.get(draft.network_id);
        if (network === undefined) throw new NetworkNotFound(draft.network_id);
        const row = rowOf(context, draft, network, String(draft.body['mac_address'] ?? randomMac(baseMac)));
        const requested = draft.body['fixed_ips'] as readonly FixedIpRequest[] | undefined;
        const subnets = network.subnets;
        await refuseForeignSubnets(tx, context, draft.network_id, subnets, requested);
        ports.push({ row, needs: planNewPort({ ...row, subnets }, requested) });
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
      const [allocated, stored, read] = await Promise.all([
        allocate(tx, wants, (addresses) => insertPorts(tx, rows, addresses)),
        extensions.store(tx, context, written),
        readBack(),
      ]);
      return allocated && stored ? read : await readBack();
    };
    return lifecycle.create(context, { requests: drafts, write, attempt: withOtherMacs(named, networkIds) });
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
    const subnets = (await readNetworks(tx, [network_id])).get(network_id)?.subnets ?? [];
    const requested = body['fixed_ips'] as readonly FixedIpRequest[] | undefined;
    await refuseForeignSubnets(tx, context, network_id, subnets, requested);
    const owner: AddressOwner = {
      network_id,
      mac_address: String(port['mac_address']),
      device_owner: String(port['device_owner']),
      subnets,
    };
    const { kept, released, needs } = planChangedPort(owner, current, requested ?? current, newMac);
    if (released.length === 0 && needs.length === 0) return false;
    const port_id = String(original['id']);
    await release(tx, port_id, released);
    await orderFixedIps(tx, port_id, kept);
    const wants = needs.map((need, index) => ({ port_id, network_id, position: kept.length + index, need }));
    await allocate(tx, wants);
    return true;
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

    async update_port(context, call) {
      const mac = call.body?.['mac_address'];
      try {
        return await lifecycle.update(context, call, async (tx, original, body) => {
          const id = String(original['id']);
          const values = changes(original, {
            ...pick(body, CHANGEABLE),
            ...extensions.update({ context, body, original }),
          });
          checkMacChange(original, values['mac_address']);
          const binding = changes(original, bindingOf(body));
          const addressesChange = await changeAddresses(tx, context, original, body);
          await changeBinding(tx, id, columnsOf(binding));
          await extensions.store(tx, context, [{ id, body, original }]);
          const stored = changes(original, pick(body, extensions.stored));
          const changed = [values, binding, stored].some((part) => Object.keys(part).length > 0);
          if (!changed && !addressesChange) return false;
          return { underway: reviseRow(tx, 'ports', id, columns, values) };
        });
      } catch (error) {
        if (violatedConstraint(error) !== MAC_ONCE) throw error;
        const port = await showRow(ml2.db.sql, reading, String(call.id), ['network_id']);
        throw new MacAddressInUse(String(port?.['network_id']), String(mac));
      }
    },

    delete_port: async (context, call) =>
      await lifecycle.remove(context, call, async (tx, original, last) => last(deletePort(tx, String(original['id'])))),
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

/** Throws for a profile of more characters than Neutron keeps of one. */
function checkProfile(profile: unknown): void {
  const length = JSON.stringify(profile ?? {}).length;
  if (length > LONGEST_PROFILE) {
    throw new InvalidInput(`binding:profile value too large: ${length} characters as JSON, at most ${LONGEST_PROFILE}`);
  }
}

/** The binding attributes that the body names, null meaning the empty value. */
function bindingOf(body: Resource): Resource {
  checkProfile(body['binding:profile']);
  return Object.fromEntries(
    Object.entries(BINDING)
      .filter(([name]) => body[name] !== undefined)
      .map(([name, { empty }]) => [name, body[name] ?? empty]),
  );
}

function columnsOf(binding: Resource): Resource {
  return Object.fromEntries(
    Object.entries(BINDING)
      .filter(([name]) => name in binding)
      .map(([name, { column }]) => [column, binding[name]]),
  );
}
