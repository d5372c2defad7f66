/** What only the embedded broker promises: its bounds, its users, its metrics, and what it does with broken input. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { afterEach, describe, expect, test } from 'vitest';
import {
  addUser,
  type BrokerLimits,
  createCredential,
  fileUsers,
  removeUser,
  type UserStore,
} from '#src/broker/mod.ts';
import type { Clock } from '#src/lib/clock.ts';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import { memoryFiles } from './brokers.ts';
import { Client, RawClient, until } from './client.ts';
import { type EmbeddedOptions, openUsers, startEmbedded } from './embedded.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(options: EmbeddedOptions = {}) {
  const broker = await startEmbedded('', { users: openUsers, ...options });
  stops.push(() => broker.stop());
  return {
    ...broker,
    connect: (more: Parameters<typeof Client.connect>[1] = {}) =>
      Client.connect(`mqtt://127.0.0.1:${broker.port}`, { username: 'u', password: 'p', ...more }),
    async raw(more: Parameters<RawClient['connect']>[0] = {}) {
      const client = new RawClient(broker.port);
      stops.push(async () => client.destroy());
      await client.connect({ username: 'u', password: Buffer.from('p'), ...more });
      return client;
    },
  };
}

/** A clock that only the test moves. */
function movedClock(): Clock & { forward(seconds: number): void } {
  let now = 1_800_000_000_000;
  return {
    now: () => now,
    forward: (seconds) => {
      now += seconds * 1000;
    },
  };
}

describe('bounds', () => {
  test('one client more than allowed is answered 0x89', async () => {
    const broker = await start({ limits: { maxConnections: 2 } });
    const clients = [await broker.connect(), await broker.connect()];
    await expect(broker.connect()).rejects.toMatchObject({ code: 0x89 });
    await clients[0]?.end();
    await until('there is room again', () =>
      broker.connect().then(
        () => true,
        () => false,
      ),
    );
  });

  test('a connection without CONNECT is closed', async () => {
    const broker = await start({ limits: { connectTimeout: 50 } });
    const client = new RawClient(broker.port);
    await client.waitForClose();
  });

  test('a session whose queue is full ends, and its client is told that nothing is left of it', async () => {
    const broker = await start({ limits: { maxQueuedMessages: 10 } });
    const kept = { clean: false, clientId: 'away', properties: { sessionExpiryInterval: 300 } };
    const away = await broker.connect(kept);
    await away.subscribe('t');
    await away.breakOff();
    const publisher = await broker.connect();
    for (let n = 0; n < 10; n += 1) await publisher.publish('t', `${n}`);
    const back = await broker.connect(kept);
    expect(back.connack.sessionPresent).toBe(true);
    await until('it has all ten', () => back.arrived.length === 10);
    await back.breakOff();
    for (let n = 0; n < 11; n += 1) await publisher.publish('t', `${n}`);
    expect((await broker.connect(kept)).connack.sessionPresent).toBe(false);
  });

  test('a publisher is told 0x97 when no member of a shared subscription has room', async () => {
    const broker = await start({ limits: { maxQueuedMessages: 5 } });
    const member = await broker.raw({ properties: { receiveMaximum: 1 } });
    await member.subscribe('$share/g/t');
    const publisher = await broker.connect();
    for (let n = 0; n < 6; n += 1) await publisher.publish('t', `${n}`);
    await expect(publisher.publish('t', 'too much')).rejects.toMatchObject({ code: 0x97 });
    member.send({ cmd: 'puback', messageId: member.publishes[0]?.messageId, reasonCode: 0 });
    await until('there is room again', () =>
      publisher.publish('t', 'more').then(
        () => true,
        () => false,
      ),
    );
  });

  test('to a slow reader QoS 0 is dropped, QoS 1 waits', async () => {
    const broker = await start({ limits: { slowReaderBytes: 100_000 } });
    const [slow, publisher] = [await broker.connect(), await broker.connect()];
    await slow.subscribe('zero', { qos: 0 });
    await slow.subscribe('one', { qos: 1 });
    slow.mqtt.stream.pause();
    const filling = 'x'.repeat(50_000);
    for (let n = 0; n < 400; n += 1) {
      await publisher.publish('zero', `${n} ${filling}`, { qos: 0 });
      await publisher.publish('one', `${n} ${filling}`, { qos: 1 });
    }
    slow.mqtt.stream.resume();
    const count = (topic: string) => slow.arrived.filter((message) => message.topic === topic).length;
    await until('all of QoS 1 is here', () => count('one') === 400);
    expect(count('zero')).toBeLessThan(400);
  });

  test('a client that never reads is closed', async () => {
    const broker = await start({ limits: { slowReaderBytes: 2_000_000, deadReaderBytes: 1_000_000 } });
    const [dead, publisher] = [await broker.raw(), await broker.connect()];
    await dead.subscribe('t', 0);
    dead.socket.pause();
    // Some megabytes are the kernel's.
    for (let n = 0; n < 40; n += 1) await publisher.publish('t', Buffer.alloc(500_000), { qos: 0 });
    await publisher.publish('end', '', { qos: 1 });
    dead.socket.resume();
    await dead.waitForClose();
    expect(dead.publishes.length).toBeLessThan(40);
  });

  test('retained messages are bounded', async () => {
    const broker = await start({ limits: { maxRetainedMessages: 2 } });
    const client = await broker.connect();
    const retain = { qos: 1, retain: true } as const;
    await client.publish('a', '1', retain);
    await client.publish('b', '1', retain);
    await client.publish('a', '2', retain);
    await expect(client.publish('c', '1', retain)).rejects.toMatchObject({ code: 0x97 });
    await client.publish('a', '', retain);
    await client.publish('c', '1', retain);
  });

  test('a keep-alive that is too long is replaced, and the client told', async () => {
    const broker = await start({ limits: { maxKeepAlive: 30, maxSessionExpiry: 60 } });
    const client = await broker.raw({ keepalive: 0, properties: { sessionExpiryInterval: 1000 } });
    const { properties } = await client.waitFor('connack');
    expect(properties).toMatchObject({ serverKeepAlive: 30, sessionExpiryInterval: 60 });
  });
});

