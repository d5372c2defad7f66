/** A whole server, started as a user starts it, in a state directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denoPath } from './deno.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How the command is run, by runtime. */
export const COMMANDS = {
  node: ['node', 'bin/nucleon.mjs'],
  deno: [denoPath(), 'run', '-A', '--unstable-net', 'src/runtime/deno/main.ts'],
} as const;

export interface NucleonOptions {
  readonly runtime?: keyof typeof COMMANDS;
  /** `OS_<GROUP>__<OPTION>` settings. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Where the state is kept; a new directory, removed at the end, unless told. */
  readonly stateDir?: string;
  /** How long the first answer is waited for (20,000 ms). */
  readonly patienceMs?: number;
}

export interface Nucleon {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly stateDir: string;
  readonly pid: number;
  /** From the start of the process to its first answer. */
  readonly startMs: number;
  /** All that it has written so far. */
  output(): string;
  /** The variables of the generated openrc. */
  openrc(): Promise<Readonly<Record<string, string>>>;
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** Calls `look` until it gives something, or fails with what was waited for. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>, ms = 20_000): Promise<T> {
  const end = Date.now() + ms;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited ${ms} ms in vain for: ${what}`, { cause: last });
}

function parseOpenrc(text: string): Readonly<Record<string, string>> {
  const lines = text.matchAll(/^export (OS_[A-Z0-9_]+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value!.replace(/^(['"])(.*)\1$/, '$2')]));
}

/** Starts `nucleon server` and waits for its first answer. */
export async function startNucleon(options: NucleonOptions = {}): Promise<Nucleon> {
  const stateDir = options.stateDir ?? (await mkdtemp(join(tmpdir(), 'nucleon-test-')));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [command, ...first] = COMMANDS[options.runtime ?? 'node'];
  const begun = performance.now();
  const child: ChildProcess = spawn(command, [...first, 'server', ...(options.args ?? [])], {
    cwd: ROOT,
    env: {
      ...process.env,
      OS_DEFAULT__BIND_PORT: String(port),
      OS_EMBEDDED__STATE_DIR: stateDir,
      // Any free ones: servers of other tests start at the same moment and want the usual ones, too.
      OS_EMBEDDED__POSTGRES_PORT: '0',
      OS_EMBEDDED__MQTT_PORT: '0',
      OS_EMBEDDED__MQTT_WS_PORT: String(await freePort()),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let gone = false;
  exited.then(() => (gone = true));
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await exited;
    clearTimeout(timer);
    if (options.stateDir === undefined) await rm(stateDir, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    await until(
      'the first answer',
      async () => {
        if (gone) throw new Error('the server has ended');
        return (await fetch(`${url}/`, { signal: AbortSignal.timeout(2000) })).ok;
      },
      options.patienceMs,
    );
  } catch (error) {
    await stop();
    throw new Error(`nucleon server did not start; it said:\n${output}`, { cause: error });
  }
  const startMs = performance.now() - begun;
  return {
    url,
    stateDir,
    pid: child.pid!,
    startMs,
    output: () => output,
    // Written by one of the API workers; another one may have answered before.
    openrc: () => until('the openrc', async () => parseOpenrc(await readFile(join(stateDir, 'openrc'), 'utf8'))),
    signal: (signal) => child.kill(signal),
    stop,
  };
}
