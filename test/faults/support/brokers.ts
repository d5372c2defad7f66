/** Brokers that can be killed and launched again on their port, with what they keep. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { passwordFile } from '../../broker/brokers.ts';
import { prepareMosquitto } from '../../broker/mosquitto.ts';
import { freePort } from '../../support/nucleon.ts';

interface Prepared {
  readonly port: number;
  launch(): Promise<ChildProcess>;
  remove(): Promise<void>;
}

/** By name, how each is made ready for these users. */
const KINDS: Readonly<Record<string, (passwords: string) => Promise<Prepared>>> = {
  'the embedded broker': prepareEmbedded,
  Mosquitto: prepareMosquitto,
};

export class BrokerProcess {
  readonly url: string;
  readonly #prepared: Prepared;
  #child: ChildProcess | undefined;

  private constructor(prepared: Prepared) {
    this.#prepared = prepared;
    this.url = `mqtt://127.0.0.1:${prepared.port}`;
  }

  /** Starts one that knows these users (`passwordOf` tells their passwords). */
  static async start(kind: string, users: readonly string[]): Promise<BrokerProcess> {
    const broker = new BrokerProcess(await KINDS[kind]!(await passwordFile(users)));
    await broker.launch();
    return broker;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async launch(): Promise<void> {
    this.#child = await this.#prepared.launch();
  }

  /** Resolves when it is gone. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    await exited;
  }

  async stop(): Promise<void> {
    await this.end('SIGKILL');
    await this.#prepared.remove();
  }
}

async function prepareEmbedded(passwords: string): Promise<Prepared> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'nucleon-broker-'));
  const file = path.join(folder, 'users');
  await fs.writeFile(file, passwords);
  const port = await freePort();
  return {
    port,
    async launch() {
      const script = new URL('broker_process.ts', import.meta.url).pathname;
      const child = spawn(process.execPath, [script, String(port), file], { stdio: ['ignore', 'pipe', 'inherit'] });
      const kill = () => child.kill('SIGKILL');
      process.once('exit', kill);
      child.once('exit', () => process.off('exit', kill));
      const { value, done } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
      if (done || value !== 'listening') throw new Error(`the broker did not start; it said ${value}`);
      return child;
    },
    remove: () => fs.rm(folder, { recursive: true, force: true }),
  };
}