describe('time', () => {
  test('sessions, wills and retained messages keep to the clock', async () => {
    const clock = movedClock();
    const broker = await start({ clock, limits: { maxKeepAlive: 10_000 } });
    const watcher = await broker.connect({ keepalive: 0 });
    await watcher.subscribe('will');
    const options = {
      clientId: 'a',
      clean: false,
      properties: { sessionExpiryInterval: 300 },
      will: {
        topic: 'will',
        payload: Buffer.from('gone'),
        qos: 1 as const,
        retain: false,
        properties: { willDelayInterval: 100, messageExpiryInterval: 60 },
      },
    };
    await (await broker.connect(options)).breakOff();
    clock.forward(99);
    const again = await broker.connect(options);
    expect(again.connack.sessionPresent).toBe(true);
    await again.publish('kept', 'x', { qos: 1, retain: true, properties: { messageExpiryInterval: 400 } });
    await again.breakOff();
    clock.forward(101);
    expect((await watcher.waitFor('gone')).packet.properties?.messageExpiryInterval).toBe(60);
    expect(watcher.texts()).toEqual(['gone']);
    clock.forward(200);
    expect((await broker.connect({ ...options, will: undefined })).connack.sessionPresent).toBe(false);
    const reader = await broker.connect();
    await reader.subscribe('kept');
    expect((await reader.waitFor('x')).packet.properties?.messageExpiryInterval).toBe(99);
    clock.forward(100);
    const late = await broker.connect();
    await late.subscribe('kept');
    await late.subscribe('mark');
    await late.publish('mark', 'mark');
    await late.waitFor('mark');
    expect(late.texts()).toEqual(['mark']);
  });
});

