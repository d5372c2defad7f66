/**
 * The bundled API in workerd (through miniflare), on a database of its own. What it leaves in the outbox goes out through a relay
 * outside, as in a deployment; what that relay would publish is kept.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Miniflare } from 'miniflare';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { createEmbeddedIdentity, identitySettings } from '#src/identity/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import type { Database } from '#src/lib/database.ts';
import { Lifetime } from '#src/lib/lifetime.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { startRelay } from '#src/outbox/mod.ts';
import { scrypt } from '#src/runtime/node/scrypt.ts';
import { assemble } from '#src/server/assembly.ts';
import { loadModules } from '#src/server/registry.ts';
import { sourcesOf } from '#src/server/workers/relay.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import type { HeardMessage, RunningApi } from '../api_suite.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const base = { log: silentLogger, metrics: silentMetrics, clock: systemClock };

/** The administrator's password in `startEdge`. */
export const PASSWORD = 'the administrator of the edge';

/** Runs the bundle command and gives the module's text. */
export async function bundle(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nucleon-workerd-'));
  try {
    const outfile = join(folder, 'main.js');
    await promisify(execFile)('node', ['bin/bundle_workerd.mjs', '--outfile', outfile], {
      cwd: ROOT,
    });
    return await readFile(outfile, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Worker {
  readonly url: string;
  /** All that it has logged so far. */
  output(): string;
  stop(): Promise<void>;
}

export interface WorkerOptions {
  readonly script: string;
  /** Variables and secrets. */
  readonly bindings: Readonly<Record<string, string | boolean | number>>;
  /** Hyperdrive bindings: name to database URL. */
  readonly hyperdrives?: Readonly<Record<string, string>>;
}

/** Runs a bundle in workerd. */
export async function startWorker({ script, bindings, hyperdrives = {} }: WorkerOptions): Promise<Worker> {
  let output = '';
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'main.js', contents: script }],
    compatibilityDate: '2026-07-01',
    compatibilityFlags: ['nodejs_compat'],
    host: '127.0.0.1',
    port: 0,
    bindings: { ...bindings },
    hyperdrives: { ...hyperdrives },
    handleRuntimeStdio(...streams: readonly Readable[]) {
      for (const stream of streams) stream.on('data', (chunk) => (output += chunk));
    },
  });
  const url = await miniflare.ready;
  return { url: url.origin, output: () => output, stop: () => miniflare.dispose() };
}

/** A migrated database with an administrator, as a server that shares it leaves it. */
export async function edgeDatabase(name: string): Promise<TestDatabase> {
  const database = await migratedDatabase(name);
  await identity(database.db).bootstrap(PASSWORD);
  return database;
}

function identity(db: Database) {
  const settings = identitySettings(configFrom(allOptions, {}));
  return createEmbeddedIdentity({ ...base, db, scrypt, settings, fallbackEndpoint: 'http://127.0.0.1' });
}

/** The API in workerd on a database of its own, with a relay. */
export async function startEdge(): Promise<RunningApi> {
  const life = new Lifetime();
  const database = await edgeDatabase('edge');
  life.add({ stop: () => database.drop() });
  const messages: HeardMessage[] = [];
  const config = configFrom(allOptions, { ml2: { mechanism_drivers: ['openvswitch'] } });
  const modules = await loadModules({ config, log: silentLogger });
  const { plugins } = await assemble({ ...base, config, db: database.db, modules });
  const relay = await startRelay({
    ...base,
    url: database.url,
    sources: sourcesOf(plugins),
    async publish({ topic, payload }) {
      const { method, args } = JSON.parse(payload) as HeardMessage;
      messages.push({ topic, method, args });
    },
  });
  life.add(relay);
  const worker = await startWorker({ script: await bundle(), bindings: { OS_DATABASE__CONNECTION: database.url } });
  life.add(worker);
  return { url: worker.url, password: PASSWORD, heard: () => messages, stop: () => life.stop() };
}
