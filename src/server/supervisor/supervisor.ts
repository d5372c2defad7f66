/**
 * `nucleon server`: the parent of all processes. Starts in the order in which things need each other, keeps them alive,
 * rolls the workers on SIGHUP, and stops everything backwards on SIGTERM or SIGINT.
 *
 *   state directory ▸ PostgreSQL ▸ migrations ──┐
 *   an API worker begins, loads its code, waits ┴▸ starts ▸ answers ▸ the other workers, the MQTT broker
 */
import { type LoadedConfig, workerCounts } from '#src/config/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import type { Config } from '#src/lib/config.ts';
import { Lifetime } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { createMetrics, mergeMetrics, serveMetrics } from '#src/telemetry/mod.ts';
import {
  acceptConfiguration,
  type Configuration,
  type ConfigurationPaths,
  configurationErrors,
  configurationOf,
  readConfiguration,
  withOptions,
} from '../configuration.ts';
import { claimPort, type PortClaim } from '../embedded/ports.ts';
import { type EmbeddedServices, embeddedServices, PATIENCE_MS, prepareServices } from '../embedded/services.ts';
import { openStateDirectory, type StateDirectory } from '../embedded/state_directory.ts';
import { EXIT, messageOf, StartError } from '../errors.ts';
import { processLogger } from '../log.ts';
import { greeting } from './greeting.ts';
import { Keeper } from './keeper.ts';
import { POSTGRES_TITLE, SUPERVISOR_TITLE, TITLES } from './kinds.ts';
import type { Launched } from './launched.ts';
import type { ConfigurationSnapshot, StartMessage } from './messages.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';
import { type WorkerNumbers, type WorkerSettings, WorkerTree } from './tree.ts';
import { launchWorker, type WorkerProcess } from './worker_launch.ts';

const BROKER_READY_MS = 60_000;
/** A process that does not say its metrics in time is left out. */
const MEASURE_MS = 1000;
/** How long a start that is no longer wanted may take to end. */
const ABANDON_MS = 5_000;

const delay = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Runs until it is told to stop; resolves with the exit code. */
export async function runServer(runtime: ServerRuntime, paths: ConfigurationPaths): Promise<number> {
  runtime.processes.setTitle(SUPERVISOR_TITLE);
  const shutdown = createShutdown(runtime.processes);
  const configuration = await readConfiguration(runtime, paths);
  const log = processLogger(runtime.processes, configuration.config, SUPERVISOR_TITLE);
  acceptConfiguration(configuration, log);
  const server = new Server(runtime, paths, log, shutdown);
  try {
    await Promise.race([server.start(configuration), shutdown.requested]);
    runtime.processes.onSignal('SIGHUP', () => void server.reload());
    const reason = await shutdown.requested;
    log.info('stopping', { reason });
    return EXIT.ok;
  } catch (error) {
    log.debug('the server cannot start', { error });
    throw error instanceof StartError ? error : new StartError(messageOf(error), { cause: error });
  } finally {
    await server.stop();
  }
}

class Server {
  readonly #runtime: ServerRuntime;
  readonly #paths: ConfigurationPaths;
  readonly #log: Logger;
  readonly #shutdown: Shutdown;
  readonly #lifetime = new Lifetime();
  readonly #metrics = createMetrics({ process: true });
  #tree: WorkerTree | undefined;
  #broker: Keeper<WorkerProcess> | undefined;
  #config: Config | undefined;
  #services: EmbeddedServices = { options: [] };
  #listening = { host: '127.0.0.1', port: 0 };
  #reloading: Promise<void> = Promise.resolve();
  /** Ends what a start still waits for, when it has failed or is no longer wanted. */
  readonly #abandoned = new AbortController();
  #starting: Promise<void> = Promise.resolve();

  constructor(runtime: ServerRuntime, paths: ConfigurationPaths, log: Logger, shutdown: Shutdown) {
    this.#runtime = runtime;
    this.#paths = paths;
    this.#log = log;
    this.#shutdown = shutdown;
  }

  /** Resolves when the API answers. */
  start(configuration: Configuration): Promise<void> {
    const starting = this.#start(configuration);
    this.#starting = starting.catch(() => {});
    return starting;
  }