describe('stopping', () => {
  test('every client is told 0x8B', async () => {
    const broker = await start();
    const client = await broker.connect();
    await broker.stop();
    await until('the client is closed', () => client.closed);
    expect(client.disconnectReason).toBe(0x8b);
  });

  test('a port that is taken is said by its code', async () => {
    const broker = await start();
    await expect(startEmbedded('', { port: broker.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

const hasOpenssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;

describe.skipIf(!hasOpenssl)('TLS', () => {
  test('TCP and WebSocket are served over it, and plain text is not', async () => {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'nucleon-tls-'));
    stops.push(() => fs.rm(folder, { recursive: true }));
    const [keyFile, certFile] = [path.join(folder, 'key'), path.join(folder, 'cert')];
    const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost';
    spawnSync('openssl', [...request.split(' '), '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
    const [key, cert] = [await fs.readFile(keyFile, 'utf8'), await fs.readFile(certFile, 'utf8')];
    const broker = await start({ tls: { key, cert } });
    const account = { username: 'u', password: 'p', ca: cert, servername: 'localhost' };
    const tcp = await Client.connect(`mqtts://127.0.0.1:${broker.port}`, account);
    const ws = await Client.connect(`wss://localhost:${broker.wsPort}/mqtt`, { ...account, wsOptions: { ca: cert } });
    await ws.subscribe('t');
    await tcp.publish('t', 'sealed');
    await ws.waitFor('sealed');
    await expect(broker.connect()).rejects.toThrow();
    await Promise.all([tcp.end(), ws.end()]);
  });
});

describe('users', () => {
  async function withFile(clock: Clock = systemClock) {
    const files = memoryFiles();
    const users = await fileUsers({ files, path: 'passwd', topicPrefix: 'neutron/v1', clock, log: silentLogger });
    return { files, users, broker: await start({ users }) };
  }

  test('a credential works as soon as it is made and no longer once it is removed', async () => {
    const clock = movedClock();
    const { files, broker } = await withFile(clock);
    const credential = createCredential('compute 1');
    await expect(broker.connect(credential)).rejects.toMatchObject({ code: 0x86 });
    await addUser(files, 'passwd', credential);
    clock.forward(5);
    const agent = await broker.connect(credential);
    await agent.publish('neutron/v1/up/compute%201/req/q-plugin', 'x');
    await removeUser(files, 'passwd', credential.username);
    clock.forward(30);
    await expect(broker.connect(credential)).rejects.toMatchObject({ code: 0x86 });
  });

  test('guessing is slowed, and does not lock out who has been here', async () => {
    const { files, broker } = await withFile();
    const credential = createCredential('compute-1');
    await addUser(files, 'passwd', credential);
    await until('the file is read', () =>
      broker.connect(credential).then(
        (client) => client.end().then(() => true),
        () => false,
      ),
    );
    const guess = () =>
      broker.connect({ username: 'compute-1', password: 'guess' }).catch((error: { code: number }) => error.code);
    const begin = Date.now();
    const guesses = [guess(), guess(), guess()];
    await (await broker.connect(credential)).end();
    expect(await Promise.race([Promise.any(guesses), Promise.resolve('still waiting')])).toBe('still waiting');
    expect(await Promise.all(guesses)).toEqual([0x86, 0x86, 0x86]);
    // 250 ms after the first, 500 after the second.
    expect(Date.now() - begin).toBeGreaterThan(700);
  });

  test('a store that fails refuses for now and says so', async () => {
    const users: UserStore = { authenticate: () => Promise.reject(new Error('no such file')) };
    await expect((await start({ users })).connect()).rejects.toMatchObject({ code: 0x88 });
  });
});

describe('metrics', () => {
  test('connections, messages and drops are counted', async () => {
    const values = new Map<string, number>();
    const keep = (name: string) => ({
      add: (labels = {}, amount = 1) => {
        const key = `${name}${JSON.stringify(labels)}`;
        values.set(key, (values.get(key) ?? 0) + amount);
      },
      set: (value: number) => void values.set(name, value),
      observe: () => {},
    });
    const metrics: Metrics = { counter: keep, gauge: keep, histogram: keep };
    const broker = await start({ metrics });
    const [one, other] = [await broker.connect({ properties: { maximumPacketSize: 100 } }), await broker.connect()];
    await one.subscribe('t');
    await other.publish('t', 'small');
    await other.publish('t', 'x'.repeat(200));
    await one.waitFor('small');
    const value = (key: string) => values.get(key);
    await until('the metrics are told', () => value('nucleon_mqtt_messages_received_total{"qos":"1"}') === 2);
    expect(value('nucleon_mqtt_messages_sent_total{"qos":"1"}')).toBe(1);
    expect(value('nucleon_mqtt_messages_dropped_total{"reason":"too large"}')).toBe(1);
    expect(value('nucleon_mqtt_connections')).toBe(2);
    expect(value('nucleon_mqtt_queued_messages')).toBe(0);
    await one.end();
    await until('one has left', () => value('nucleon_mqtt_connections') === 1);
  });
});

describe('broken input', () => {
  const protocolErrors: readonly [string, number, Packet][] = [
    ['a second CONNECT', 0x82, { cmd: 'connect', clientId: 'x', protocolVersion: 5, clean: true }],
    ['a SUBACK from a client', 0x82, { cmd: 'suback', messageId: 1, granted: [0] }],
    ['a topic with a wildcard', 0x90, { cmd: 'publish', topic: 'a/+', payload: '', qos: 0, dup: false, retain: false }],
    ['a topic with NUL', 0x90, { cmd: 'publish', topic: 'a\0', payload: '', qos: 0, dup: false, retain: false }],
    ['no topic', 0x90, { cmd: 'publish', topic: '', payload: '', qos: 0, dup: false, retain: false }],
    [
      'packet identifier 0',
      0x81,
      { cmd: 'publish', topic: 'a', payload: '', qos: 1, messageId: 0, dup: false, retain: false },
    ],
    [
      'topic alias 0',
      0x94,
      { cmd: 'publish', topic: 'a', payload: '', qos: 0, dup: false, retain: false, properties: { topicAlias: 0 } },
    ],
    [
      'an unset topic alias',
      0x82,
      { cmd: 'publish', topic: '', payload: '', qos: 0, dup: false, retain: false, properties: { topicAlias: 5 } },
    ],
    [
      'a subscription identifier in a PUBLISH',
      0x82,
      {
        cmd: 'publish',
        topic: 'a',
        payload: '',
        qos: 0,
        dup: false,
        retain: false,
        properties: { subscriptionIdentifier: 5 },
      },
    ],
    [
      'No Local on a shared subscription',
      0x82,
      { cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '$share/g/a', qos: 1, nl: true, rap: false, rh: 0 }] },
    ],
    ['an AUTH', 0x82, { cmd: 'auth', reasonCode: 0 }],
  ];

  test.each(protocolErrors)('%s closes the connection with reason %i', async (_, reason, packet) => {
    const client = await (await start()).raw();
    client.send(packet);
    expect((await client.waitFor('disconnect')).reasonCode).toBe(reason);
    await client.waitForClose();
  });

  test('more unfinished QoS 2 messages than announced close the connection with 0x93', async () => {
    const client = await (await start({ limits: { receiveMaximum: 3 } })).raw();
    expect((await client.waitFor('connack')).properties?.receiveMaximum).toBe(3);
    for (let messageId = 1; messageId <= 4; messageId += 1) {
      client.send({ cmd: 'publish', topic: 'a', payload: '', qos: 2, messageId, dup: false, retain: false });
    }
    expect((await client.waitFor('disconnect')).reasonCode).toBe(0x93);
  });

  test('wrong filters are refused one by one', async () => {
    const client = await (await start()).raw();
    const filters = ['ok', 'a/#/b', 'a+', '$share/g', '$share//x', '$share/g/', ''];
    client.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: filters.map((topic) => ({ topic, qos: 1, nl: false, rap: false, rh: 0 })),
    });
    expect((await client.waitFor('suback')).granted).toEqual([1, 0x8f, 0x8f, 0x8f, 0x8f, 0x8f, 0x8f]);
  });

  test('another protocol version is refused', async () => {
    const broker = await start();
    await expect(broker.connect({ protocolVersion: 3, protocolId: 'MQIsdp' })).rejects.toMatchObject({ code: 1 });
  });

  test('random and damaged bytes close their own connection at most', async () => {
    const limits: Partial<BrokerLimits> = { connectTimeout: 200 };
    const broker = await start({ limits });
    const steady = await broker.connect();
    await steady.subscribe('steady');
    const good = [
      {
        cmd: 'connect',
        clientId: 'x',
        protocolVersion: 5,
        clean: true,
        username: 'u',
        password: Buffer.from('p'),
        keepalive: 60,
        will: { topic: 'w', payload: 'w', qos: 1, retain: true, properties: { willDelayInterval: 1 } },
      },
      { cmd: 'subscribe', messageId: 3, subscriptions: [{ topic: 'f/#', qos: 2, nl: false, rap: false, rh: 0 }] },
      {
        cmd: 'publish',
        topic: 'f/x',
        payload: 'p',
        qos: 2,
        messageId: 4,
        dup: false,
        retain: true,
        properties: { userProperties: { a: 'b' }, correlationData: Buffer.from('c'), responseTopic: 'r' },
      },
      { cmd: 'pubrel', messageId: 4 },
      { cmd: 'unsubscribe', messageId: 5, unsubscriptions: ['f/#'] },
      { cmd: 'disconnect', reasonCode: 4, properties: { sessionExpiryInterval: 0 } },
    ] as Packet[];
    const stream = Buffer.concat(good.map((packet) => generate(packet, { protocolVersion: 5 })));
    const damaged = fc
      .array(fc.record({ at: fc.nat(stream.length - 1), byte: fc.nat(255) }), { minLength: 1, maxLength: 4 })
      .map((changes) => {
        const bytes = Buffer.from(stream);
        for (const { at, byte } of changes) bytes[at] = byte;
        return new Uint8Array(bytes);
      });
    const cut = fc.nat(stream.length).map((length) => new Uint8Array(stream.subarray(0, length)));
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, cut, fc.uint8Array({ maxLength: 200 })), fc.nat(3), async (bytes, split) => {
        const client = new RawClient(broker.port);
        const at = Math.floor((bytes.length * split) / 3);
        client.socket.write(bytes.subarray(0, at));
        client.socket.end(bytes.subarray(at));
        await client.waitForClose();
      }),
      { numRuns: 300 },
    );
    await steady.publish('steady', 'still here');
    await steady.waitFor('still here');
  }, 60_000);
});

describe('the state directory', () => {
  test('the password file is for its owner alone', async () => {
    const { nodeFiles } = await import('#src/runtime/node/files.ts');
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'nucleon-users-'));
    stops.push(() => fs.rm(folder, { recursive: true }));
    const file = path.join(folder, 'passwd');
    await addUser(nodeFiles, file, createCredential('compute-1'));
    expect((await fs.stat(file)).mode & 0o777).toBe(0o600);
  });
});
