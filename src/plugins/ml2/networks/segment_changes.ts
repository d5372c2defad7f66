/**
 * Segments that come and go by the API of the service plugin `segments` are updates of their network, which mechanism drivers
 * and the hosts with ports on it hear of (neutron.plugins.ml2.plugin, `_handle_segment_change`).
 */
import { showRow } from '#src/db/mod.ts';
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { networkUpdate } from '../notifications/mod.ts';
import type { Ml2 } from '../state.ts';
import { presentSegments } from './provider.ts';
import { networkReading } from './reading.ts';
import { segmentsOf } from './store.ts';

type Payload = CallbackPayload<Resource>;

/** Subscribes ML2 to the life of segments. */
export function followSegments(ml2: Ml2): void {
  const { callbacks, db, mechanisms } = ml2;
  const { drivers } = mechanisms;
  const reading = networkReading(ml2.extensions.networks);

  const networkOf = async ({ context, original, latest, tx }: Payload): Promise<Resource | undefined> =>
    await showRow(tx ?? db.sql, reading(context), String((original ?? latest)?.['network_id']), undefined);

  const precommit = async (payload: Payload) => {
    const { original, latest, tx, notify } = payload;
    if (tx === undefined || notify === undefined) return;
    notify(networkUpdate(String((original ?? latest)?.['network_id'])));
    if (drivers.length > 0) await tellDrivers({ ...payload, tx, notify });
  };

  const tellDrivers = async (payload: Payload & Required<Pick<Payload, 'tx' | 'notify'>>) => {
    const { context, original, latest, tx, notify } = payload;
    const current = await networkOf(payload);
    if (current === undefined) return;
    const segments = await segmentsOf(tx, String(current['id']));
    const others = segments.filter(({ id }) => id !== latest?.['id']);
    const before = original === undefined ? others : [...others, original as unknown as Segment];
    await mechanisms.precommit('update_network', {
      context,
      tx,
      current,
      notify,
      original: { ...current, ...presentSegments(before) },
    });
  };

  const after = async (payload: Payload) => {
    if (drivers.length === 0) return;
    const current = await networkOf(payload);
    if (current === undefined) return;
    await mechanisms.postcommit('update_network', { context: payload.context, current, original: current });
  };

  for (const operation of ['create', 'delete'] as const) {
    callbacks.subscribe('segment', `precommit_${operation}`, (payload) => precommit(payload as Payload));
    callbacks.subscribe('segment', `after_${operation}`, (payload) => after(payload as Payload));
  }
}
