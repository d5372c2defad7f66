/**
 * Segments that come and go by the API of the service plugin `segments` are updates of their network, which mechanism drivers
 * hear of (neutron.plugins.ml2.plugin, `_handle_segment_change`).
 */
import { showRow } from '#src/db/mod.ts';
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Ml2 } from '../state.ts';
import { presentSegments } from './provider.ts';
import { networkReading } from './reading.ts';
import { segmentsOf } from './store.ts';

type Payload = CallbackPayload<Resource>;

/** Subscribes ML2 to the life of segments. */
export function followSegments(ml2: Ml2): void {
  const { callbacks, db, mechanisms } = ml2;
  if (mechanisms.drivers.length === 0) return;
  const reading = networkReading(ml2.extensions.networks);

  const networkOf = async ({ context, original, latest, tx }: Payload): Promise<Resource | undefined> =>
    await showRow(tx ?? db.sql, reading(context), String((original ?? latest)?.['network_id']), undefined);

  const precommit = async (payload: Payload) => {
    const { context, original, latest, tx } = payload;
    const current = await networkOf(payload);
    if (tx === undefined || current === undefined) return;
    const segments = await segmentsOf(tx, String(current['id']));
    const others = segments.filter(({ id }) => id !== latest?.['id']);
    const before = original === undefined ? others : [...others, original as unknown as Segment];
    await mechanisms.precommit('update_network', {
      context,
      tx,
      current,
      original: { ...current, ...presentSegments(before) },
    });
  };

  const after = async (payload: Payload) => {
    const current = await networkOf(payload);
    if (current === undefined) return;
    await mechanisms.postcommit('update_network', { context: payload.context, current, original: current });
  };

  for (const operation of ['create', 'delete'] as const) {
    callbacks.subscribe('segment', `precommit_${operation}`, (payload) => precommit(payload as Payload));
    callbacks.subscribe('segment', `after_${operation}`, (payload) => after(payload as Payload));
  }
}
