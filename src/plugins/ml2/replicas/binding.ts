/**
 * Binds replicas, as the binder binds ports: drivers are asked while nothing is locked, and what they chose is written if the port
 * is still one that is on many hosts.
 */
import { showRows, violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { type Binder, type BindingChoice, SEGMENT_GONE, writeBindings } from '../binding/mod.ts';
import { portReading } from '../ports/reading.ts';
import type { StatusHost } from '../status/mod.ts';
import { insertReplicas, lockPlaces, type Place, summarize, type WantedPlace } from './store.ts';

/** Tries while the segment that was chosen goes before it is written. */
const TRIES = 10;

interface Chosen extends WantedPlace {
  readonly choice: BindingChoice;
}

type BindingHost = Pick<StatusHost, 'db' | 'extensions'> & { readonly binder: Pick<Binder, 'choose' | 'released'> };

/** Binds ports to hosts that they are on beside the one they are bound to, or none. Nothing is told: nobody has wired it yet. */
export function replicaBinding({ db, extensions, binder }: BindingHost) {
  const reading = portReading(extensions.ports);

  const choose = async (context: Context, places: readonly Place[]): Promise<readonly Chosen[]> => {
    const ids = [...new Set(places.map(({ port_id }) => port_id))];
    const ports = new Map((await showRows(db.sql, reading, ids)).map((port) => [String(port['id']), port]));
    const candidates = places.flatMap(({ port_id, host }) => {
      const port = ports.get(port_id);
      if (port === undefined || port['binding:host_id'] === host) return [];
      return [{ port: { ...port, 'binding:host_id': host, 'binding:vif_type': 'unbound', 'binding:vif_details': {} } }];
    });
    const choices = await binder.choose(context, candidates);
    return candidates.flatMap(({ port }: { readonly port: Resource }, place) => {
      const choice = choices[place];
      if (choice === undefined) return [];
      const [port_id, host] = [String(port['id']), String(port['binding:host_id'])];
      return [{ port_id, host, device_owner: String(port['device_owner']), choice }];
    });
  };

  const commit = (chosen: readonly Chosen[]) =>
    db.transaction({ label: 'bind_replicas' }, async (tx) => {
      const free = await lockPlaces(tx, chosen);
      if (free.length === 0) return;
      await Promise.all([
        insertReplicas(tx, free),
        writeBindings(tx, free),
        summarize(tx, [...new Set(free.map(({ port_id }) => port_id))]),
      ]);
    });

  return async (context: Context, places: readonly Place[]): Promise<void> => {
    for (let tries = 1; ; tries++) {
      const chosen = await choose(context, places);
      if (chosen.length === 0) return;
      try {
        await commit(chosen);
        return;
      } catch (error) {
        if (violatedConstraint(error) !== SEGMENT_GONE || tries === TRIES) throw error;
      }
    }
  };
}
