/** RPC end to end, over each broker: calls, casts, who may say what, and what survives a death. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { RpcEndpoint, RpcMessage } from '#src/lib/rpc.ts';
import { MAX_BYTES, notificationPublisher, watchPresence } from '#src/rpc/mod.ts';
import { BROKERS, passwordOf } from '../broker/brokers.ts';
import { startProxy } from './proxy.ts';
import { base, child, topics, until, World } from './support.ts';

const HOSTS = ['host-a', 'host-b', 'rack 7/node'] as const;

function endpoints(seen: { host: string; args: JsonObject; request_id: string }[]): readonly RpcEndpoint[] {
  return [
    {
      version: '1.4',
      methods: {
        echo: async ({ host, context }, args) => {
          seen.push({ host, args, request_id: context.request_id });
          return { host, args };
        },
        fail: async () => {
          throw new NeutronError('PortNotFound', 404, 'Port 7 could not be found.');
        },
        break: async () => {
          throw new Error('the password is 1234');
        },
        much: async () => 'x'.repeat(MAX_BYTES),
      },
    },
    { version: '2.1', methods: { echo: async () => 'two' } },
    { version: '1.0', namespace: 'trunk', methods: { echo: async () => 'trunk' } },
  ];
}

for (const kind of BROKERS) {
  describe.skipIf(!kind.present)(`over ${kind.name}`, () => suite(kind));
}

function suite(kind: (typeof BROKERS)[number]): void {
  let world: World;
  const seen: { host: string; args: JsonObject; request_id: string }[] = [];

  beforeAll(async () => {
    world = await World.start(kind, HOSTS);
    const listeners = [{ topic: 'test', endpoints: endpoints(seen) }];
    await world.server(listeners);
    await world.server(listeners);
  });
  afterAll(() => world?.stop());

  describe('a server with two workers', () => {
    test('call() gives the result, and the method knows the host from the topic', async () => {
      for (const host of HOSTS) {
        const client = await world.client(host);
        await expect(client.call('test', 'echo', { a: [1, null, 'ü'] })).resolves.toEqual({
          host,
          args: { a: [1, null, 'ü'] },
        });
      }
    });

    test('cast() is handled once and answered by nobody', async () => {
      const client = await world.client('host-a');
      const before = seen.length;
      await client.cast('test', 'echo', { cast: true });
      await until(() => seen.length > before, 'the cast arrives');
      await client.call('test', 'echo', {});
      expect(seen.filter(({ args }) => args['cast'])).toHaveLength(1);
    });

    test('many calls at once are each answered with their own result', async () => {
      const client = await world.client('host-a');
      const calls = Array.from({ length: 500 }, (_, n) => client.call('test', 'echo', { n }));
      const answers = (await Promise.all(calls)) as { args: { n: number } }[];
      expect(answers.map(({ args }) => args.n)).toEqual(calls.map((_, n) => n));
    });

    test('the request id of the message is the one of the context', async () => {
      const client = await world.client('host-a');
      const request_id = `req-${crypto.randomUUID()}`;
      await client.call('test', 'echo', {}, { context: { request_id, is_admin: false } });
      expect(seen.at(-1)?.request_id).toBe(request_id);
      await client.call('test', 'echo', {}, { context: { request_id: 'forged\nline' } });
      expect(seen.at(-1)?.request_id).toMatch(/^req-[0-9a-f-]{36}$/);
    });

    test.each([
      ['the same minor', { version: '1.4' }, 'host-a'],
      ['a lower minor', { version: '1.1' }, 'host-a'],
      ['another major', { version: '2.0' }, 'two'],
      ['a namespace', { version: '1.0', namespace: 'trunk' }, 'trunk'],
    ])('call() finds the endpoint of %s', async (_what, options, answer) => {
      const result = await (await world.client('host-a')).call('test', 'echo', {}, options);
      expect(result).toEqual(answer === 'host-a' ? { host: 'host-a', args: {} } : answer);
    });

    test.each<[string, string, JsonObject, JsonObject, string, RegExp]>([
      ['a higher minor', 'echo', {}, { version: '1.5' }, 'UnsupportedVersion', /RPC version 1\.5.*echo/],
      ['an unknown namespace', 'echo', {}, { namespace: 'none' }, 'UnsupportedVersion', /echo/],
      ['an unknown method', 'nothing', {}, {}, 'NoSuchMethod', /nothing/],
      ["a name of Object's", 'toString', {}, {}, 'NoSuchMethod', /toString/],
      ['another host', 'echo', { host: 'host-b' }, {}, 'ForeignHost', /"host-a".*"host-b"/],
      [
        'another host in a state report',
        'echo',
        { agent_state: { agent_state: { host: 'host-b' } } },
        {},
        'ForeignHost',
        /agent_state\.agent_state\.host/,
      ],
      ['an error of ours', 'fail', {}, {}, 'PortNotFound', /^Port 7 could not be found\.$/],
      ['a defect', 'break', {}, {}, 'InternalError', /^break failed in the server/],
      ['too large an answer', 'much', {}, {}, 'MessageTooLarge', /in pages/],
    ])('call() of %s fails', async (_what, method, args, options, type, text) => {
      const failed = (await world.client('host-a')).call('test', method, args, options);
      await expect(failed).rejects.toMatchObject({ type, message: expect.stringMatching(text) });
    });

    test('a message that is no request is answered with what is wrong, and the worker lives on', async () => {
      const connection = await world.connect('host-a');
      const client = await world.client('host-a');
      const responseTopic = topics.reply('host-a', 'bare');
      const failures: string[] = [];
      await connection.subscribe(responseTopic, (message) => {
        failures.push(JSON.parse(new TextDecoder().decode(message.payload)).failure.type);
        message.ack();
      });
      const payloads = ['', 'not json', '[]', '{"method":1}', '{"method":"echo","version":"x"}', '['.repeat(100_000)];
      for (const payload of payloads) {
        await connection.publish(topics.request('host-a', 'test'), payload, { responseTopic });
      }
      await until(() => failures.length === payloads.length, 'each is answered');
      expect(new Set(failures)).toEqual(new Set(['MalformedMessage']));
      await expect(client.call('test', 'echo', {})).resolves.toBeTruthy();
    });

    test('an answer never goes to the topics of another host', async () => {
      const victim = await world.connect('host-b');
      const stolen: string[] = [];
      for (const topic of [topics.reply('host-b', 'x'), topics.message('host-b', 'test'), topics.fanout('test')]) {
        await victim.subscribe(topic, (message) => {
          stolen.push(message.topic);
          message.ack();
        });
      }
      const before = seen.length;
      const attacker = await world.connect('host-a');
      const request = JSON.stringify({ method: 'echo', args: {}, version: '1.0', context: {} });
      for (const responseTopic of [topics.reply('host-b', 'x'), topics.message('host-a', 'x'), topics.fanout('test')]) {
        await attacker.publish(topics.request('host-a', 'test'), request, { responseTopic });
      }
      const client = await world.client('host-a');
      // As many as there are workers to be busy with the three.
      await Promise.all([client.call('test', 'echo', { n: 1 }), client.call('test', 'echo', { n: 2 })]);
      expect(stolen).toEqual([]);
      expect(seen.length).toBe(before + 2);
    });

    test('call() to a topic that nobody serves ends in a MessagingTimeout', async () => {
      const client = await world.client('host-a');
      const call = client.call('nobody', 'echo', {}, { timeout: 50, retries: 1 });
      await expect(call).rejects.toMatchObject({ type: 'MessagingTimeout', message: expect.stringMatching(/2 tries/) });
    });

    test('notifications reach the host that they are for, fanout reaches all', async () => {
      const publish = notificationPublisher(await world.connect('server'), topics);
      const got: [string, string][] = [];
      for (const host of HOSTS) {
        const client = await world.client(host);
        await client.subscribe('l3_agent', ({ method }: RpcMessage) => void got.push([host, method]));
      }
      const payload = (method: string) => JSON.stringify({ method, args: {}, version: '1.0', context: {} });
      await publish({ host: 'rack 7/node', topic: 'l3_agent', payload: payload('one') });
      await publish({ host: null, topic: 'l3_agent', payload: payload('all') });
      await until(() => got.length >= 4, 'four messages');
      expect(got.toSorted()).toEqual([
        ['host-a', 'all'],
        ['host-b', 'all'],
        ['rack 7/node', 'all'],
        ['rack 7/node', 'one'],
      ]);
    });
  });

  describe('lives and deaths', () => {
    test('a wrong password is an error at once, not a loop', async () => {
      await expect(world.connect('host-a', { password: 'wrong' })).rejects.toMatchObject({ type: 'BrokerRefused' });
    });

    test('a call that a killed worker had taken is answered by another', async () => {
      const stuck = child('stuck_worker.ts', [world.url, passwordOf('server')]);
      try {
        await stuck.said('listening');
        const client = await world.client('host-a');
        const redelivers = kind.capabilities.redeliversToGroup;
        // The embedded broker redelivers; with Mosquitto the retry is what saves the call.
        const call = client.call('stuck', 'work', {}, redelivers ? { retries: 0 } : { timeout: 500, retries: 20 });
        await stuck.said('called');
        let served = 0;
        const work = async (): Promise<Json> => `done ${++served}`;
        await world.server([{ topic: 'stuck', endpoints: [{ version: '1.0', methods: { work } }] }]);
        await stuck.kill();
        await expect(call).resolves.toMatch(/^done/);
      } finally {
        await stuck.kill();
      }
    });

    test('stop() of a server lets running calls end and leaves new ones to others', async () => {
      let finish: (() => void) | undefined;
      const slow = () =>
        new Promise<Json>((resolve) => {
          finish = () => resolve('slow');
        });
      const first = await world.server([{ topic: 'drain', endpoints: [{ version: '1.0', methods: { work: slow } }] }]);
      const client = await world.client('host-a');
      const call = client.call('drain', 'work', {}, { retries: 0, timeout: 10_000 });
      const release = await until(() => finish, 'the call runs');
      const stopped = first.stop();
      const work = async (): Promise<Json> => 'quick';
      await world.server([{ topic: 'drain', endpoints: [{ version: '1.0', methods: { work } }] }]);
      await until(
        async () => (await client.call('drain', 'work', {}, { timeout: 500 })) === 'quick',
        'the other serves',
      );
      release();
      await expect(call).resolves.toBe('slow');
      await stopped;
    });

    test('an agent that was away gets what was said meanwhile, in order', async () => {
      const publish = notificationPublisher(await world.connect('server'), topics);
      const say = (n: number) =>
        publish({
          host: 'host-b',
          topic: 'away',
          payload: JSON.stringify({ method: 'say', args: { n }, version: '1.0', context: {} }),
        });
      const first = await world.agent('host-b', 'away-agent');
      await first.client.subscribe('away', () => {});
      // As a reboot does: the connection breaks, nobody unsubscribes.
      await first.stop();
      for (let n = 0; n < 20; n++) await say(n);
      const got: Json[] = [];
      const second = await world.agent('host-b', 'away-agent');
      await second.client.subscribe('away', ({ args }) => void got.push(args['n']!));
      await until(() => got.length >= 20, 'all have come');
      expect(got).toEqual(Array.from({ length: 20 }, (_, n) => n));
    });

    const HOLD = { will: 20, retained: 20 };

    test('a call for which no worker is there yet is answered by the first that comes, long before its time is over', async () => {
      const client = await world.client('host-a');
      const call = client.call('latecomers', 'echo', { n: 1 }, { timeout: 60_000, retries: 0 });
      await new Promise((resolve) => setTimeout(resolve, 100));
      const methods = { echo: async (_call: unknown, args: JsonObject) => args };
      await world.server([{ topic: 'latecomers', endpoints: [{ version: '1.0', methods }] }]);
      expect(await call).toEqual({ n: 1 });
    });

    test('presence tells births and wills, with epochs that grow', async () => {
      const told: { host: string; binary: string; epoch: number; alive: boolean }[] = [];
      const handler = async (presence: (typeof told)[number]) => void told.push(presence);
      const connection = await world.connect('server');
      await watchPresence({ ...base, connection, topics, handlers: [handler], hold: HOLD });
      const of = (binary: string) => told.filter((presence) => presence.binary === binary);

      const agent = child('presence_agent.ts', [world.url, 'host-a', passwordOf('host-a')]);
      await agent.said('connected');
      const birth = await until(() => of('killed-agent')[0], 'the birth');
      expect(birth).toMatchObject({ host: 'host-a', binary: 'killed-agent', alive: true });
      await agent.kill();
      const will = await until(() => of('killed-agent').find(({ alive }) => !alive), 'the will');
      expect(will.epoch).toBe(birth.epoch);

      const again = await world.agent('host-a', 'killed-agent');
      const rebirth = await until(() => of('killed-agent').find(({ epoch }) => epoch > birth.epoch), 'the next birth');
      expect(rebirth.alive).toBe(true);
      await again.stop();
      await until(() => of('killed-agent').some(({ epoch, alive }) => epoch === rebirth.epoch && !alive), 'good-bye');

      // Retained: one who comes later knows as well.
      const late: (typeof told)[number][] = [];
      const handlers = [async (presence: (typeof told)[number]) => void late.push(presence)];
      await watchPresence({ ...base, connection: await world.connect('server'), topics, handlers, hold: HOLD });
      await until(() => late.some(({ binary, alive }) => binary === 'killed-agent' && !alive), 'the last state');
    });

    test('a will is not believed when the connection breaks with it; the next one brings it again', async () => {
      const proxy = await startProxy(Number(new URL(world.url).port));
      try {
        const connection = await world.connect('server', { url: `mqtt://127.0.0.1:${proxy.port}` });
        const told: { readonly alive: boolean; readonly generation: number }[] = [];
        const handler = async ({ binary, alive }: { binary: string; alive: boolean }) => {
          if (binary === 'going-agent') told.push({ alive, generation: connection.generation });
        };
        await watchPresence({ ...base, connection, topics, handlers: [handler], hold: { will: 1000, retained: 20 } });
        const agent = await world.agent('host-a', 'going-agent');
        await until(() => told.length === 1, 'the birth');
        await agent.stop();
        proxy.cut();
        await until(() => !connection.connected, 'the connection is lost');
        proxy.mend();
        await until(() => told.length === 2, 'the will');
        expect(told).toEqual([
          { alive: true, generation: 1 },
          { alive: false, generation: 2 },
        ]);
      } finally {
        await proxy.stop();
      }
    });

    test('a birth that follows a will at once makes the will be forgotten', async () => {
      const told: boolean[] = [];
      const handler = async ({ binary, alive }: { binary: string; alive: boolean }) => {
        if (binary === 'quick-agent') told.push(alive);
      };
      const hold = { will: 500, retained: 500 };
      await watchPresence({ ...base, connection: await world.connect('server'), topics, handlers: [handler], hold });
      const first = await world.agent('host-a', 'quick-agent');
      await until(() => told.length === 1, 'the birth');
      await first.stop();
      await world.agent('host-a', 'quick-agent');
      await until(() => told.length === 2, 'the next birth');
      await new Promise((resolve) => setTimeout(resolve, 2 * hold.will));
      expect(told).toEqual([true, true]);
    });
  });
}
