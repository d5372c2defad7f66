/**
 * Measures an MQTT broker as RPC uses it, through MQTT.js in processes of their own:
 *
 *   node bin/node24.mjs bench/mqtt_broker.ts                          the embedded broker, started for this
 *   node bin/node24.mjs bench/mqtt_broker.ts mqtt://127.0.0.1:1883 server PASSWORD
 *
 * Round trips: a caller with 32 requests in flight, 400 bytes each way, a responder on a shared subscription. Fan-out: one
 * message to 2,000 connected clients. Memory is the embedded broker's with those 2,000 connected.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { startBroker } from '#src/broker/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { nodeRuntime } from '#src/runtime/node/runtime.ts';

const P = 'neutron/v1';
const IN_FLIGHT = 32;
const SECONDS = 5;
const CLIENTS = 2000;
const BODY = Buffer.alloc(400, 'x');

const [role, url = '', username = 'u', password = 'p'] = process.argv.slice(2);

async function connect(options: IClientOptions = {}): Promise<MqttClient> {
  const client = await mqtt.connectAsync(url, { protocolVersion: 5, username, password, ...options });
  // MQTT.js leaves Nagle's algorithm on.
  if ('setNoDelay' in client.stream) (client.stream as { setNoDelay(on: boolean): void }).setNoDelay(true);
  return client;
}

async function broker(): Promise<void> {
  const { network } = nodeRuntime(import.meta.filename);
  if (network === undefined) throw new Error('this runtime has no network');
  const { port } = await startBroker({
    network,
    host: '127.0.0.1',
    port: 0,
    users: { authenticate: async () => ({ canPublish: () => true, canSubscribe: () => true }) },
    log: silentLogger,
    metrics: silentMetrics,
    clock: systemClock,
  });
  process.send?.({ port });
  process.on('message', () => process.send?.({ cpu: process.cpuUsage(), memory: process.memoryUsage().rss }));
}

async function responder(): Promise<void> {
  const client = await connect();
  client.on('message', (_, payload, { qos, properties }) => {
    const { responseTopic = '', correlationData } = properties ?? {};
    client.publish(responseTopic, payload, { qos, properties: { ...(correlationData && { correlationData }) } });
  });
  await client.subscribeAsync(`$share/nucleon/${P}/up/+/req/bench`, { qos: 1 });
  process.send?.({ ready: true });
}

async function roundTrips(qos: 0 | 1): Promise<number> {
  const client = await connect();
  const responseTopic = `${P}/down/host/rep/bench`;
  await client.subscribeAsync(responseTopic, { qos });
  let done = 0;
  let sent = 0;
  const call = () => {
    sent += 1;
    const correlationData = Buffer.from(String(sent));
    client.publish(`${P}/up/host/req/bench`, BODY, { qos, properties: { responseTopic, correlationData } });
  };
  client.on('message', () => {
    done += 1;
    call();
  });
  for (let n = 0; n < IN_FLIGHT; n += 1) call();
  await pause(1000);
  const [begin, before] = [performance.now(), done];
  await pause(SECONDS * 1000);
  const rate = ((done - before) / (performance.now() - begin)) * 1000;
  client.removeAllListeners('message');
  await client.endAsync();
  return Math.round(rate);
}

async function fanOut(): Promise<string> {
  const begin = performance.now();
  const clients: MqttClient[] = [];
  let heard = 0;
  for (let n = 0; n < CLIENTS; n += 100) {
    clients.push(...(await Promise.all(Array.from({ length: 100 }, () => connect()))));
  }
  await Promise.all(
    clients.map((client) => {
      client.on('message', () => {
        heard += 1;
      });
      return client.subscribeAsync(`${P}/fanout/#`, { qos: 1 });
    }),
  );
  const connected = performance.now() - begin;
  const [first] = clients;
  const sentAt = performance.now();
  const rounds = 5;
  for (let n = 0; n < rounds; n += 1) await first?.publishAsync(`${P}/fanout/bench`, BODY, { qos: 1 });
  while (heard < rounds * CLIENTS) await pause(1);
  const rate = Math.round((rounds * CLIENTS * 1000) / (performance.now() - sentAt));
  process.send?.({ heard });
  const text = `${CLIENTS} clients connected and subscribed in ${Math.round(connected)} ms; fan-out ${rate} deliveries/s`;
  for (const client of clients) client.end(true);
  return text;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function child(...args: string[]): { readonly process: ChildProcess; next(): Promise<Record<string, unknown>> } {
  const process = fork(import.meta.filename, args);
  return { process, next: () => new Promise((resolve) => process.once('message', (said) => resolve(said as never))) };
}

async function main(): Promise<void> {
  const mine = role === undefined ? child('broker') : undefined;
  const target = mine === undefined ? String(role) : `mqtt://127.0.0.1:${(await mine.next())['port']}`;
  // The arguments of an external broker stand one place further left than a role's.
  const account = mine === undefined ? [url || 'u', username] : ['u', 'p'];
  const answers = child('responder', target, ...account);
  await answers.next();
  for (const qos of ['0', '1']) {
    const caller = child('caller', target, ...account, qos);
    console.log(`QoS ${qos}: ${(await caller.next())['rate']} round trips/s, ${IN_FLIGHT} in flight, ${BODY.length} B`);
    caller.process.kill();
  }
  const many = child('many', target, ...account);
  await many.next();
  if (mine !== undefined) {
    const said = mine.next();
    mine.process.send('how much?');
    console.log(`memory of the broker: ${Math.round(Number((await said)['memory']) / 1024 / 1024)} MiB`);
  }
  console.log((await many.next())['text']);
  for (const one of [many, answers, mine]) one?.process.kill();
}

const ROLES: Readonly<Record<string, () => Promise<void>>> = {
  broker,
  responder,
  caller: async () => void process.send?.({ rate: await roundTrips(process.argv[6] === '1' ? 1 : 0) }),
  many: async () => {
    const text = await fanOut();
    await pause(200);
    process.send?.({ text });
  },
};
await (ROLES[role ?? ''] ?? main)();
