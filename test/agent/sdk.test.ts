/** The agent SDK against a server of a few lines, over a real broker: reports, calls, messages, objects, resynchronisation. */
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, type AgentOptions, connect, remoteMethod } from '#src/agent/sdk/mod.ts';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { NeutronError } from '#src/lib/errors.ts';
import { Lifetime } from '#src/lib/lifetime.ts';
import type { RpcListener, RpcMethod } from '#src/lib/rpc.ts';
import { notificationPublisher, type Publish, watchPresence } from '#src/rpc/mod.ts';
import { BROKERS } from '../broker/brokers.ts';
import { base, topics, until, World } from '../rpc/support.ts';

const [EMBEDDED] = BROKERS;

const THING = {
  name: 'Thing',
  version: '1.0',
  data: v.looseObject({ id: v.string(), revision_number: v.number() }),
};
type Thing = v.InferOutput<typeof THING.data>;
const object = (data: JsonObject) => ({ 'versioned_object.data': data });
/** In the order of numbers. */
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('an agent of the SDK', () => {
  let world: World;
  let life: Lifetime;
  let publish: Publish;
  const started: Agent[] = [];
  beforeAll(async () => {
    world = await World.start(EMBEDDED!, ['host-a']);
    publish = notificationPublisher(await world.connect('server'), topics);
  });
  afterAll(() => world?.stop());
  beforeEach(() => {
    life = new Lifetime();
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((agent) => agent.stop()));
    await life.stop();
  });

  const agent = async (options: Partial<AgentOptions> = {}): Promise<Agent> => {
    const connected = await connect({
      ...base,
      broker: world.credentials('host-a'),
      host: 'host-a',
      agent_type: 'Test agent',
      binary: 'test-agent',
      topic: 'N/A',
      configurations: () => ({}),
      resyncSpread: 0,
      ...options,
    });
    started.push(connected);
    return connected;
  };
  const serve = async (listeners: readonly RpcListener[]) => life.add(await world.server(listeners));
  const on = (topic: string, methods: Readonly<Record<string, RpcMethod>>, namespace?: string): RpcListener => ({
    topic,
    endpoints: [{ version: '1.9', methods, ...(namespace === undefined ? {} : { namespace }) }],
  });
  /** Answers reports with these, the last one for ever. */
  const reports = (answers: string[], seen: object[] = []): RpcListener =>
    on('q-reports-plugin', {
      report_state: async (_call, args) => {
        seen.push((args['agent_state'] as { agent_state: object }).agent_state);
        return answers.length > 1 ? answers.shift()! : answers[0]!;
      },
    });
  const push = (event_type: string, data: JsonObject) => {
    const args = { resource_list: [object(data)], event_type };
    const payload = JSON.stringify({ method: 'push', args, version: '1.1', context: {} });
    return publish({ host: 'host-a', topic: 'neutron-vo-Thing-1.0', payload });
  };

  it('reports its start until a server answers, then its state each interval', async () => {
    const connected = await agent({ reportInterval: 0.3, availability_zone: 'east' });
    const begun = connected.begin();
    const seen: Record<string, unknown>[] = [];
    await serve([reports(['new', 'alive'], seen)]);
    expect(await begun).toBe('new');
    await until(() => seen.length >= 3, 'heartbeats');
    expect(seen[0]).toMatchObject({
      agent_type: 'Test agent',
      host: 'host-a',
      availability_zone: 'east',
      start_flag: true,
    });
    expect(seen.at(-1)).not.toHaveProperty('start_flag');
  });

  it('does not report on and on what the server will not have', async () => {
    await serve([
      on('q-reports-plugin', {
        report_state: async () => {
          throw new NeutronError('InvalidInput', 400, 'no such agent');
        },
      }),
    ]);
    await expect((await agent()).begin()).rejects.toMatchObject({ type: 'InvalidInput', message: 'no such agent' });
  });

  it('fetches everything at the start, and when the server had given it up', async () => {
    await serve([reports(['alive', 'alive', 'revived', 'alive', 'new', 'alive'])]);
    const connected = await agent({ reportInterval: 0.5 });
    const reasons: string[] = [];
    connected.onResync(async (reason) => void reasons.push(reason));
    await connected.begin();
    await until(() => reasons.length >= 3, 'three of them');
    expect(reasons.slice(0, 3)).toEqual(['start', 'revived', 'new']);
  });

  it('calls methods as their contract says, and refuses answers that are not', async () => {
    const say = remoteMethod<{ n: number }>()({
      topic: 'test',
      method: 'say',
      version: '1.5',
      result: v.object({ n: v.number() }),
    });
    await serve([on('test', { say: async (_call, { n }) => (n === 3 ? 'three' : { n: n! }) })]);
    const connected = await agent();
    expect(await connected.call(say, { n: 1 })).toEqual({ n: 1 });
    await expect(connected.call(say, { n: 3 })).rejects.toMatchObject({ type: 'UnexpectedAnswer' });
    await expect(connected.call({ ...say, method: 'sing' }, { n: 1 })).rejects.toMatchObject({ type: 'NoSuchMethod' });
  });

  it('ends its calls when it stops', async () => {
    const connected = await agent();
    const call = connected.call(
      remoteMethod<Record<string, never>>()({ topic: 'nobody', method: 'x', version: '1.0', result: v.unknown() }),
      {},
    );
    const ended = expect(call).rejects.toMatchObject({ type: 'BrokerUnavailable' });
    await connected.stop();
    await ended;
  });

  it('hands messages to the handlers of their methods, and passes over what it cannot read', async () => {
    const heard: unknown[] = [];
    const connected = await agent({ onMessage: (topic, { method }) => void heard.push(`${topic} ${method}`) });
    const topic = { topic: 'news', messages: { told: v.object({ n: v.number() }), other: v.unknown() } };
    const told: number[] = [];
    await connected.listen(topic, { told: ({ n }) => void told.push(n) });
    for (const [method, args] of [
      ['told', { n: 1 }],
      ['told', { n: 'x' }],
      ['other', {}],
      ['unheard', {}],
      ['told', { n: 2 }],
    ] as const) {
      const payload = JSON.stringify({ method, args, version: '1.0', context: {} });
      await publish({ host: 'host-a', topic: 'news', payload });
    }
    await until(() => told.length === 2, 'both are told');
    expect(told).toEqual([1, 2]);
    expect(heard).toEqual(['news told', 'news told', 'news other', 'news unheard', 'news told']);
  });

  it('says that it is gone when it goes, and is missed when it is not heard any more', async () => {
    const seen: boolean[] = [];
    const handlers = [async ({ alive }: { alive: boolean }) => void seen.push(alive)];
    life.add(await watchPresence({ connection: await world.connect('server'), topics, handlers, log: base.log }));
    const last = (alive: boolean) => until(() => seen.at(-1) === alive, `it is said to be ${alive ? 'there' : 'gone'}`);
    const first = await agent({ binary: 'mortal' });
    await last(true);
    await first.drop();
    await last(false);
    const second = await agent({ binary: 'mortal' });
    await last(true);
    await second.stop();
    await last(false);
  });

  describe('that follows objects', () => {
    /** What the server has. */
    let things: Map<string, number>;
    let pages: number;
    let told: string[];
    const sync = async (_call: unknown, args: JsonObject): Promise<JsonObject> => {
      pages += 1;
      const {
        known,
        after,
        until: end,
        limit,
      } = args as unknown as {
        known: Record<string, number>;
        after: string | null;
        until: string | null;
        limit: number;
      };
      const within = (name: string) => (after === null || name > after) && (end === null || name <= end);
      const there = [...things]
        .filter(([name]) => within(name))
        .sort()
        .slice(0, limit);
      const next = there.length === limit ? there.at(-1)![0] : end;
      const reached = (name: string) => within(name) && (next === null || name <= next);
      const changed = there.filter(([name, revision]) => known[name] !== revision);
      return {
        changed: changed.map(([name, revision_number]) => object({ id: name, revision_number })),
        gone: Object.keys(known).filter((name) => reached(name) && !things.has(name)),
        next,
      };
    };
    const follow = async () => {
      const connected = await agent();
      const followed = await connected.follow<Thing>(THING, {
        changed: async (objects) =>
          void told.push(...objects.map((thing) => `${thing.id.slice(-1)}@${thing.revision_number}`)),
        gone: async (ids) => void told.push(...ids.map((name) => `${name.slice(-1)} gone`)),
      });
      return { connected, followed };
    };
    beforeEach(async () => {
      things = new Map();
      pages = 0;
      told = [];
      await serve([reports(['alive']), on('q-plugin', { sync }, 'nucleon')]);
    });

    it('knows them all after the start, and the difference after an absence, in pages', async () => {
      for (let n = 0; n < 450; n++) things.set(id(n), 1);
      const { connected, followed } = await follow();
      await connected.begin();
      expect(followed.known.size).toBe(450);
      expect(pages).toBe(3);
      expect(told).toHaveLength(450);
      told = [];
      things.delete(id(7));
      things.delete(id(401));
      things.set(id(205), 2);
      things.set(id(449 + 1), 1);
      await connected.resync();
      expect(told.sort()).toEqual(['0@1', '1 gone', '5@2', '7 gone']);
      expect(followed.known.size).toBe(449);
      // All but one are gone: no page of the server's is full, and none is forgotten.
      things = new Map([[id(450), 1]]);
      await connected.resync();
      expect([...followed.known.keys()]).toEqual([id(450)]);
    });

    it('takes what is pushed, unless it is older than what it knows', async () => {
      const { connected, followed } = await follow();
      await connected.begin();
      await push('updated', { id: id(1), revision_number: 5 });
      await push('updated', { id: id(1), revision_number: 4 });
      await push('created', { id: id(2), revision_number: 1, more: 'than is named' });
      await push('deleted', { id: id(1) });
      await until(() => told.includes('1 gone'), 'the deletion is told');
      await followed.settled();
      expect(told.filter((line) => line.startsWith('1'))).not.toContain('1@4');
      expect([...followed.known.values()]).toEqual([{ id: id(2), revision_number: 1, more: 'than is named' }]);
    });

    it('lets a push win over a page that was on its way', async () => {
      things.set(id(1), 1);
      things.set(id(2), 1);
      const { connected, followed } = await follow();
      await connected.begin();
      const answer = sync;
      await life.stop();
      life = new Lifetime();
      const pushed = Promise.withResolvers<void>();
      await serve([
        on(
          'q-plugin',
          {
            sync: async (call, args) => {
              things.set(id(2), 2);
              const page = await answer(call, args);
              // The page is made; before it is sent, both change once more.
              await push('updated', { id: id(2), revision_number: 3 });
              await push('deleted', { id: id(1) });
              await until(() => !followed.known.has(id(1)), 'the pushes have arrived');
              pushed.resolve();
              return page;
            },
          },
          'nucleon',
        ),
      ]);
      things.set(id(1), 9);
      const done = connected.resync();
      await pushed.promise;
      await done;
      expect([...followed.known.values()]).toEqual([{ id: id(2), revision_number: 3 }]);
    });
  });
});
