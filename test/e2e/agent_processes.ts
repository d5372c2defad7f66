/** `nucleon agent simulated` in processes of its own beside a whole server, on one runtime or the other. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Lifetime } from '#src/lib/lifetime.ts';
import { HAS_MOSQUITTO, MUST_HAVE_MOSQUITTO, passwordFile, passwordOf } from '../broker/brokers.ts';
import { startMosquitto } from '../broker/mosquitto.ts';
import { ROOT } from '../docs/support/markdown.ts';
import { COMMANDS, type Nucleon, startNucleon, until } from '../support/nucleon.ts';

type Options = Readonly<Record<string, string>>;

export interface AgentScene {
  readonly server: Nucleon;
  /** The environment that the agents' command is run with: the server's configuration. */
  readonly env: Options;
  readonly runtime: keyof typeof COMMANDS;
  /** Said to the agents' command beside all else. */
  readonly args: readonly string[];
}

export interface Agents {
  readonly lines: readonly string[];
  readonly kill: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** Beside a server with its own broker, as `npm start` gives it: agents find broker and accounts in its state directory. */
export async function onNode(life: Lifetime, options: Options): Promise<AgentScene> {
  const server = life.add(await startNucleon({ env: options }));
  return { server, runtime: 'node', env: { ...options, OS_EMBEDDED__STATE_DIR: server.stateDir }, args: [] };
}

/** Whether the broker of `onDeno` is Mosquitto. */
export const WITH_MOSQUITTO = HAS_MOSQUITTO || MUST_HAVE_MOSQUITTO;

/** Server and agents on Deno, with Mosquitto where there is one: each host logs in as a user that the operator has made. */
export async function onDeno(life: Lifetime, options: Options, hosts: readonly string[]): Promise<AgentScene> {
  if (!WITH_MOSQUITTO) {
    const server = life.add(await startNucleon({ runtime: 'deno', env: options }));
    return { server, runtime: 'deno', env: { ...options, OS_EMBEDDED__STATE_DIR: server.stateDir }, args: [] };
  }
  const folder = await mkdtemp(join(tmpdir(), 'nucleon-agents-'));
  life.onStop(() => rm(folder, { recursive: true, force: true }));
  const credentials = join(folder, 'credentials');
  await writeFile(credentials, hosts.map((host) => `${host}:${passwordOf(host)}\n`).join(''));
  const broker = life.add(await startMosquitto(await passwordFile(['server', ...hosts])));
  const url = { OS_MQTT__URL: `mqtt://127.0.0.1:${broker.port}` };
  const account = { OS_MQTT__USERNAME: 'server', OS_MQTT__PASSWORD: passwordOf('server') };
  const server = life.add(await startNucleon({ runtime: 'deno', env: { ...options, ...url, ...account } }));
  return { server, runtime: 'deno', env: { ...options, ...url }, args: ['--credentials', credentials] };
}

/** Runs `nucleon agent simulated` until `kill` or the end. */
export function startAgents(scene: AgentScene, life: Lifetime, args: readonly string[]): Agents {
  const { env, runtime } = scene;
  const [command, ...first] = COMMANDS[runtime];
  const child: ChildProcess = spawn(command, [...first, 'agent', 'simulated', ...args, ...scene.args], {
    cwd: ROOT,
    env: { ...process.env, OS_DEFAULT__DEBUG: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) createInterface(stream).on('line', (line) => lines.push(line));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exited;
  };
  life.onStop(async () => void (await kill('SIGTERM')));
  return { lines, kill };
}

/** Waits for what the command says when all agents have reported and know what concerns them. */
export async function ready({ lines }: Agents): Promise<void> {
  const said = async () => lines.some((line) => /(is|are) ready$/.test(line));
  await until('the agents to be ready', said, 40_000).catch((error) => {
    throw new Error(`the agents said:\n${lines.join('\n')}`, { cause: error });
  });
}
