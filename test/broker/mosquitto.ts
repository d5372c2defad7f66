/** A real Mosquitto with the shipped configuration and ACL file, as a child on a free loopback port. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Stoppable } from '#src/lib/lifetime.ts';

const SHIPPED = new URL('../../etc/mosquitto/', import.meta.url);

/** Where it is, or null. */
export function findMosquitto(): string | null {
  const places = ['mosquitto', '/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto'];
  return places.find((place) => spawnSync(place, ['-h'], { stdio: 'ignore' }).error === undefined) ?? null;
}

export interface Mosquitto {
  readonly port: number;
  readonly wsPort: number;
  /** Starts it; resolves when it accepts connections. What it keeps is there again when it is launched again. */
  launch(): Promise<ChildProcess>;
  /** Removes what it keeps. */
  remove(): Promise<void>;
}

/** Writes what it needs to run on this password file. */
export async function prepareMosquitto(passwords: string): Promise<Mosquitto> {
  const command = findMosquitto();
  if (command === null) throw new Error('there is no mosquitto on this machine: apt-get install mosquitto');
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'nucleon-mosquitto-'));
  const [port, wsPort] = [await freePort(), await freePort()];
  const file = (name: string) => path.join(folder, name);
  const here = (await fs.readFile(new URL('nucleon.conf', SHIPPED), 'utf8'))
    .replace(/^listener 1883$/m, `listener ${port} 127.0.0.1`)
    .replace(/^# (listener) 9001$/m, `$1 ${wsPort} 127.0.0.1`)
    .replace(/^# (protocol websockets)$/m, '$1')
    .replaceAll('/etc/mosquitto/nucleon.passwd', file('passwd'))
    .replaceAll('/etc/mosquitto/nucleon.acl', file('acl'))
    .replaceAll('/var/lib/mosquitto/', `${folder}/`);
  await fs.writeFile(file('conf'), here);
  await fs.writeFile(file('passwd'), passwords);
  await fs.copyFile(new URL('nucleon.acl', SHIPPED), file('acl'));
  // As root it becomes another user, which must still reach its files.
  if (process.getuid?.() === 0) spawnSync('chown', ['-R', 'mosquitto', folder]);
  return {
    port,
    wsPort,
    async launch() {
      const child = spawn(command, ['-c', file('conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
      // Also when the tests are broken off.
      const kill = () => child.kill('SIGKILL');
      process.once('exit', kill);
      child.once('exit', () => process.off('exit', kill));
      let said = '';
      child.stderr.on('data', (text) => {
        said += text;
      });
      for (let attempt = 0; !((await accepts(port)) && (await accepts(wsPort))); attempt += 1) {
        if (attempt > 200 || child.exitCode !== null) throw new Error(`mosquitto does not start: ${said}`);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      return child;
    },
    remove: () => fs.rm(folder, { recursive: true, force: true }),
  };
}

/** Starts it on this password file; resolves when it accepts connections. */
export async function startMosquitto(
  passwords: string,
): Promise<Stoppable & { readonly port: number; readonly wsPort: number }> {
  const { port, wsPort, launch, remove } = await prepareMosquitto(passwords);
  const child = await launch();
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    port,
    wsPort,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await remove();
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
