/** The verbs of networks. */
import { insertRows, listRows, lockRow, reviseRow, showRow, showRows } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { SegmentRequest } from '#src/lib/ml2/segment.ts';
import type { Resource, Verb } from '#src/lib/plugin.ts';
import {
  AvailabilityZoneNotFound,
  ExternalNetworkInUse,
  InvalidSharedSetting,
  NetworkInUse,
  NetworkMTUSubnetConflict,
} from '../errors.ts';
import { createLifecycle } from '../lifecycle.ts';
import { networkNotifications } from '../notifier.ts';
import { networkScope } from '../scope.ts';
import type { Ml2 } from '../state.ts';
import { changes, pick } from '../values.ts';
import { MINIMUM_MTU } from './mtu.ts';
import { networkReading } from './reading.ts';
import {
  closeToAll,
  deleteNetwork,
  hasForeignUsers,
  hasGatewayPorts,
  markExternal,
  NETWORK_COLUMNS,
  openToAll,
  portsInTheWay,
  subnetVersions,
  unknownZone,
  unmarkExternal,
} from './store.ts';

const PROVIDER = {
  'provider:network_type': 'network_type',
  'provider:physical_network': 'physical_network',
  'provider:segmentation_id': 'segmentation_id',
} as const;
const EXTERNAL = 'router:external';
/** What the column holds; what the segments carry is known only when they are reserved. */
const LARGEST_MTU = 2 ** 31 - 1;
const CHANGEABLE = ['name', 'description', 'admin_state_up'];

