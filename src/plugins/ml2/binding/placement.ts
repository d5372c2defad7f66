/**
 * Ports that services have hosts for, many at once: what an update of `binding:host_id` does to one. Routers' ports are placed when
 * the agent that has the router asks for it, which it does for all of its routers together.
 *
 *   read the bindings → a transaction moves those that are elsewhere, with hooks, callbacks and messages → they are bound
 *
 * A port that has a replica on its new host exchanges it with the binding that it has: a highly available router's port is plugged
 * in on the host that stood by, and stays so on the one that stands by now. Ports that are there already cost the reading alone; those that are there and not bound are tried once more.
 */
import { showRows } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { Messages } from '#src/lib/messages.ts';
import type { Plugin, Resource } from '#src/lib/plugin.ts';
import { portReading } from '../ports/reading.ts';
import type { Ml2 } from '../state.ts';
import { isBound, isDistributed } from './bound.ts';
import { exchangeReplicas, lockBindings, moveBindings, revisePorts } from './store.ts';

interface Moved {
  readonly original: Resource;
  readonly latest: Resource;
}

/** `Plugin.place` of the core plugin. */
export function portPlacement(ml2: Ml2): NonNullable<Plugin['place']> {
  const { db, callbacks, mechanisms, outbox, binder } = ml2;
  const reading = portReading(ml2.extensions.ports);

  const move = async (
    tx: Transaction,
    context: Context,
    hosts: ReadonlyMap<string, string>,
  ): Promise<readonly Moved[]> => {
    const states = await lockBindings(tx, [...hosts.keys()]);
    const elsewhere = states.filter(({ id, host }) => host !== hosts.get(id));
    const leaving = elsewhere.map(({ id }) => id);
    if (leaving.length === 0) return [];
    const placementOf = ({ id }: { readonly id: string }) => ({ port_id: id, host: hosts.get(id) ?? '' });
    // Sent at once, in this order: the reading is of what was.
    const [originals, standingBy] = await Promise.all([
      showRows(tx, reading, leaving),
      exchangeReplicas(tx, elsewhere.filter(({ has_replicas }) => has_replicas).map(placementOf)),
    ]);
    const exchanged = new Map(standingBy.map((binding) => [binding.port_id, binding]));
    const [, changed] = await Promise.all([
      moveBindings(tx, elsewhere.map(placementOf)),
      revisePorts(
        tx,
        leaving.map((id) => ({ id, status: exchanged.get(id)?.status ?? 'DOWN', mac_address: null })),
      ),
    ]);
    const moved = originals.map((original) => {
      const id = idOf(original);
      const { vif_type, vif_details } = exchanged.get(id) ?? { vif_type: 'unbound', vif_details: {} };
      const here = {
        'binding:host_id': hosts.get(id),
        'binding:vif_type': vif_type,
        'binding:vif_details': vif_details,
      };
      return { original, latest: { ...original, ...here, ...changed.get(id) } };
    });
    const messages = new Messages();
    const { notify } = messages;
    for (const { original, latest } of moved) {
      await mechanisms.precommit('update_port', { context, tx, current: latest, original, notify });
      await callbacks.publish('port', 'precommit_update', { ...payload(context, original, latest), tx, notify });
    }
    messages.send(outbox, tx, context);
    return moved;
  };

  return async (context, placements) => {
    const hosts = new Map(placements.map(({ port_id, host }) => [port_id, host]));
    if (hosts.size === 0) return;
    const ports = (await showRows(db.sql, reading, [...hosts.keys()])).filter((port) => !isDistributed(port));
    const elsewhere = ports.filter((port) => port['binding:host_id'] !== hosts.get(idOf(port)));
    if (callbacks.listens('port', 'before_update')) {
      for (const port of elsewhere) await callbacks.publish('port', 'before_update', payload(context, port));
    }
    const wanted = new Map(elsewhere.map((port) => [idOf(port), hosts.get(idOf(port)) ?? '']));
    const moved =
      wanted.size === 0 ? [] : await db.transaction({ label: 'place_ports' }, (tx) => move(tx, context, wanted));
    for (const { original, latest } of moved) {
      await callbacks.publish('port', 'after_update', payload(context, original, latest));
      await mechanisms.postcommit('update_port', { context, current: latest, original });
    }
    await binder.released(
      moved.filter(({ original }) => isBound(original)).map(({ original }) => String(original['network_id'])),
    );
    const there = ports.filter((port) => !wanted.has(idOf(port)) && !isBound(port)).map((port) => ({ port }));
    await binder.bindWritten(context, [...there, ...moved.map(({ original, latest }) => ({ port: latest, original }))]);
    // Somebody else has moved them meanwhile, and may not have come to bind them yet.
    for (const { original } of moved) wanted.delete(idOf(original));
    await binder.bind(context, [...wanted.keys()]);
  };
}

const idOf = (port: Resource): string => String(port['id']);

const payload = (context: Context, original: Resource, latest?: Resource) => ({
  ...{ context, resource_id: idOf(original), original, ...(latest === undefined ? {} : { latest }) },
  request: latest === undefined ? {} : { 'binding:host_id': latest['binding:host_id'] },
});
