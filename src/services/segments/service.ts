/**
 * The verbs of segments. The core learns of a change by the callbacks of `segment`, in the transaction, and tells its drivers.
 */
import { bumpRevisions, listRows, lockRow, reviseRow, showRow, showRows } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { NetworkNotFound, RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { SegmentRequest } from '#src/lib/ml2/segment.ts';
import type { Call, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { checkMtu, createTypeManager } from '#src/plugins/ml2/contract.ts';
import { SegmentInUse, SegmentNotFound } from './errors.ts';
import { SEGMENT_READING } from './reading.ts';
import { deleteSegment, describeSegments, lockNetworkOf, lockNetworks, usersOf } from './store.ts';

const COLUMNS = { name: 'text', description: 'text' };

export function segmentVerbs(host: PluginHost): Readonly<Record<string, Verb>> {
  const { db, callbacks, outbox } = host;
  const types = createTypeManager(host.config);

  const show = async (id: string, fields?: readonly string[], tx?: Transaction): Promise<Resource> => {
    const segment = await showRow(tx ?? db.sql, SEGMENT_READING, id, fields);
    if (segment === undefined) throw new SegmentNotFound(id);
    return segment;
  };

  /** The segment locked and read, its network locked before. */
  const locked = async (tx: Transaction, { id = '', if_match }: Call, mode: 'no key update' | 'update') => {
    if (!isUuid(id)) throw new SegmentNotFound(id);
    const [, , segment] = await Promise.all([
      lockNetworkOf(tx, id),
      lockRow(tx, 'network_segments', id, mode),
      show(id, undefined, tx),
    ]);
    if (if_match !== undefined && if_match !== segment['revision_number']) {
      throw new RevisionNumberConstraintFailed(
        `Constrained to ${if_match}, but current revision is ${segment['revision_number']}`,
      );
    }
    return segment;
  };

  const write = async (tx: Transaction, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const named = [...new Set(bodies.map((body) => String(body['network_id'])))];
    const networks = await lockNetworks(tx, named.filter(isUuid));
    const places = new Map<string, number>();
    const plans = bodies.map((body) => {
      const id = String(body['network_id']);
      const network = networks.get(id);
      if (network === undefined) throw new NetworkNotFound(id);
      const place = places.get(id) ?? network.next;
      places.set(id, place + 1);
      return types.planSegment(id, place, body as SegmentRequest);
    });
    const ids = plans.map(({ id }) => id);
    for (const { network_id, ...segment } of await types.reserve(tx, plans)) {
      checkMtu(networks.get(network_id)?.mtu ?? 0, types.maximumMtu([segment]));
    }
    const described = bodies.map(({ name = null, description = '' }, index) => ({
      id: ids[index]!,
      name,
      description,
    }));
    await Promise.all([describeSegments(tx, described), bumpRevisions(tx, 'networks', named)]);
    return await showRows(tx, SEGMENT_READING, ids);
  };

  const create = async (context: Context, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const payload = (segment: Resource, index: number) => ({
      context,
      resource_id: String(segment['id']),
      latest: segment,
      request: bodies[index] ?? {},
    });
    const created = await db.transaction({ label: 'create_segment' }, async (tx) => {
      const segments = await write(tx, bodies);
      const messages: Notification[] = [];
      const notify = (...more: readonly Notification[]) => void messages.push(...more);
      for (const [index, segment] of segments.entries()) {
        await callbacks.publish('segment', 'precommit_create', { ...payload(segment, index), tx, notify });
      }
      await outbox.add(tx, context, messages);
      return segments;
    });
    for (const [index, segment] of created.entries()) {
      await callbacks.publish('segment', 'after_create', payload(segment, index));
    }
    return created;
  };

  return {
    create_segment: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_segment_bulk: (context, { bodies = [] }) => create(context, bodies),
    get_segment: (_context, { id = '', fields }) => show(id, fields),
    get_segments: (_context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listRows(db.sql, SEGMENT_READING, query),

    async update_segment(context, call) {
      const { id: resource_id = '', body: request = {} } = call;
      const { original, latest } = await db.transaction({ label: 'update_segment' }, async (tx) => {
        const original = await locked(tx, call, 'no key update');
        const changed = Object.keys(COLUMNS).filter((name) => name in request && request[name] !== original[name]);
        if (changed.length === 0) return { original, latest: original };
        const values = Object.fromEntries(changed.map((name) => [name, request[name]]));
        await reviseRow(tx, 'network_segments', resource_id, COLUMNS, values);
        const latest = await show(resource_id, undefined, tx);
        await callbacks.publish('segment', 'precommit_update', { context, resource_id, original, latest, request, tx });
        return { original, latest };
      });
      await callbacks.publish('segment', 'after_update', { context, resource_id, original, latest, request });
      return latest;
    },

    async delete_segment(context, call) {
      const { id: resource_id = '' } = call;
      const before = call.original ?? (await show(resource_id));
      await callbacks.publish('segment', 'before_delete', { context, resource_id, original: before });
      const original = await db.transaction({ label: 'delete_segment' }, async (tx) => {
        const original = await locked(tx, call, 'update');
        const users = await usersOf(tx, resource_id);
        if (users.length > 0) throw new SegmentInUse(resource_id, users);
        await deleteSegment(tx, resource_id);
        await bumpRevisions(tx, 'networks', [String(original['network_id'])]);
        const messages: Notification[] = [];
        const notify = (...more: readonly Notification[]) => void messages.push(...more);
        await callbacks.publish('segment', 'precommit_delete', { context, resource_id, original, tx, notify });
        await outbox.add(tx, context, messages);
        return original;
      });
      await callbacks.publish('segment', 'after_delete', { context, resource_id, original });
    },
  };
}
