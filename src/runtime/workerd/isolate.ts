/**
 * The API of one isolate: configuration from bindings, plugins, policy, identity, the HTTP app. Built once, without any
 * I/O, so that no request waits for what another one began.
 *
 * It migrates nothing, makes no administrator and sends no notification: a server elsewhere does, on the same database.
 * What it wants agents to know stays in the outbox for that server's relay.
 */
import { allOptions, loadConfig } from '#src/config/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import type { Logger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { type ApiApp, createApi } from '#src/server/api_app.ts';
import { assemble } from '#src/server/assembly.ts';
import { acceptConfiguration } from '#src/server/configuration.ts';
import { loadModules } from '#src/server/registry.ts';
import { createLogger, logSettings } from '#src/telemetry/contract.ts';
import { scrypt } from '../node/scrypt.ts';
import { type Bindings, type DatabaseBinding, databaseBinding, policyTexts, variables } from './bindings.ts';
import { createRequestDatabase, type RequestDatabase } from './request_database.ts';

export interface Isolate {
  readonly api: ApiApp;
  readonly db: RequestDatabase;
  readonly database: DatabaseBinding;
}

/** An isolate listens on no address of its own: anybody may reach it, which is what `noauth` must know. */
const ENDPOINT = new URL('http://0.0.0.0');

/** Builds it; throws an error that says what to mend in the bindings. */
export async function createIsolate(bindings: Bindings): Promise<Isolate> {
  const loaded = await loadConfig({ files: [], env: variables(bindings), readFile: noFiles, options: allOptions });
  const { config } = loaded;
  // Counters of an isolate that lives for minutes, among thousands, that nobody can scrape: none are kept.
  const metrics = silentMetrics;
  const clock = systemClock;
  const log: Logger = createLogger({
    ...logSettings(config),
    write: (line) => console.log(line),
    clock,
    fields: { worker: 'isolate' },
  });
  acceptConfiguration(loaded, log);
  const database = databaseBinding(bindings, config);
  const db = createRequestDatabase({ log, metrics });
  const modules = await loadModules({ config, log });
  const assembly = await assemble({ modules, config, db, log, metrics, clock });
  const api = await createApi({
    assembly,
    config,
    db,
    log,
    metrics,
    clock,
    scrypt,
    policyTexts: policyTexts(bindings),
    endpoint: ENDPOINT,
    isolated: true,
  });
  return { api, db, database };
}

async function noFiles(path: string): Promise<string> {
  throw new Error(`an isolate has no files, so ${path} cannot be read`);
}
