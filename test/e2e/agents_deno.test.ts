/** Server and agents on Deno, with Mosquitto where there is one: each host logs in as a user that the operator has made. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lifetime } from '#src/lib/lifetime.ts';
import { HAS_MOSQUITTO, MUST_HAVE_MOSQUITTO, passwordFile, passwordOf } from '../broker/brokers.ts';
import { startMosquitto } from '../broker/mosquitto.ts';
import { startNucleon } from '../support/nucleon.ts';
import { type AgentScene, agentStory, HOSTS, OPTIONS } from './agents.ts';

const mosquitto = HAS_MOSQUITTO || MUST_HAVE_MOSQUITTO;

async function withMosquitto(life: Lifetime): Promise<AgentScene> {
  const folder = await mkdtemp(join(tmpdir(), 'nucleon-agents-'));
  life.onStop(() => rm(folder, { recursive: true, force: true }));
  const credentials = join(folder, 'credentials');
  await writeFile(credentials, HOSTS.map((host) => `${host}:${passwordOf(host)}\n`).join(''));
  const broker = life.add(await startMosquitto(await passwordFile(['server', ...HOSTS])));
  const url = { OS_MQTT__URL: `mqtt://127.0.0.1:${broker.port}` };
  const account = { OS_MQTT__USERNAME: 'server', OS_MQTT__PASSWORD: passwordOf('server') };
  const server = life.add(await startNucleon({ runtime: 'deno', env: { ...OPTIONS, ...url, ...account } }));
  return { server, runtime: 'deno', env: { ...OPTIONS, ...url }, args: ['--credentials', credentials] };
}

async function embedded(life: Lifetime): Promise<AgentScene> {
  const server = life.add(await startNucleon({ runtime: 'deno', env: OPTIONS }));
  return { server, runtime: 'deno', env: { ...OPTIONS, OS_EMBEDDED__STATE_DIR: server.stateDir }, args: [] };
}

agentStory(`${mosquitto ? 'Mosquitto' : 'the embedded broker'}, on Deno`, mosquitto ? withMosquitto : embedded);