  async #start({ config, snapshot }: Configuration): Promise<void> {
    const { processes } = this.#runtime;
    const begun = systemClock.now();
    const state = await this.#openState(config);
    this.#config = config;
    const host = config.string('DEFAULT', 'bind_host');
    const port = config.integer('DEFAULT', 'bind_port');
    const serves = workerNumbers(config, this.#runtime.cpus).api > 0;
    const patience = state?.afterCrash === true ? PATIENCE_MS : 0;
    const claim = serves ? await this.#claimApiPort(host, port, patience) : undefined;
    this.#listening = { host, port: claim?.port ?? port };
    // Held sockets are bound at once; workers that bind themselves do so when they are told to start.
    if (processes.holdsListeners) await claim?.release();
    const restarts = this.#metrics.counter('nucleon_process_restarts_total', 'Processes started again', ['process']);
    const running = this.#metrics.gauge('nucleon_process_running', 'Whether a process is up', ['process', 'index']);
    const kept = { log: this.#log, clock: systemClock, restarts, running };
    const env: Readonly<Record<string, string>> =
      state === undefined ? {} : { NODE_COMPILE_CACHE: state.file('compile-cache') };

    const told = Promise.withResolvers<ConfigurationSnapshot>();
    told.promise.catch(() => {});
    const settings: WorkerSettings = { listening: this.#listening, configuration: told.promise };
    const tree = new WorkerTree({ processes, env, ...kept });
    const started = tree.start(workerNumbers(config, this.#runtime.cpus), settings);
    try {
      if (state !== undefined) {
        this.#services = await prepareServices({
          runtime: this.#runtime,
          config,
          state,
          maxConnections: connectionsNeeded(config, this.#runtime.cpus),
          log: this.#log,
        });
      }
      const complete = withOptions(snapshot, this.#services.options);
      const keep = <Kind extends Launched>(title: string, launch: () => Kind | Promise<Kind>): Keeper<Kind> => {
        const keeper = new Keeper({ title, index: 0, ...kept }, launch);
        this.#lifetime.onStop(() => this.#stopOne(keeper));
        return keeper;
      };
      const { postgres, broker: ports } = this.#services;
      if (ports !== undefined) this.#broker = keep(TITLES.broker, () => this.#launchBroker(ports, complete, env));
      if (postgres !== undefined) await keep(POSTGRES_TITLE, () => postgres.launch()).start();
      await this.#migrate(complete);
      await claim?.release();
      told.resolve(complete);
    } catch (error) {
      told.reject(error);
      throw error;
    } finally {
      // After the services in the list: stopped before them.
      this.#tree = tree;
      this.#lifetime.onStop(() => this.#stopOne(tree));
    }
    // The API needs no broker: what does waits for it.
    await started.answering;
    const messaging = this.#broker?.start() ?? Promise.resolve();
    messaging.catch(this.#shutdown.fail);
    await started.api;
    await this.#serveMetrics(config);
    const ready = () => this.#log.info('all workers are ready', { after_ms: systemClock.now() - begun });
    Promise.all([messaging, started.complete]).then(ready, this.#shutdown.fail);
    for (const line of await greeting(this.#runtime, config, this.#listening, state)) processes.print(line);
  }

  /** Reads the configuration again and rolls the workers; one after the other if asked several times. */
  reload(): Promise<void> {
    this.#reloading = this.#reloading.then(async () => {
      try {
        await this.#roll(await readConfiguration(this.#runtime, this.#paths));
      } catch (error) {
        this.#log.error('the configuration was read again but not taken over; the old one stays', {
          reason: messageOf(error),
        });
      }
    });
    return this.#reloading;
  }

  async stop(): Promise<void> {
    this.#abandoned.abort();
    await Promise.race([this.#starting, delay(ABANDON_MS)]);
    try {
      await this.#lifetime.stop();
    } catch (error) {
      this.#log.error('not everything stopped cleanly', { error });
    }
  }

  async #roll(configuration: Configuration): Promise<void> {
    const before = this.#config;
    const tree = this.#tree;
    if (before === undefined || tree === undefined) return;
    const { config, snapshot } = configuration;
    refuse(configuration);
    if (JSON.stringify(embeddedServices(config)) !== JSON.stringify(embeddedServices(before))) {
      this.#log.warn('[database] connection and [mqtt] url are taken over at the next start, not by a reload');
    }
    const host = config.string('DEFAULT', 'bind_host');
    const wanted = config.integer('DEFAULT', 'bind_port');
    const moved = host !== before.string('DEFAULT', 'bind_host') || wanted !== before.integer('DEFAULT', 'bind_port');
    if (moved) {
      const claim = await this.#claimApiPort(host, wanted, 0);
      await claim.release();
      this.#listening = { host, port: claim.port };
    }
    const told = { listening: this.#listening, configuration: withOptions(snapshot, this.#services.options) };
    this.#log.info('the configuration was read again: rolling the workers');
    const begun = systemClock.now();
    await tree.roll(workerNumbers(config, this.#runtime.cpus), told, drainMs(config));
    this.#config = config;
    this.#log.info('all workers were rolled', { after_ms: systemClock.now() - begun });
  }

  async #openState(config: Config): Promise<StateDirectory | undefined> {
    const { postgres, broker } = embeddedServices(config);
    if (!postgres && !broker) return undefined;
    const state = await openStateDirectory(this.#runtime, config.string('embedded', 'state_dir'));
    this.#lifetime.onStop(() => state.release());
    return state;
  }

  #claimApiPort(host: string, port: number, patienceMs: number): Promise<PortClaim> {
    return claimPort(this.#runtime.network, { host, port, option: '[DEFAULT] bind_port', patienceMs });
  }

  /** The broker's ports stay ours until its code is loaded: then they change hands at once. */
  #launchBroker(
    { releasePorts }: NonNullable<EmbeddedServices['broker']>,
    configuration: ConfigurationSnapshot,
    env: Readonly<Record<string, string>>,
  ): WorkerProcess {
    const told = Promise.withResolvers<StartMessage>();
    const launched = launchWorker({
      processes: this.#runtime.processes,
      kind: 'broker',
      start: told.promise,
      env,
      log: this.#log,
      readyMs: BROKER_READY_MS,
    });
    const start: StartMessage = { type: 'start', index: 0, listening: this.#listening, configuration };
    void launched.loaded.then(releasePorts).then(() => told.resolve(start), told.reject);
    return launched;
  }

  async #migrate(snapshot: ConfigurationSnapshot): Promise<void> {
    // Loaded only now: the workers' code is on its way, and nothing before needs the database's.
    const { upgradeWhenItAnswers } = await import('./upgrade.ts');
    await upgradeWhenItAnswers({
      files: this.#runtime.files,
      config: await configurationOf(snapshot),
      log: this.#log,
      signal: this.#abandoned.signal,
    });
  }

  async #serveMetrics(config: Config): Promise<void> {
    const collect = async () => {
      const [workers = [], broker] = await Promise.all([
        this.#tree?.measure(MEASURE_MS),
        this.#broker?.current?.measure(MEASURE_MS),
      ]);
      return mergeMetrics([await this.#metrics.snapshot(), ...workers, ...(broker === undefined ? [] : [broker])]);
    };
    const listening = await serveMetrics(this.#runtime.network, config, collect);
    if (listening !== null) this.#lifetime.onStop(() => listening.stop());
  }

  /** Drains for as long as the configuration allows; a second request to stop ends the patience. */
  async #stopOne(what: { stop(drainMs: number): Promise<void> }): Promise<void> {
    const patience = this.#config === undefined ? 0 : drainMs(this.#config);
    const stopping = what.stop(patience);
    const hurried = this.#shutdown.hurried.then(() => what.stop(0));
    await Promise.race([stopping, hurried]);
  }
}

function refuse(loaded: LoadedConfig): void {
  const errors = configurationErrors(loaded.findings);
  if (errors.length > 0) throw new StartError(errors.join('; '));
}

/** 0 waits for ever. */
function drainMs(config: Config): number {
  const seconds = config.integer('DEFAULT', 'graceful_shutdown_timeout');
  return seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1000;
}

function workerNumbers(config: Config, cpus: number): WorkerNumbers {
  return { ...workerCounts(config, cpus), relay: 1, periodic: 1 };
}

/** Room for every worker's pool twice (a roll has two of some for a while), and for people with psql. */
function connectionsNeeded(config: Config, cpus: number): number {
  const { api, rpc, reports, relay, periodic } = workerNumbers(config, cpus);
  const workers = api + rpc + reports + relay + periodic;
  return Math.max(100, workers * config.integer('database', 'max_pool_size') * 2 + 20);
}