export function networkVerbs(ml2: Ml2): Readonly<Record<string, Verb>> {
  const { types } = ml2;
  const extensions = ml2.extensions.networks;
  const reading = networkReading(extensions);
  const columns = { ...NETWORK_COLUMNS, ...extensions.columns };
  const lifecycle = createLifecycle(ml2, {
    kind: 'network',
    table: 'networks',
    reading,
    scope: networkScope,
    notifications: networkNotifications,
  });

  const create = (context: Parameters<Verb>[0], bodies: readonly Resource[]) => {
    const drafts = bodies.map((body) => {
      const id = newId<'network'>();
      const plan = types.plan(id, segmentRequest(body), body[EXTERNAL] === true);
      const requestedMtu = Number(body['mtu'] ?? 0);
      checkMtu(requestedMtu, LARGEST_MTU);
      const row = {
        id,
        project_id: body['project_id'] ?? context.project_id ?? '',
        name: body['name'] ?? '',
        description: body['description'] ?? '',
        admin_state_up: body['admin_state_up'] ?? true,
        status: 'ACTIVE',
        mtu: requestedMtu > 0 ? requestedMtu : types.expectedMtu(plan),
        availability_zone_hints: (body['availability_zone_hints'] ?? []) as readonly string[],
        revision_number: 1,
        ...extensions.create({ context, body }),
      };
      return { id, body, plan, requestedMtu, row };
    });
    const zones = new Set(drafts.flatMap(({ row }) => row.availability_zone_hints));
    const write = async (tx: Transaction) => {
      const unknown = await unknownZone(tx, [...zones]);
      if (unknown !== undefined) throw new AvailabilityZoneNotFound(unknown);
      await insertRows(
        tx,
        'networks',
        columns,
        drafts.map(({ row }) => row),
      );
      const segments = await types.reserve(
        tx,
        drafts.map(({ plan }) => plan),
      );
      for (const [index, { id, requestedMtu, row }] of drafts.entries()) {
        const maximum = types.maximumMtu(segments.slice(index, index + 1));
        checkMtu(requestedMtu, maximum);
        if (requestedMtu === 0 && row.mtu !== maximum) await tx`update networks set mtu = ${maximum} where id = ${id}`;
      }
      const marked = (name: string) => drafts.filter(({ body }) => body[name] === true).map(({ row }) => row);
      await openToAll(tx, marked('shared'), 'access_as_shared');
      await markExternal(tx, marked(EXTERNAL));
      await openToAll(tx, marked(EXTERNAL), 'access_as_external');
      await extensions.store(tx, context, drafts);
      return await showRows(
        tx,
        reading(context),
        drafts.map(({ id }) => id),
      );
    };
    return lifecycle.create(context, { requests: drafts, write });
  };

  /** Waits for port creations under way, so that what is asked next sees their ports; later ones see what is decided. */
  const closeToNewPorts = (tx: Transaction, network: Resource) =>
    lockRow(tx, 'networks', String(network['id']), 'update');

  const setShared = async (tx: Transaction, network: Resource, shared: boolean) => {
    if (shared) return await openToAll(tx, [network], 'access_as_shared');
    await closeToNewPorts(tx, network);
    if (await hasForeignUsers(tx, String(network['id']), String(network['project_id']))) {
      throw new InvalidSharedSetting(String(network['name']));
    }
    await closeToAll(tx, String(network['id']), 'access_as_shared');
  };

  const setExternal = async (tx: Transaction, network: Resource, external: boolean) => {
    const id = String(network['id']);
    if (external) {
      await markExternal(tx, [network]);
      return await openToAll(tx, [network], 'access_as_external');
    }
    await closeToNewPorts(tx, network);
    if (await hasGatewayPorts(tx, id)) throw new ExternalNetworkInUse(id);
    await unmarkExternal(tx, id);
    await closeToAll(tx, id, 'access_as_external');
  };

  /** The MTU that the network is to have: what is asked for if it can be, the greatest possible for 0. */
  const newMtu = async (tx: Transaction, network: Resource, requested: number): Promise<number> => {
    const segments = await tx<{ network_type: string; physical_network: string | null }[]>`
      select network_type, physical_network from network_segments where network_id = ${String(network['id'])}`;
    const maximum = types.maximumMtu(segments);
    checkMtu(requested, maximum);
    const mtu = requested === 0 ? maximum : requested;
    for (const version of await subnetVersions(tx, String(network['id']))) {
      if (mtu < MINIMUM_MTU[version]) throw new NetworkMTUSubnetConflict(String(network['id']), mtu);
    }
    return mtu;
  };

  return {
    create_network: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_network_bulk: async (context, { bodies = [] }) => await create(context, bodies),

    async get_network(context, { id = '', fields }) {
      const network = await showRow(ml2.db.sql, reading(context), id, fields, networkScope(context));
      if (network === undefined) throw reading(context).notFound(id);
      return network;
    },

    get_networks: async (context, { query }) =>
      await listRows(
        ml2.db.sql,
        reading(context),
        query ?? { filters: [], sorts: [], reverse: false },
        networkScope(context),
      ),

    update_network: async (context, call) =>
      await lifecycle.update(context, call, async (tx, original, body) => {
        const provider = Object.keys(PROVIDER).filter((name) => name in body);
        if (provider.length > 0) {
          throw new InvalidInput('Plugin does not support updating provider attributes');
        }
        const values = changes(original, {
          ...pick(body, CHANGEABLE),
          ...extensions.update({ context, body, original }),
          ...(body['mtu'] === undefined ? {} : { mtu: await newMtu(tx, original, Number(body['mtu'])) }),
        });
        const marks = changes(original, body, ['shared', EXTERNAL]);
        if (marks['shared'] !== undefined) await setShared(tx, original, marks['shared'] === true);
        if (marks[EXTERNAL] !== undefined) await setExternal(tx, original, marks[EXTERNAL] === true);
        await extensions.store(tx, context, [{ id: String(original['id']), body, original }]);
        if (Object.keys(values).length + Object.keys(marks).length === 0) return false;
        await reviseRow(tx, 'networks', String(original['id']), columns, values);
        return true;
      }),

    delete_network: async (context, call) =>
      await lifecycle.remove(context, call, async (tx, original) => {
        const id = String(original['id']);
        const inTheWay = await portsInTheWay(tx, id);
        if (inTheWay.length > 0) {
          throw new NetworkInUse(
            id,
            `There are one or more ports still in use on the network, id for these ports is: ${inTheWay.join(',')}.`,
          );
        }
        for (const { kind, project_id, count } of await deleteNetwork(tx, id)) {
          await ml2.quota.charge(tx, project_id, { [kind]: -count });
        }
      }),
  };
}

/** The segment that the body names, if it names anything of one. */
function segmentRequest(body: Resource): SegmentRequest | undefined {
  const named = Object.entries(PROVIDER).filter(([name]) => body[name] !== undefined && body[name] !== null);
  if (named.length === 0) return undefined;
  return Object.fromEntries(named.map(([name, key]) => [key, body[name]]));
}

function checkMtu(requested: number, maximum: number): void {
  if (requested > maximum && maximum > 0) throw new InvalidInput(`Requested MTU is too big, maximum is ${maximum}`);
}
