/**
 * The worker processes of a server: begun in order, kept alive, rolled one by one, stopped together. The shared periodic
 * worker says which plugin workers want processes of their own; they join the tree then.
 */
import type { Json } from '#src/lib/api/attributes.ts';
import type { Clock } from '#src/lib/clock.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Counter, Gauge } from '#src/lib/metrics.ts';
import type { HeldListener, ServerRuntime } from '#src/lib/runtime.ts';
import type { WorkerKind } from '../worker_contract.ts';
import { Keeper } from './keeper.ts';
import { TITLES } from './kinds.ts';
import { type Address, Listeners } from './listeners.ts';
import type { ConfigurationSnapshot, StartMessage } from './messages.ts';
import { launchWorker, type WorkerProcess } from './worker_launch.ts';

/** What all workers are told alike: the address is known before they begin, the configuration may follow. */
export interface WorkerSettings {
  readonly listening: Address;
  readonly configuration: Promise<ConfigurationSnapshot> | ConfigurationSnapshot;
}

export type WorkerNumbers = Readonly<Record<WorkerKind, number>>;

export interface TreeOptions {
  readonly processes: ServerRuntime['processes'];
  readonly env: Readonly<Record<string, string>>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly restarts: Counter;
  readonly running: Gauge;
}

export interface TreeStart {
  /** The first API worker is ready, or there are none. */
  readonly answering: Promise<void>;
  /** All API workers are ready. */
  readonly api: Promise<void>;
  /** All workers are ready. */
  readonly complete: Promise<void>;
}

interface Place {
  readonly kind: WorkerKind;
  readonly index: number;
  readonly pluginWorker?: string;
}

/** The order of starts and rolls: who answers clients comes first. */
const ORDER: readonly WorkerKind[] = ['api', 'rpc', 'reports', 'relay', 'periodic'];

/** How long an API worker, or any worker of a roll, may take to become ready. */
const READY_MS = 60_000;

export class WorkerTree {
  readonly #options: TreeOptions;
  readonly #keepers = new Map<string, { readonly place: Place; readonly keeper: Keeper<WorkerProcess> }>();
  readonly #listeners: Listeners;
  #stopped = false;

  constructor(options: TreeOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.processes);
  }

  /**
   * Begins an API worker at once, so that it has the machine to itself, and all others when it is ready. Workers wait for the
   * configuration; their code is loaded meanwhile.
   */
  start(numbers: WorkerNumbers, settings: WorkerSettings): TreeStart {
    const [first, ...others] = placesOf(numbers, 'api');
    const begin = async (place: Place) => {
      if (!this.#stopped) await this.#add(place, settings).start();
    };
    const beginAll = async (places: readonly Place[]) => {
      await Promise.all(places.map(begin));
    };
    const answering = first === undefined ? Promise.resolve() : begin(first);
    const api = answering.then(() => beginAll(others));
    const rest = answering.then(() => beginAll(placesOf(numbers).filter(({ kind }) => kind !== 'api')));
    const complete = Promise.all([api, rest]).then(() => beginAll(this.#ownPlaces()));
    // Who waits for one of them hears of its failure; the others are no news then.
    for (const promise of [answering, api, complete]) promise.catch(() => {});
    return { answering, api, complete };
  }

  /** Puts a new process in the place of each, one by one, each ready before its predecessor drains. */
  async roll(numbers: WorkerNumbers, settings: WorkerSettings, drainMs: number): Promise<void> {
    const wanted = placesOf(numbers);
    for (const place of wanted) await this.#renew(place, settings, drainMs);
    const own = this.#ownPlaces();
    for (const place of own) await this.#renew(place, settings, drainMs);
    const names = new Set([...wanted, ...own].map(nameOf));
    const superfluous = [...this.#keepers].filter(([name]) => !names.has(name));
    await Promise.all(
      superfluous.map(async ([name, { keeper }]) => {
        this.#keepers.delete(name);
        await keeper.stop(drainMs);
      }),
    );
  }

  async stop(drainMs: number): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#keepers.values()].map(({ keeper }) => keeper.stop(drainMs)));
  }

  /** The metrics of every worker that answers in time. */
  async measure(timeoutMs: number): Promise<readonly Json[]> {
    const current = [...this.#keepers.values()].flatMap(({ keeper }) => keeper.current ?? []);
    const snapshots = await Promise.all(current.map((worker) => worker.measure(timeoutMs)));
    return snapshots.filter((snapshot) => snapshot !== undefined);
  }

  async #renew(place: Place, settings: WorkerSettings, drainMs: number): Promise<void> {
    if (this.#stopped) return;
    const existing = this.#keepers.get(nameOf(place));
    if (existing === undefined) await this.#add(place, settings).start();
    else await existing.keeper.replace(this.#launch(place, settings, READY_MS), drainMs);
  }

  #add(place: Place, settings: WorkerSettings): Keeper<WorkerProcess> {
    const { log, clock, restarts, running } = this.#options;
    const { kind, index } = place;
    // Who needs the broker waits for it as long as it takes; the API does not wait for them.
    const patience = kind === 'api' ? {} : { attempts: Number.POSITIVE_INFINITY };
    const keeper = new Keeper(
      { title: TITLES[kind], index, log, clock, restarts, running, ...patience },
      this.#launch(place, settings, kind === 'api' ? READY_MS : Number.POSITIVE_INFINITY),
    );
    this.#keepers.set(nameOf(place), { place, keeper });
    return keeper;
  }

  #launch(place: Place, settings: WorkerSettings, readyMs: number): () => WorkerProcess {
    const { processes, env, log } = this.#options;
    const { kind, ...told } = place;
    const { listening } = settings;
    const start = Promise.resolve(settings.configuration).then(
      (configuration): StartMessage => ({ type: 'start', ...told, listening, configuration }),
    );
    start.catch(() => {});
    const launch = (listener?: HeldListener) => launchWorker({ processes, kind, start, env, listener, log, readyMs });
    return kind === 'api' ? () => this.#listeners.use(place.index, listening, launch) : launch;
  }

  #ownPlaces(): readonly Place[] {
    const shared = this.#keepers.get(nameOf({ kind: 'periodic', index: 0 }));
    let index = 0;
    return (shared?.keeper.current?.ownProcesses ?? []).flatMap(({ name, processes }) =>
      Array.from({ length: processes }, (): Place => {
        index += 1;
        return { kind: 'periodic', index, pluginWorker: name };
      }),
    );
  }
}

function placesOf(numbers: WorkerNumbers, only?: WorkerKind): readonly Place[] {
  return ORDER.filter((kind) => only === undefined || kind === only).flatMap((kind) =>
    Array.from({ length: numbers[kind] }, (_, index): Place => ({ kind, index })),
  );
}

function nameOf({ kind, index, pluginWorker = '' }: Place): string {
  return `${kind} ${pluginWorker} ${index}`;
}
