/**
 * The second transaction of a binding: writes what drivers chose for ports that are still as they were when drivers were asked,
 * with their hooks, callbacks and messages, in a fixed number of statements.
 */
import { showRows } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { randomMac } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { portReading } from '../ports/reading.ts';
import { equal } from '../values.ts';
import type { BinderHost } from './binder.ts';
import { isBound } from './bound.ts';
import type { BindingChoice, Candidate } from './choice.ts';
import { attributesOf, type BindingState, lockBindings, type PortChange, revisePorts, writeBindings } from './store.ts';

export type Chosen = Candidate & { readonly choice: BindingChoice };
/** A port before and after; the same where it has failed as it did before, which is no news to anybody. */
export interface Committed {
  readonly original: Resource;
  readonly latest: Resource;
}

export interface Committer {
  /** Commits those that can be; the others are missing from the answer. */
  commit(context: Context, all: readonly Chosen[]): Promise<readonly Committed[]>;
  /** Tells listeners and drivers, after the commit; throws what a driver's failure is answered with, when all are told. */
  tell(context: Context, commits: readonly Committed[]): Promise<void>;
}

/** Ports whose agent is waited for by nobody: those of Nucleon's own services (NO_PBLOCKS_TYPES of Neutron). */
const UNAWAITED = /^network:/;

const idOf = ({ port }: Candidate): string => String(port['id']);
const isNews = ({ port, choice }: Chosen): boolean =>
  choice.kind === 'bound' || port['binding:vif_type'] !== 'binding_failed';

export function createCommitter(host: BinderHost): Committer {
  const { db, callbacks, config, mechanisms, outbox, statuses } = host;
  const reading = portReading(host.extensions.ports);
  const baseMac = config.string('DEFAULT', 'base_mac');
  const withAgent = new Set(mechanisms.drivers.flatMap(({ name, agent_type }) => (agent_type ? [name] : [])));

  /** What of the port itself changes with its binding. */
  const changeOf = ({ port, choice }: Chosen): PortChange => ({
    id: String(port['id']),
    status: choice.kind === 'bound' ? (choice.status ?? null) : null,
    // The address of a whole card is the card's: who plugs it has to say it.
    mac_address:
      port['binding:vnic_type'] === 'direct-physical'
        ? String((port['binding:profile'] as Resource)['device_mac_address'] ?? randomMac(baseMac))
        : null,
  });

  /** Whether an agent has to report before the port is ACTIVE. */
  const isAwaited = ({ port, choice }: Chosen): boolean =>
    choice.kind === 'bound' &&
    choice.status !== 'ACTIVE' &&
    !UNAWAITED.test(String(port['device_owner'])) &&
    withAgent.has(choice.levels.at(-1)?.driver ?? '');

  const write = async (tx: Transaction, context: Context, all: readonly Chosen[]): Promise<readonly Committed[]> => {
    const written = all.map((chosen) => ({
      port_id: idOf(chosen),
      host: String(chosen.port['binding:host_id']),
      choice: chosen.choice,
    }));
    const waiting = all.filter(isAwaited);
    const [, changed] = await Promise.all([
      writeBindings(tx, written),
      revisePorts(tx, all.filter(isNews).map(changeOf)),
      statuses.block(
        tx,
        waiting.map((chosen) => ({ port_id: idOf(chosen), entity: 'L2' })),
      ),
    ]);
    const commits = all.map((chosen) => {
      const { port: original, choice } = chosen;
      const latest = { ...original, ...attributesOf(choice), ...changed.get(idOf(chosen)) };
      return { original, latest: isNews(chosen) ? latest : original };
    });
    const messages: Notification[] = [];
    const notify = (...more: readonly Notification[]) => void messages.push(...more);
    for (const { original, latest } of commits) {
      if (latest === original) continue;
      await mechanisms.precommit('update_port', { context, tx, current: latest, original, notify });
      const resource_id = String(latest['id']);
      await callbacks.publish('port', 'precommit_update', { context, resource_id, original, latest, tx, notify });
    }
    // COMMIT goes out with it; if it fails, so does the transaction.
    outbox.add(tx, context, messages).catch(() => {});
    return commits;
  };

  /** Ports that something else of has changed since drivers were asked: hooks are to see it. */
  const readAgain = async (tx: Transaction, stale: readonly Chosen[]): Promise<ReadonlyMap<string, Resource>> => {
    if (stale.length === 0) return new Map();
    return new Map((await showRows(tx, reading, stale.map(idOf))).map((port) => [String(port['id']), port]));
  };

  return {
    commit: (context, all) =>
      db.transaction({ label: 'bind_port' }, async (tx) => {
        const states = new Map((await lockBindings(tx, all.map(idOf))).map((state) => [state.id, state]));
        const standing = all.filter((chosen) => isFor(states.get(idOf(chosen)), chosen.port));
        if (standing.length === 0) return [];
        const stale = standing.filter(
          (chosen) => states.get(idOf(chosen))?.revision_number !== chosen.port['revision_number'],
        );
        const current = await readAgain(tx, stale);
        const now = standing.map((chosen) => ({ ...chosen, port: current.get(idOf(chosen)) ?? chosen.port }));
        return await write(tx, context, now);
      }),

    async tell(context, commits) {
      let failure: Error | undefined;
      for (const { original, latest } of commits) {
        if (latest === original) continue;
        const resource_id = String(latest['id']);
        await callbacks.publish('port', 'after_update', { context, resource_id, original, latest });
        const failed = await mechanisms.postcommit('update_port', { context, current: latest, original });
        failure ??= failed;
      }
      if (failure !== undefined) throw failure;
    },
  };
}

/** Whether the binding is still to be made, and for what drivers were asked for. */
function isFor(state: BindingState | undefined, port: Resource): boolean {
  if (state === undefined || isBound({ 'binding:vif_type': state.vif_type })) return false;
  return (
    state.host === port['binding:host_id'] &&
    state.vnic_type === port['binding:vnic_type'] &&
    equal(state.profile, port['binding:profile'])
  );
}
