/** What Nucleon needs of an MQTT broker, seen of the embedded one and of Mosquitto with the shipped configuration. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BROKERS,
  connect,
  connectRaw,
  HAS_MOSQUITTO,
  MUST_HAVE_MOSQUITTO,
  P,
  passwordFile,
  passwordOf,
  type RunningBroker,
} from './brokers.ts';
import { Client, until } from './client.ts';

test('Mosquitto is there where it is required', () => {
  expect(HAS_MOSQUITTO || !MUST_HAVE_MOSQUITTO).toBe(true);
});

describe.each(BROKERS)('$name', ({ start, present, capabilities }) => {
  describe.skipIf(!present)('as MQTT broker', () => {
    let broker: RunningBroker;
    beforeAll(async () => {
      broker = await start(await passwordFile());
    });
    afterAll(() => broker?.stop());

    /** A topic of its own for each test. */
    const fresh = () => `${P}/up/host-a/${crypto.randomUUID()}`;
    const server = (options = {}) => connect(broker, 'server', options);

    describe('connecting', () => {
      test('a wrong password is refused', async () => {
        const wrong = { username: 'host-a', password: 'guessed' };
        const url = `mqtt://127.0.0.1:${broker.port}`;
        await expect(Client.connect(url, wrong)).rejects.toMatchObject({ code: capabilities.wrongPassword.v5 });
        await expect(Client.connect(url, { ...wrong, protocolVersion: 4 })).rejects.toMatchObject({
          code: capabilities.wrongPassword.v4,
        });
      });

      test('a client without user name is refused', async () => {
        await expect(Client.connect(`mqtt://127.0.0.1:${broker.port}`, {})).rejects.toThrow();
      });

      test('a client without id is given one', async () => {
        const client = await connectRaw(broker, 'server', { clientId: '' });
        const connack = await client.waitFor('connack');
        expect(connack.reasonCode).toBe(0);
        expect(connack.properties?.assignedClientIdentifier).toMatch(/.+/);
        client.destroy();
      });

      test('MQTT over WebSocket is the same broker', async () => {
        const topic = fresh();
        const [tcp, ws] = [
          await server(),
          await Client.connect(`ws://127.0.0.1:${broker.wsPort}/mqtt`, {
            username: 'server',
            password: passwordOf('server'),
          }),
        ];
        await ws.subscribe(topic);
        await tcp.publish(topic, 'over the web');
        await ws.waitFor('over the web');
        await Promise.all([tcp.end(), ws.end()]);
      });

      test('a client that keeps silent for too long is closed', async () => {
        const client = await connectRaw(broker, 'server', { keepalive: 1 });
        await client.waitForClose();
      });

      test('a second connection with its client id takes the session over', async () => {
        const first = await server({ clientId: 'twice' });
        const second = await server({ clientId: 'twice' });
        await until('the first is closed', () => first.closed);
        if (capabilities.saysTakenOver) expect(first.disconnectReason).toBe(0x8e);
        await second.end();
      });
    });

    describe('delivering', () => {
      test.each([0, 1, 2] as const)('a QoS %i message arrives once, with all its properties', async (qos) => {
        const topic = fresh();
        const client = await server();
        await client.subscribe(topic, { qos });
        await client.publish(topic, 'all of it', {
          qos,
          properties: {
            contentType: 'application/json',
            payloadFormatIndicator: true,
            responseTopic: `${P}/down/host-a/rep/1`,
            correlationData: Buffer.from([0, 1, 255]),
            userProperties: { colour: 'green', many: ['1', '2'] },
          },
        });
        await client.publish(topic, 'the end', { qos });
        const { packet } = await client.waitFor('all of it');
        await client.waitFor('the end');
        expect(client.texts()).toEqual(['all of it', 'the end']);
        expect(packet).toMatchObject({ qos, retain: false, dup: false });
        expect(packet.properties).toMatchObject({
          contentType: 'application/json',
          payloadFormatIndicator: true,
          responseTopic: `${P}/down/host-a/rep/1`,
          correlationData: Buffer.from([0, 1, 255]),
        });
        expect({ ...packet.properties?.userProperties }).toEqual({ colour: 'green', many: ['1', '2'] });
        await client.end();
      });

      test('a message keeps the lower QoS of publication and subscription', async () => {
        const topic = fresh();
        const client = await server();
        await client.subscribe(topic, { qos: 1 });
        await client.publish(topic, 'two', { qos: 2 });
        await client.publish(topic, 'zero', { qos: 0 });
        expect((await client.waitFor('two')).packet.qos).toBe(1);
        expect((await client.waitFor('zero')).packet.qos).toBe(0);
        await client.end();
      });

      test('wildcards match as MQTT says', async () => {
        const root = fresh();
        const cases = [
          ['a/+/c', ['a/b/c', 'a//c'], ['a/b', 'a/b/c/d']],
          ['a/#', ['a', 'a/b', 'a/b/c'], ['b']],
          ['+/+', ['a/b', '/b'], ['a', 'a/b/c']],
        ] as const;
        for (const [filter, matching, others] of cases) {
          const [client, publisher] = [await server(), await server()];
          await client.subscribe(`${root}/${filter}`);
          for (const topic of [...others, ...matching]) await publisher.publish(`${root}/${topic}`, topic);
          await publisher.publish(`${root}/${matching[0]}`, 'the end');
          await client.waitFor('the end');
          expect(client.texts()).toEqual([...matching, 'the end']);
          await Promise.all([client.end(), publisher.end()]);
        }
      });

      test('after UNSUBSCRIBE nothing more comes', async () => {
        const [topic, other] = [fresh(), fresh()];
        const client = await server();
        await client.subscribe(topic);
        await client.subscribe(other);
        await client.mqtt.unsubscribeAsync(topic);
        await client.publish(topic, 'unheard');
        await client.publish(other, 'heard');
        await client.waitFor('heard');
        expect(client.texts()).toEqual(['heard']);
        await client.end();
      });

      test('No Local spares the publisher its own messages', async () => {
        const topic = fresh();
        const [client, other] = [await server(), await server()];
        await client.subscribe(topic, { qos: 1, nl: true });
        await client.publish(topic, 'own');
        await other.publish(topic, 'foreign');
        await client.waitFor('foreign');
        expect(client.texts()).toEqual(['foreign']);
        await Promise.all([client.end(), other.end()]);
      });

      test('a message carries the identifier of the subscription it came by', async () => {
        const topic = fresh();
        const client = await server();
        await client.subscribe(`${topic}/+`, { qos: 1, properties: { subscriptionIdentifier: 300 } });
        await client.publish(`${topic}/x`, 'numbered');
        expect((await client.waitFor('numbered')).packet.properties?.subscriptionIdentifier).toBe(300);
        await client.end();
      });

      test('MQTT 3.1.1 clients take part', async () => {
        const topic = fresh();
        const [old, young] = [await server({ protocolVersion: 4 }), await server()];
        await old.subscribe(topic, { qos: 2 });
        await young.publish(topic, 'to the old', { qos: 2, properties: { userProperties: { a: 'b' } } });
        expect((await old.waitFor('to the old')).packet.qos).toBe(2);
        await young.subscribe(topic);
        await old.publish(topic, 'to the young');
        await young.waitFor('to the young');
        await old.subscribe(`${topic}/other`);
        await old.mqtt.unsubscribeAsync(topic);
        await young.publish(topic, 'unheard');
        await young.publish(`${topic}/other`, 'heard');
        await old.waitFor('heard');
        expect(old.texts()).toEqual(['to the old', 'to the young', 'heard']);
        await Promise.all([old.end(), young.end()]);
      });

      test('a message of 1 MiB arrives whole', async () => {
        const topic = fresh();
        const client = await server();
        const large = Buffer.alloc(1024 * 1024, 'x');
        await client.subscribe(topic);
        await client.publish(topic, large);
        await until('it arrives', () => client.arrived.length === 1);
        expect(client.arrived[0]?.packet.payload.length).toBe(large.length);
        await client.end();
      });

      test('a packet over the limit closes its connection with 0x95', async () => {
        const client = await connectRaw(broker, 'server');
        // A PUBLISH header that announces 1,200,000 bytes: what follows need not be sent to be refused.
        client.socket.write(Uint8Array.of(0x30, 0x80, 0x9f, 0x49));
        expect((await client.waitFor('disconnect')).reasonCode).toBe(0x95);
        await client.waitForClose();
      });

      test('a client is sent no packet over its own limit', async () => {
        const topic = fresh();
        const client = await server({ properties: { maximumPacketSize: 2000 } });
        await client.subscribe(topic);
        const publisher = await server();
        await publisher.publish(topic, 'x'.repeat(3000));
        await publisher.publish(topic, 'small');
        await client.waitFor('small');
        expect(client.texts()).toEqual(['small']);
        await Promise.all([client.end(), publisher.end()]);
      });

      test('a topic alias stands for its topic', async () => {
        const topic = fresh();
        const client = await server();
        await client.subscribe(topic);
        await client.publish(topic, 'named', { qos: 1, properties: { topicAlias: 1 } });
        await client.publish('', 'by alias', { qos: 1, properties: { topicAlias: 1 } });
        expect((await client.waitFor('by alias')).topic).toBe(topic);
        await client.end();
      });

      test('no more than Receive Maximum messages are unacknowledged', async () => {
        const topic = fresh();
        const publisher = await server();
        const client = await connectRaw(broker, 'server', { properties: { receiveMaximum: 3 } });
        await client.subscribe(topic);
        for (let n = 0; n < 10; n += 1) await publisher.publish(topic, `${n}`);
        client.send({ cmd: 'pingreq' });
        await client.waitFor('pingresp');
        expect(client.publishes.map(({ payload }) => payload.toString())).toEqual(['0', '1', '2']);
        for (let n = 0; n < 10; n += 1) {
          await until(`message ${n} is here`, () => client.publishes.length > n);
          client.send({ cmd: 'puback', messageId: client.publishes[n]?.messageId, reasonCode: 0 });
        }
        expect(client.publishes.map(({ payload }) => payload.toString())).toEqual([...'0123456789']);
        client.destroy();
        await publisher.end();
      });

      test('a slow reader loses no acknowledged QoS 1 message', async () => {
        const topic = fresh();
        const [slow, publisher] = [await server(), await server()];
        await slow.subscribe(topic);
        slow.mqtt.stream.pause();
        const filling = 'x'.repeat(1000);
        await Promise.all(Array.from({ length: 5000 }, (_, n) => publisher.publish(topic, `${n} ${filling}`)));
        slow.mqtt.stream.resume();
        await until('all 5000 are here', () => slow.arrived.length >= 5000);
        expect(slow.arrived.map(({ text }) => Number(text.split(' ')[0]))).toEqual(
          Array.from({ length: 5000 }, (_, n) => n),
        );
        await Promise.all([slow.end(), publisher.end()]);
      });
    });

    describe('retaining', () => {
      test('a new subscription gets the retained message; an empty one clears it', async () => {
        const topic = fresh();
        const publisher = await server();
        await publisher.publish(`${topic}/a`, 'first', { qos: 1, retain: true });
        await publisher.publish(`${topic}/a`, 'kept', { qos: 1, retain: true });
        const reader = await server();
        await reader.subscribe(`${topic}/+`);
        expect((await reader.waitFor('kept')).packet.retain).toBe(true);
        expect(reader.texts()).toEqual(['kept']);
        await publisher.publish(`${topic}/a`, '', { qos: 1, retain: true });
        const late = await server();
        await late.subscribe(`${topic}/#`);
        await publisher.publish(`${topic}/a`, 'the end');
        await late.waitFor('the end');
        expect(late.texts()).toEqual(['the end']);
        await Promise.all([publisher.end(), reader.end(), late.end()]);
      });

      test('Retain Handling says whether retained messages are sent at all', async () => {
        const topic = fresh();
        const client = await server();
        await client.publish(topic, 'kept', { qos: 1, retain: true });
        await client.subscribe(topic, { qos: 1, rh: 2 });
        await client.subscribe(topic, { qos: 1, rh: 1 });
        await client.publish(topic, 'mark', { qos: 1 });
        await client.waitFor('mark');
        expect(client.texts()).toEqual(['mark']);
        await client.subscribe(topic, { qos: 1, rh: 0 });
        await client.waitFor('kept');
        await client.end();
      });

      test('Retain As Published keeps the flag on what is forwarded', async () => {
        const topic = fresh();
        const [keeps, clears] = [await server(), await server()];
        await keeps.subscribe(topic, { qos: 1, rap: true });
        await clears.subscribe(topic, { qos: 1 });
        await keeps.publish(topic, 'flagged', { qos: 1, retain: true });
        expect((await keeps.waitFor('flagged')).packet.retain).toBe(true);
        expect((await clears.waitFor('flagged')).packet.retain).toBe(false);
        await Promise.all([keeps.end(), clears.end()]);
      });
    });

    describe('sessions', () => {
      const kept = { clean: false, properties: { sessionExpiryInterval: 300 } };

      test('a session gets what came while its client was away, in order', async () => {
        const [topic, clientId] = [fresh(), crypto.randomUUID()];
        const publisher = await server();
        const before = await server({ ...kept, clientId });
        expect(before.connack.sessionPresent).toBe(false);
        await before.subscribe(topic, { qos: 2 });
        await before.breakOff();
        for (const [n, qos] of ([1, 2, 1, 2] as const).entries())
          await publisher.publish(topic, `${qos}.${n}`, { qos });
        await publisher.publish(topic, 'dropped', { qos: 0 });
        const after = await server({ ...kept, clientId });
        expect(after.connack.sessionPresent).toBe(true);
        await publisher.publish(topic, 'live', { qos: 2 });
        await after.waitFor('live');
        // A QoS 2 message is complete later than a QoS 1 message sent after it: each QoS has an order of its own.
        expect(after.texts().toSorted()).toEqual(['1.0', '1.2', '2.1', '2.3', 'live']);
        await Promise.all([publisher.end(), after.end()]);
      });

      test('a message that was not acknowledged is sent again as duplicate', async () => {
        const [topic, clientId] = [fresh(), crypto.randomUUID()];
        const publisher = await server();
        const before = await connectRaw(broker, 'server', { ...kept, clientId });
        await before.subscribe(topic);
        await publisher.publish(topic, 'again');
        expect((await before.waitFor('publish')).dup).toBe(false);
        before.destroy();
        await before.waitForClose();
        const after = await server({ ...kept, clientId });
        expect((await after.waitFor('again')).packet.dup).toBe(true);
        await Promise.all([publisher.end(), after.end()]);
      });

      test('Clean Start begins anew', async () => {
        const [topic, clientId] = [fresh(), crypto.randomUUID()];
        const before = await server({ ...kept, clientId });
        await before.subscribe(topic);
        await before.end();
        const after = await server({ clean: true, clientId });
        expect(after.connack.sessionPresent).toBe(false);
        await after.publish(topic, 'nobody');
        await after.subscribe(`${topic}/x`);
        await after.publish(`${topic}/x`, 'own');
        await after.waitFor('own');
        expect(after.texts()).toEqual(['own']);
        await after.end();
      });

      test('a session without expiry ends with its connection, one with it ends when that has passed', async () => {
        const [short, none] = [crypto.randomUUID(), crypto.randomUUID()];
        const first = await server({ clean: false, clientId: short, properties: { sessionExpiryInterval: 1 } });
        const second = await server({ clean: false, clientId: none, properties: { sessionExpiryInterval: 0 } });
        await Promise.all([first.breakOff(), second.breakOff()]);
        const again = await server({ clean: false, clientId: none });
        expect(again.connack.sessionPresent).toBe(false);
        await again.end();
        await new Promise((resolve) => setTimeout(resolve, 2500));
        const late = await server({ clean: false, clientId: short });
        expect(late.connack.sessionPresent).toBe(false);
        await late.end();
      });

      test('a message says how many seconds it is still valid, and is dropped when none are left', async () => {
        const [topic, clientId] = [fresh(), crypto.randomUUID()];
        const publisher = await server();
        const before = await server({ ...kept, clientId });
        await before.subscribe(topic);
        await before.breakOff();
        await publisher.publish(topic, 'short', { qos: 1, properties: { messageExpiryInterval: 1 } });
        await publisher.publish(topic, 'long', { qos: 1, properties: { messageExpiryInterval: 100 } });
        await new Promise((resolve) => setTimeout(resolve, 2100));
        const after = await server({ ...kept, clientId });
        const left = (await after.waitFor('long')).packet.properties?.messageExpiryInterval;
        expect(left).toBeGreaterThan(90);
        expect(left).toBeLessThan(100);
        expect(after.texts()).toEqual(['long']);
        await Promise.all([publisher.end(), after.end()]);
      });
    });

    describe('wills', () => {
      const willOf = (topic: string, properties = {}) => ({
        will: { topic, payload: Buffer.from('gone'), qos: 1 as const, retain: false, properties },
      });

      test('a will with its properties is sent when the connection breaks', async () => {
        const topic = fresh();
        const watcher = await server();
        await watcher.subscribe(topic);
        const client = await server(willOf(topic, { contentType: 'text/plain', userProperties: { epoch: '7' } }));
        await client.breakOff();
        const { packet } = await watcher.waitFor('gone');
        expect(packet.properties?.contentType).toBe('text/plain');
        expect({ ...packet.properties?.userProperties }).toEqual({ epoch: '7' });
        await watcher.end();
      });

      test('a plain good-bye sends no will, DISCONNECT 0x04 does', async () => {
        const [quiet, loud] = [fresh(), fresh()];
        const watcher = await server();
        await watcher.subscribe(quiet);
        await watcher.subscribe(loud);
        await (await server(willOf(quiet))).end();
        await (await server(willOf(loud))).end(0x04);
        await watcher.waitFor('gone');
        expect(watcher.arrived.map(({ topic }) => topic)).toEqual([loud]);
        await watcher.end();
      });

      test('a delayed will is not sent if the client comes back in time', async () => {
        const topic = fresh();
        const watcher = await server();
        await watcher.subscribe(`${topic}/#`);
        const kept = { clean: false, properties: { sessionExpiryInterval: 300 } };
        const will = (name: string) => willOf(`${topic}/${name}`, { willDelayInterval: 1 });
        const [back, away] = [
          await server({ clientId: `${topic}-back`, ...kept, ...will('back') }),
          await server({ clientId: `${topic}-away`, ...kept, ...will('away') }),
        ];
        await Promise.all([back.breakOff(), away.breakOff()]);
        const returned = await server({ clientId: `${topic}-back`, ...kept });
        expect(watcher.texts()).toEqual([]);
        await watcher.waitFor('gone');
        await returned.publish(`${topic}/end`, 'the end');
        await watcher.waitFor('the end');
        expect(watcher.arrived.map((message) => message.topic)).toEqual([`${topic}/away`, `${topic}/end`]);
        await Promise.all([watcher.end(), returned.end()]);
      });
    });

    describe('shared subscriptions', () => {
      test('each message goes to one member, in turn', async () => {
        const topic = fresh();
        const members = [await server(), await server(), await server()];
        const outsider = await server();
        for (const member of members) await member.subscribe(`$share/workers/${topic}`);
        await outsider.subscribe(topic);
        for (let n = 0; n < 30; n += 1) await outsider.publish(topic, `${n}`);
        await until('all are here', () => members.reduce((sum, { arrived }) => sum + arrived.length, 0) === 30);
        for (const member of members) expect(member.arrived).toHaveLength(10);
        expect(new Set(members.flatMap((member) => member.texts())).size).toBe(30);
        await until('the outsider has all', () => outsider.arrived.length === 30);
        await Promise.all([...members, outsider].map((client) => client.end()));
      });

      test('two groups each get every message', async () => {
        const topic = fresh();
        const [one, other] = [await server(), await server()];
        await one.subscribe(`$share/one/${topic}`);
        await other.subscribe(`$share/other/${topic}`);
        await one.publish(topic, 'for both');
        await Promise.all([one.waitFor('for both'), other.waitFor('for both')]);
        await Promise.all([one.end(), other.end()]);
      });

      test('a member that left gets nothing more', async () => {
        const topic = fresh();
        const [stays, leaves] = [await server(), await server()];
        for (const member of [stays, leaves]) await member.subscribe(`$share/workers/${topic}`);
        await leaves.mqtt.unsubscribeAsync(`$share/workers/${topic}`);
        for (let n = 0; n < 4; n += 1) await stays.publish(topic, `${n}`);
        await until('all are with the other', () => stays.arrived.length === 4);
        expect(leaves.arrived).toEqual([]);
        await Promise.all([stays.end(), leaves.end()]);
      });

      const redelivers = 'what a dead member has not acknowledged goes to another';
      test.runIf(capabilities.redeliversToGroup)(redelivers, async () => {
        const topic = fresh();
        const [lives, publisher] = [await server(), await server()];
        const dies = await connectRaw(broker, 'server');
        for (const member of [dies, lives]) await member.subscribe(`$share/workers/${topic}`);
        for (let n = 0; n < 20; n += 1) await publisher.publish(topic, `${n}`);
        await until('all are out', () => dies.publishes.length + lives.arrived.length === 20);
        expect(dies.publishes.length).toBeGreaterThan(0);
        dies.destroy();
        await until('all are with the living', () => lives.arrived.length === 20);
        expect(new Set(lives.texts()).size).toBe(20);
        await Promise.all([lives.end(), publisher.end()]);
      });
      test.runIf(!capabilities.redeliversToGroup)(`does not promise: ${redelivers}`, async () => {
        const topic = fresh();
        const [lives, publisher] = [await server(), await server()];
        const dies = await connectRaw(broker, 'server');
        for (const member of [dies, lives]) await member.subscribe(`$share/workers/${topic}`);
        for (let n = 0; n < 20; n += 1) await publisher.publish(topic, `${n}`);
        await until('all are out', () => dies.publishes.length + lives.arrived.length === 20);
        dies.destroy();
        // The group goes on without it.
        for (let n = 0; n < 4; n += 1) await publisher.publish(topic, `after ${n}`);
        await until('the living gets what comes', () => lives.texts().some((text) => text.startsWith('after')));
        await Promise.all([lives.end(), publisher.end()]);
      });
    });

    describe('access', () => {
      test('an agent speaks in its own tree and hears its own and what concerns all', async () => {
        const [agent, nucleon] = [await connect(broker, 'host-a'), await server()];
        await nucleon.subscribe(`$share/nucleon/${P}/up/+/req/q-plugin`);
        for (const filter of ['down/host-a/#', 'fanout/#']) await agent.subscribe(`${P}/${filter}`);
        await agent.publish(`${P}/up/host-a/req/q-plugin`, 'question', {
          qos: 1,
          properties: { responseTopic: `${P}/down/host-a/rep/1`, correlationData: Buffer.from('7') },
        });
        const { packet } = await nucleon.waitFor('question');
        await nucleon.publish(packet.properties?.responseTopic ?? '', 'answer', {
          qos: 1,
          properties: { correlationData: Buffer.from('7') },
        });
        await nucleon.publish(`${P}/fanout/port-update`, 'to all');
        expect((await agent.waitFor('answer')).packet.properties?.correlationData).toEqual(Buffer.from('7'));
        await agent.waitFor('to all');
        await Promise.all([agent.end(), nucleon.end()]);
      });

      test('the host in the topics is percent-encoded, as is the user name', async () => {
        const host = 'rack%207%2Fnode';
        const [agent, nucleon] = [await connect(broker, host), await server()];
        await nucleon.subscribe(`${P}/up/+/req/q-plugin`);
        await agent.subscribe(`${P}/down/${host}/#`);
        await agent.publish(`${P}/up/${host}/req/q-plugin`, 'from the rack');
        await nucleon.waitFor('from the rack');
        await nucleon.publish(`${P}/down/${host}/msg/x`, 'to the rack');
        await agent.waitFor('to the rack');
        await Promise.all([agent.end(), nucleon.end()]);
      });

      test.each([
        ["another host's tree", `${P}/up/host-b/req/q-plugin`],
        ['a host whose name begins alike', `${P}/up/host-abc/req/q-plugin`],
        ['the way down', `${P}/down/host-a/msg/x`],
        ['what concerns all', `${P}/fanout/x`],
        ['outside the prefix', 'elsewhere/up/host-a/x'],
      ])('an agent may not publish to %s', async (_, topic) => {
        const [agent, old, nucleon] = [
          await connect(broker, 'host-a'),
          await connect(broker, 'host-a', { protocolVersion: 4 }),
          await server(),
        ];
        await nucleon.subscribe(`${P}/#`);
        await expect(agent.publish(topic, 'forged', { qos: 1 })).rejects.toMatchObject({ code: 0x87 });
        await expect(agent.publish(topic, 'forged', { qos: 2 })).rejects.toMatchObject({ code: 0x87 });
        await agent.publish(topic, 'forged', { qos: 0 });
        await old.publish(topic, 'forged', { qos: 1 });
        for (const client of [agent, old])
          await client.publish(`${P}/up/host-a/req/x`, `mark of ${client.mqtt.options.protocolVersion}`);
        await Promise.all([nucleon.waitFor('mark of 5'), nucleon.waitFor('mark of 4')]);
        expect(nucleon.texts()).not.toContain('forged');
        await Promise.all([agent.end(), old.end(), nucleon.end()]);
      });

      test.each([
        `${P}/down/host-b/#`,
        `${P}/down/+/msg/x`,
        `${P}/down/#`,
        `${P}/up/host-b/#`,
        `$share/nucleon/${P}/up/+/req/q-plugin`,
        `${P}/#`,
        '#',
      ])('an agent hears nothing by %s that is not its own', async (filter) => {
        const [agent, nucleon] = [await connect(broker, 'host-a'), await server()];
        await agent.subscribe(`${P}/fanout/#`);
        const problem = await agent.subscribe(filter).then(
          () => 'granted',
          (error: Error) => error.message,
        );
        if (capabilities.refusesSubscriptions) expect(problem).toMatch(/Not authorized/);
        await nucleon.publish(`${P}/down/host-b/msg/x`, 'secret');
        await nucleon.publish(`${P}/up/host-b/req/q-plugin`, 'secret');
        await nucleon.publish(`${P}/fanout/x`, 'mark');
        await agent.waitFor('mark');
        expect(agent.texts()).not.toContain('secret');
        await Promise.all([agent.end(), nucleon.end()]);
      });

      test('an agent may not leave a will elsewhere', async () => {
        const will = {
          topic: `${P}/up/host-b/presence/x`,
          payload: Buffer.from('forged'),
          qos: 1 as const,
          retain: true,
        };
        const refused = await connect(broker, 'host-a', { will }).then(
          (agent) => agent.breakOff(),
          (error: { code?: number }) => error.code,
        );
        if (capabilities.refusesWills) expect(refused).toBe(0x87);
        const nucleon = await server();
        await nucleon.subscribe(`${P}/up/host-b/presence/x`);
        await nucleon.publish(`${P}/up/host-b/presence/x`, 'mark');
        await nucleon.waitFor('mark');
        expect(nucleon.texts()).toEqual(['mark']);
        await nucleon.end();
      });

      test.runIf(capabilities.bindsClientIds)('a client id cannot be taken over by another user', async () => {
        const clientId = crypto.randomUUID();
        const owner = await connect(broker, 'host-a', { clientId });
        await expect(connect(broker, 'host-b', { clientId })).rejects.toMatchObject({ code: 0x85 });
        await owner.publish(`${P}/up/host-a/x`, 'still here');
        expect(owner.closed).toBe(false);
        await owner.end();
      });
    });
  });
});
