/**
 * Tells Nova what has become of its instances' ports (neutron.notifiers.nova): an instance that boots waits for its ports to be
 * plugged. Loaded always; does nothing, and costs nothing, unless `[nova] auth_url` is set.
 *
 * An event is written in the transaction that causes it, and sent later by one worker: neither a crash nor an absence of Nova's
 * loses any. What is so old that nobody waits for it any more is dropped.
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Plugin, PluginHost, PluginModule, Resource } from '#src/lib/plugin.ts';
import { periodic } from '#src/scheduler/mod.ts';
import { changeEvents, deletionEvents, type NovaEvent, preparedEvents, statusEvents } from './events.ts';
import { createSender } from './sender.ts';
import { changeWriter, eventWriter } from './store.ts';

const TYPE = 'nova-notifier';
const OFF: Plugin = { type: TYPE, extensions: [], verbs: {} };

/** What a change of status asks for, and no update of a caller's. */
const OF_STATUS: ReadonlySet<string> = new Set(['status', 'provisioned_by']);
const isOfCaller = (request: CallbackPayload['request']): boolean =>
  Object.keys(request ?? {}).some((name) => !OF_STATUS.has(name));

async function create(host: PluginHost): Promise<Plugin> {
  const { config, db, log, metrics, clock, callbacks } = host;
  const ofStatus = config.boolean('DEFAULT', 'notify_nova_on_port_status_changes');
  const ofData = config.boolean('DEFAULT', 'notify_nova_on_port_data_changes');
  if (!(ofStatus || ofData) || (config.optionalString('nova', 'auth_url') ?? '') === '') return OFF;
  // Only who tells Nova needs what identity is made of.
  const { createServiceSession, serviceSettings } = await import('#src/identity/mod.ts');
  const settings = serviceSettings(config, 'nova');

  const write = eventWriter();
  const leave = (payload: CallbackPayload, events: readonly NovaEvent[]) => {
    if (payload.tx !== undefined) write(payload.tx, events);
  };
  callbacks.subscribe('port', 'precommit_update', (payload) => {
    const { original, latest, request } = payload;
    const port = latest as Resource;
    leave(payload, [
      ...(ofStatus ? statusEvents(original as Resource, port, request?.['provisioned_by']) : []),
      ...(ofData && isOfCaller(request) ? changeEvents(port) : []),
    ]);
  });
  if (ofStatus) {
    callbacks.subscribe('prepared_port', 'precommit_update', (payload) => {
      leave(payload, preparedEvents(payload.latest as Resource));
    });
  }
  if (ofData) {
    callbacks.subscribe('port', 'precommit_delete', (payload) => {
      leave(payload, deletionEvents(payload.original as Resource));
    });
    const changed = changeWriter();
    const addressMoves = ({ original, latest, tx }: CallbackPayload) => {
      const ports = [original, latest].map((floatingip) => (floatingip as Resource | undefined)?.['port_id']);
      if (tx !== undefined)
        changed(
          tx,
          [...new Set(ports)].filter((id) => typeof id === 'string'),
        );
    };
    for (const operation of ['create', 'update', 'delete'] as const) {
      callbacks.subscribe('floatingip', `precommit_${operation}`, addressMoves);
    }
  }

  const interval = config.integer('DEFAULT', 'send_events_interval');
  const session = () => createServiceSession({ settings, serviceType: 'compute', fetch, clock });
  return {
    ...OFF,
    workers: () => [
      periodic({
        db,
        name: 'nova notifier',
        seconds: interval,
        lasting: true,
        run: createSender({ db, nova: session(), log, metrics, interval }),
        log,
      }),
    ],
  };
}

export default { create } satisfies PluginModule;
