/**
 * The verbs of port forwardings (neutron.services.portforwarding.pf_plugin). A write keeps the routers inside, then locks the ports
 * that are led to, then the floating IP: what it finds of them is true until it has written.
 */
import { bumpRevisions, listRows, reviseRow, showRow, showRows } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { Call, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { FloatingIPNotFound, targets } from '#src/services/router/floatingips/contract.ts';
import { PortForwardingNotFound } from './errors.ts';
import { rangesNow, refuseOverlap, rowOf, wishOf } from './forwarding.ts';
import { forwardingChanged } from './objects.ts';
import { type Place, placeOf, routerOf } from './places.ts';
import { rangesOf } from './ranges.ts';
import { forwardingScope, FORWARDING_READING as READING } from './reading.ts';
import {
  COLUMNS,
  deleteForwardings,
  type Forwarder,
  findOverlap,
  insertForwardings,
  lockForwarder,
  lockPorts,
  reviseAround,
} from './store.ts';

/** What is known of the floating IP before it is locked. */
interface Parent {
  readonly id: string;
  readonly floating_network_id: string;
}

const parentOf = ({ parents }: Call): string => parents['floatingip'] ?? '';

export function portForwardingVerbs({
  db,
  outbox,
  plugins,
}: Pick<PluginHost, 'db' | 'outbox' | 'plugins'>): Readonly<Record<string, Verb>> {
  /** The floating IP, if the caller sees it. */
  const visibleParent = async (context: Context, call: Call): Promise<Parent> => {
    const verb = plugins.get('L3_ROUTER_NAT')?.verbs['get_floatingip'];
    const fields = ['id', 'floating_network_id'];
    return (await verb?.(context, { id: parentOf(call), parents: {}, fields })) as Parent;
  };

  const visible = async (context: Context, call: Call, tx?: Transaction): Promise<Resource> => {
    const { id = '', fields } = call;
    const parent = parentOf(call);
    if (isUuid(parent)) {
      const found = await showRow(tx ?? db.sql, READING, id, fields, forwardingScope(context, parent));
      if (found !== undefined) return found;
    }
    await visibleParent(context, call);
    throw new PortForwardingNotFound(id);
  };

  /** Keeps the routers by which the ports are reached, locks the ports, and finds where forwardings to them lead. */
  const keep = async (tx: Transaction, context: Context, parent: Parent, port_ids: readonly string[]) => {
    const { id: floatingip_id, floating_network_id: network_id } = parent;
    const wishes = [...new Set(port_ids)].filter(isUuid).map((port_id) => ({ floatingip_id, network_id, port_id }));
    return await targets(tx, context, wishes, 'no key update');
  };

  const lock = async (tx: Transaction, id: string, port_ids: readonly string[]): Promise<Forwarder> => {
    const forwarder = await lockForwarder(tx, id, port_ids.filter(isUuid));
    if (forwarder === undefined) throw new FloatingIPNotFound(id);
    return forwarder;
  };

  /** Goes out with what is sent next; a failure is the transaction's. */
  const tell = (tx: Transaction, context: Context, ids: readonly string[], router_id: string | null): void =>
    void outbox
      .add(
        tx,
        context,
        ids.map((id) => forwardingChanged(id, router_id)),
      )
      .catch(() => {});

  const create = async (context: Context, call: Call, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const asked = bodies.map((body) => ({ id: newId() as string, body, ranges: rangesOf(body), wish: wishOf(body) }));
    const parent = await visibleParent(context, call);
    const floatingip_id = parent.id;
    const ids = asked.map(({ id }) => id);
    const ports = [...new Set(asked.map(({ wish }) => wish.internal_port_id))];
    return await db.transaction({ label: 'create_port_forwarding' }, async (tx) => {
      const found = await keep(tx, context, parent, ports);
      const places = asked.map(({ wish }) => placeOf(found, parent.floating_network_id, wish));
      const rows = asked.map(({ id, body, ranges }, at) => rowOf({ id, floatingip_id }, body, places[at]!, ranges));
      // Sent in this order: the second sees what the first has waited for.
      const [forwarder, overlap] = await Promise.all([lock(tx, floatingip_id, ports), findOverlap(tx, rows)]);
      const router_id = routerOf(forwarder, places);
      refuseOverlap(overlap);
      tell(tx, context, ids, router_id);
      const [, , created] = await Promise.all([
        insertForwardings(tx, rows),
        reviseAround(tx, forwarder, router_id, ports),
        showRows(tx, READING, ids),
      ]);
      return created;
    });
  };

  const update = async (context: Context, call: Call): Promise<Resource> => {
    const { id = '', body = {} } = call;
    const before = call.original ?? (await visible(context, call));
    const parent = { id: parentOf(call), floating_network_id: String(before['floating_network_id']) };
    const floatingip_id = parent.id;
    const moves = body['internal_port_id'] !== undefined || body['internal_ip_address'] !== undefined;
    const ports = [String(before['internal_port_id']), wishOf(body, before).internal_port_id];
    return await db.transaction({ label: 'update_port_forwarding' }, async (tx) => {
      const found = moves ? await keep(tx, context, parent, ports) : undefined;
      if (!moves) await lockPorts(tx, ports);
      const [forwarder, original] = await Promise.all([
        lock(tx, floatingip_id, moves ? ports.slice(1) : []),
        visible(context, call, tx),
      ]);
      checkRevision(call, original);
      const place =
        found === undefined
          ? { ...(original as unknown as Place), router_id: forwarder.router_id ?? '' }
          : placeOf(found, parent.floating_network_id, wishOf(body, original));
      const router_id = routerOf(forwarder, [place]);
      const ranges = rangesNow(original, body);
      const row = rowOf({ id, floatingip_id }, { ...original, ...body }, place, ranges);
      const was = rowOf({ id, floatingip_id }, original, original as unknown as Place, rangesNow(original, {}));
      const values = Object.fromEntries(
        Object.entries(row).filter(([name, value]) => was[name as keyof typeof was] !== value),
      );
      if (Object.keys(values).length === 0) return original;
      refuseOverlap(await findOverlap(tx, [row]));
      tell(tx, context, [id], router_id);
      const [, , latest] = await Promise.all([
        reviseRow(tx, 'port_forwardings', id, COLUMNS, values),
        reviseAround(tx, forwarder, router_id, [...new Set([was.internal_port_id, row.internal_port_id])]),
        visible(context, call, tx),
      ]);
      return latest;
    });
  };

  return {
    create_floatingip_port_forwarding: async (context, call) => (await create(context, call, [call.body ?? {}]))[0],
    create_floatingip_port_forwarding_bulk: (context, call) => create(context, call, call.bodies ?? []),

    get_floatingip_port_forwarding: (context, call) => visible(context, call),

    async get_floatingip_port_forwardings(context, call) {
      const { query = { filters: [], sorts: [], reverse: false } } = call;
      const parent = parentOf(call);
      if (!isUuid(parent)) await visibleParent(context, call);
      const list = await listRows(db.sql, READING, query, forwardingScope(context, parent));
      // Who sees one of them sees the floating IP.
      if (list.items.length === 0) await visibleParent(context, call);
      return list;
    },

    update_floatingip_port_forwarding: update,

    async delete_floatingip_port_forwarding(context, call) {
      const before = call.original ?? (await visible(context, call));
      const ports = [String(before['internal_port_id'])];
      await db.transaction({ label: 'delete_port_forwarding' }, async (tx) => {
        await lockPorts(tx, ports);
        const [{ router_id }, original] = await Promise.all([lock(tx, parentOf(call), []), visible(context, call, tx)]);
        checkRevision(call, original);
        tell(tx, context, [String(original['id'])], router_id);
        await Promise.all([deleteForwardings(tx, [String(original['id'])]), bumpRevisions(tx, 'ports', ports)]);
      });
    },
  };
}

function checkRevision({ if_match: expected }: Call, { revision_number: revision }: Resource): void {
  if (expected !== undefined && expected !== revision) {
    throw new RevisionNumberConstraintFailed(`Constrained to ${expected}, but current revision is ${revision}`);
  }
}
