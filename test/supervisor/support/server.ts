/** A server in processes of its own, on Node or Deno, with the test workers; what the tests see of it comes from outside. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { denoPath } from '../../support/deno.ts';

export type RuntimeName = 'node' | 'deno';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const local = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const PROGRAMS: Readonly<Record<RuntimeName, readonly [string, ...string[]]>> = {
  node: [process.execPath, local('main_node.ts')],
  deno: [denoPath(), 'run', '--allow-all', '--config', path.join(root, 'deno.json'), local('main_deno.ts')],
};

export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  readonly folder: string;
  readonly url: string;
  /** Everything printed so far, on both outputs. */
  output(): string;
  /** Resolves when the output has the text. */
  says(text: string, count?: number): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface ProcessInfo {
  readonly pid: number;
  readonly title: string;
}

const started = new Set<ServerProcess>();
const folders = new Set<string>();

export async function temporaryFolder(): Promise<string> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'nucleon-supervisor-'));
  folders.add(folder);
  return folder;
}

/** A free port below those that the system takes for outgoing connections: it is still free when a server starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = net.createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** What every configuration of these tests has; `more` are lines of [DEFAULT]. */
export function configuration(folder: string, port: number, more = '', sections = ''): string {
  return `[DEFAULT]
core_plugin = ${local('plugin.ts')}
bind_port = ${port}
graceful_shutdown_timeout = 10
${more}
[embedded]
state_dir = ${folder}/state
${sections}`;
}

/** Runs a command of the program; the configuration file, if any, is `<folder>/nucleon.conf`. */
export function run(
  runtime: RuntimeName,
  words: readonly string[],
  options: { readonly folder: string; readonly port?: number; readonly wrap?: readonly string[] },
): ServerProcess {
  const [command, ...args] = [...(options.wrap ?? []), ...PROGRAMS[runtime], ...words] as [string, ...string[]];
  // Options that the environment of the tests sets are not theirs.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('OS_')));
  const child = spawn(command, args, { cwd: options.folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  return follow(child, options.folder, options.port ?? 0);
}

function follow(child: ChildProcess, folder: string, port: number): ServerProcess {
  let output = '';
  child.on('error', (error) => {
    output += `${error}\n`;
  });
  const listeners = new Set<() => void>();
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal });
      for (const listener of listeners) listener();
    });
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      for (const listener of listeners) listener();
    });
  }
  const server: ServerProcess = {
    pid: child.pid!,
    port,
    folder,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    says: (text, count = 1) =>
      until(
        () => output.split(text).length > count,
        () => `"${text}" was not said; the output is:\n${output}`,
        (check) => listeners.add(check),
        () => child.exitCode !== null || child.signalCode !== null,
      ),
    signal: (signal) => {
      child.kill(signal);
    },
    exited,
  };
  started.add(server);
  return server;
}

/**
 * A state directory as a first start leaves it, made once for a test file: what the other tests begin with, so that each does
 * not make a database of its own.
 */
let template: Promise<string> | undefined;

async function makeTemplate(): Promise<string> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'nucleon-supervisor-template-'));
  const port = await freePort();
  await fs.writeFile(path.join(folder, 'nucleon.conf'), configuration(folder, port, 'api_workers = 1'));
  const server = run('node', ['server', '--config-file', 'nucleon.conf'], { folder, port });
  await server.says('all workers are ready');
  server.signal('SIGTERM');
  await server.exited;
  await fs.rm(path.join(folder, 'state', 'ports.json'));
  return folder;
}

/** Gives the folder a state directory that has been used before. */
export async function usedState(folder: string): Promise<void> {
  template ??= makeTemplate();
  const from = path.join(await template, 'state');
  const copied = spawnSync('cp', ['-a', from, path.join(folder, 'state')]);
  if (copied.status !== 0) throw new Error(`the state directory was not copied: ${copied.stderr}`);
}

export async function removeTemplate(): Promise<void> {
  if (template === undefined) return;
  await fs.rm(await template, { recursive: true, force: true });
  template = undefined;
}

/** Starts a server, on a state directory that was used before, and waits until all of it is ready. */
export async function startServer(
  runtime: RuntimeName,
  options: {
    readonly more?: string;
    readonly sections?: string;
    readonly folder?: string;
    readonly port?: number;
  } = {},
): Promise<ServerProcess> {
  const folder = options.folder ?? (await temporaryFolder());
  if (options.folder === undefined) await usedState(folder);
  const port = options.port ?? (await freePort());
  await fs.writeFile(path.join(folder, 'nucleon.conf'), configuration(folder, port, options.more, options.sections));
  const server = run(runtime, ['server', '--config-file', 'nucleon.conf'], { folder, port });
  await server.says('all workers are ready');
  return server;
}

/** Stops what a test left, however it ended. */
export async function cleanUp(): Promise<void> {
  for (const server of started) {
    const pids = [server.pid, ...(await descendants(server.pid)).map(({ pid }) => pid)];
    server.signal('SIGTERM');
    const done = await Promise.race([server.exited.then(() => true), delay(5000).then(() => false)]);
    if (!done) for (const pid of pids) kill(pid);
    await server.exited;
  }
  started.clear();
  for (const folder of folders) await fs.rm(folder, { recursive: true, force: true });
  folders.clear();
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** The direct children, with what `ps` shows of them (the program's own words; PostgreSQL has options behind its title). */
export async function children(pid: number): Promise<readonly ProcessInfo[]> {
  const text = await fs.readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const found = await Promise.all(
    text
      .split(' ')
      .filter((word) => word !== '')
      .map(async (word) => ({ pid: Number(word), title: await title(Number(word)) })),
  );
  return found.filter((info) => info.title !== '');
}

export async function descendants(pid: number): Promise<readonly ProcessInfo[]> {
  const direct = await children(pid);
  const further = await Promise.all(direct.map((child) => descendants(child.pid)));
  return [...direct, ...further.flat()];
}

export async function title(pid: number): Promise<string> {
  const text = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.split('\0')[0] ?? '';
}

/** How many children there are of each title. */
export async function tree(pid: number): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const child of await children(pid)) counts[child.title] = (counts[child.title] ?? 0) + 1;
  return counts;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const delay = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits for a condition: asked when `subscribe` calls, or else every 20 ms, for 30 s at most. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  complaint: () => string,
  subscribe: (check: () => void) => void = () => {},
  hopeless: () => boolean = () => false,
): Promise<void> {
  let wake = () => {};
  subscribe(() => wake());
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    if (await holds()) return;
    if (hopeless()) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, 20);
    });
  }
  if (!(await holds())) throw new Error(complaint());
}
