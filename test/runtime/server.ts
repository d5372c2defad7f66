/** A whole server with everything embedded, and a subscriber at its broker. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { type NucleonOptions, startNucleon, until } from '../support/nucleon.ts';
import type { HeardMessage, RunningApi } from './api_suite.ts';

export async function startServer(runtime: NonNullable<NucleonOptions['runtime']>): Promise<RunningApi> {
  const nucleon = await startNucleon({ runtime, env: { OS_DEFAULT__API_WORKERS: '2', OS_DEFAULT__RPC_WORKERS: '1' } });
  try {
    const { OS_PASSWORD: password } = await nucleon.openrc();
    if (password === undefined) throw new Error('openrc has no password');
    const subscriber = await listenToAgents(nucleon.stateDir);
    const stop = async () => {
      await subscriber.stop();
      await nucleon.stop();
    };
    return { url: nucleon.url, password, heard: subscriber.heard, stop };
  } catch (error) {
    await nucleon.stop();
    throw new Error(`the server started, but is of no use to the suite; it said:\n${nucleon.output()}`, {
      cause: error,
    });
  }
}

/** Subscribes, with the server's own account, what all agents and those of `compute-1` are told. */
async function listenToAgents(stateDir: string) {
  const state = (path: string) => readFile(join(stateDir, path), 'utf8');
  const { mqtt_port: port } = JSON.parse(await state('ports.json')) as { mqtt_port: number };
  const [username, password] = (await state('mqtt/server_account')).trim().split(':');
  // The API answers while the broker is still starting.
  const client = await until('the broker', () =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username, password, protocolVersion: 5 }),
  );
  const messages: HeardMessage[] = [];
  client.on('message', (topic, payload) => {
    const { method, args } = JSON.parse(payload.toString()) as HeardMessage;
    messages.push({ topic, method, args });
  });
  await client.subscribeAsync(['neutron/v1/fanout/#', 'neutron/v1/down/compute-1/msg/#'], { qos: 1 });
  return { heard: () => messages, stop: () => client.endAsync(true) };
}
