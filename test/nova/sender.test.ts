/** What waits reaches Nova: in order, at least once, whatever happens to the sender, to Keystone and to Nova. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { createServiceSession, type ServiceSettings, serviceSettings } from '#src/identity/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import { type LogFields, type Logger, silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { createSender, type SenderOptions } from '#src/services/nova_notifier/sender.ts';
import { eventWriter } from '#src/services/nova_notifier/store.ts';
import { until } from '../rpc/support.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';
import { Cloud, novaOptions, PASSWORD } from './cloud.ts';

const FAST = { idle: 5, first: 5, longest: 20 };

let database: TestDatabase;
let cloud: Cloud;
let settings: ServiceSettings;
let logged: { readonly message: string; readonly fields: LogFields | undefined }[] = [];
const endings: (() => Promise<void>)[] = [];

const log: Logger = {
  ...silentLogger,
  warn: (message, fields) => void logged.push({ message, fields }),
  error: (message, fields) => void logged.push({ message, fields }),
};

beforeAll(async () => {
  database = await migratedDatabase('nova');
});
afterAll(() => database.drop());
beforeEach(async () => {
  logged = [];
  cloud = await Cloud.start();
  settings = serviceSettings(configFrom(allOptions, { nova: novaOptions(cloud) }), 'nova');
});
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
  await cloud.stop();
  await database.sql`delete from nova_events`;
});

/** A sender that works until the test ends, or it is stopped. */
function send(options: Partial<SenderOptions> = {}): () => Promise<void> {
  const nova = createServiceSession({ settings, serviceType: 'compute', fetch, clock: systemClock });
  const stopping = new AbortController();
  const run = createSender({
    ...{ db: database.db, nova, log, metrics: silentMetrics, interval: 0, pauses: FAST },
    ...options,
  });
  const running = run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  endings.push(stop);
  return stop;
}

const write = eventWriter();
async function cause(...events: readonly (readonly [server: string, name: string, port?: string])[]): Promise<void> {
  await database.db.transaction({ label: 'cause' }, async (tx) => {
    for (const [server_uuid, name, tag = crypto.randomUUID()] of events) {
      write(tx, [{ server_uuid, name: name as 'network-changed', status: 'completed', tag }]);
    }
  });
}

const waiting = async (): Promise<number> => {
  const [row] = await database.sql<{ count: number }[]>`select count(*)::int as count from nova_events`;
  return row!.count;
};
const nothingWaits = () => until(async () => (await waiting()) === 0, 'all events are sent');
const instance = (on: Set<string> = cloud.instances): string => {
  const id = crypto.randomUUID();
  on.add(id);
  return id;
};

describe('the sender', () => {
  it('sends what waits in one request, in the order it was caused in', async () => {
    const [one, two] = [instance(), instance()];
    const port = crypto.randomUUID();
    await cause([one, 'network-vif-unplugged', port], [two, 'network-changed']);
    await cause([one, 'network-vif-plugged', port]);
    send();
    await nothingWaits();
    expect(cloud.requests.map((events) => events.map(({ server_uuid, name }) => [server_uuid, name]))).toEqual([
      [
        [one, 'network-vif-unplugged'],
        [two, 'network-changed'],
        [one, 'network-vif-plugged'],
      ],
    ]);
    expect(cloud.requests[0]?.[0]).toEqual({
      server_uuid: one,
      name: 'network-vif-unplugged',
      status: 'completed',
      tag: port,
    });
  });

  it('sends thousands in batches, with one login', async () => {
    const id = instance();
    const names = Array.from({ length: 1050 }, (_, index) => `network-${index}`);
    await cause(...names.map((name) => [id, name] as const));
    send();
    await nothingWaits();
    expect(cloud.taken.map(({ name }) => name)).toEqual(names);
    expect([cloud.requests.length, cloud.logins]).toEqual([11, 1]);
  });

  it('drops and logs what Nova does not want, and no other', async () => {
    const [good, early, unknown] = [instance(), instance(cloud.unscheduled), crypto.randomUUID()];
    await cause([unknown, 'network-changed'], [good, 'network-vif-plugged'], [early, 'network-vif-plugged']);
    send();
    await nothingWaits();
    expect(cloud.requests).toHaveLength(1);
    expect(cloud.taken.map(({ server_uuid }) => server_uuid)).toEqual([good]);
    expect(logged.map(({ fields }) => fields?.['code'])).toEqual([404, 422]);
  });

  it('drops what Nova knows none of', async () => {
    await cause([crypto.randomUUID(), 'network-changed'], [instance(cloud.unscheduled), 'network-changed']);
    send();
    await nothingWaits();
    expect([cloud.requests.length, cloud.taken]).toEqual([1, []]);
  });

  it('finds the one event that Nova cannot read, and sends the others', async () => {
    const id = instance();
    const events = Array.from({ length: 9 }, (_, index) => [id, `network-${index}`] as const);
    await cause(...events.slice(0, 5), ['{not nova’s idea of an id}', 'network-changed'], ...events.slice(5));
    send();
    await nothingWaits();
    expect(cloud.taken.map(({ name }) => name)).toEqual(events.map(([, name]) => name));
    expect(logged.map(({ message }) => message)).toEqual(['Nova refused an event']);
  });

  it.each([
    ['503', () => Response.json({}, { status: 503 })],
    ['a 404 that is not its own', () => new Response('no such site', { status: 404 })],
    ['200 with something else', () => Response.json({ hello: 'world' })],
    ['a redirection', () => new Response(null, { status: 302, headers: { Location: 'http://127.0.0.1:1/' } })],
  ])('sends again what Nova answers with %s', async (_, answer) => {
    let left = 3;
    cloud.instead = () => (left-- > 0 ? answer() : undefined);
    const id = instance();
    await cause([id, 'network-vif-plugged'], [id, 'network-changed']);
    send();
    await nothingWaits();
    expect(cloud.requests).toHaveLength(4);
    expect(cloud.taken.map(({ name }) => name)).toEqual(['network-vif-plugged', 'network-changed']);
  });

  it('sends again what Nova does not answer in time', async () => {
    settings = { ...settings, timeoutSeconds: 0.1 };
    let first = true;
    const { promise: never, resolve: end } = Promise.withResolvers<Response>();
    cloud.instead = () => {
      if (!first) return undefined;
      first = false;
      return never;
    };
    await cause([instance(), 'network-vif-plugged']);
    send();
    await nothingWaits();
    end(Response.json({}));
    expect([cloud.requests.length, cloud.taken.length]).toEqual([2, 1]);
  });

  it('logs in again when its token is refused', async () => {
    const id = instance();
    await cause([id, 'network-changed']);
    send();
    await nothingWaits();
    cloud.tokens.clear();
    await cause([id, 'network-changed']);
    await nothingWaits();
    expect([cloud.logins, cloud.taken.length, logged]).toEqual([2, 2, []]);
  });

  it('waits for a Keystone that refuses it or is away, and no secret gets into the log', async () => {
    const wrong = novaOptions(cloud);
    const right = settings;
    settings = serviceSettings(configFrom(allOptions, { nova: { ...wrong, password: 'not the secret' } }), 'nova');
    await cause([instance(), 'network-vif-plugged']);
    const stop = send();
    await until(() => logged.length >= 2, 'the refusal is logged');
    await stop();
    settings = { ...right, authUrl: 'http://127.0.0.1:1' };
    const stopAway = send();
    await until(() => logged.length >= 4, 'the absence is logged');
    await stopAway();
    expect(await waiting()).toBe(1);
    settings = right;
    send();
    await nothingWaits();
    const text = JSON.stringify(logged, (_, value) =>
      value instanceof Error ? `${value.stack} ${value.cause}` : value,
    );
    expect(text).toContain('refused the login with 401');
    expect(text).not.toMatch(new RegExp(`${PASSWORD}|not the secret|token-\\d`));
  });

  it('says where the catalogue has no endpoint for it', async () => {
    settings = { ...settings, region: 'three' };
    await cause([instance(), 'network-changed']);
    send();
    await until(() => logged.length > 0, 'it is logged');
    expect(String(logged[0]?.fields?.['error'])).toContain(
      "no public endpoint of a service of type 'compute' in region three",
    );
  });

  it('drops what is too old, and sends the rest', async () => {
    const id = instance();
    await cause([id, 'network-vif-unplugged']);
    await database.sql`update nova_events set created_at = now() - interval '2 hours'`;
    await cause([id, 'network-vif-plugged']);
    send();
    await nothingWaits();
    expect(cloud.taken.map(({ name }) => name)).toEqual(['network-vif-plugged']);
    expect(logged.map(({ message }) => message)).toEqual(['Nova could not be told for too long']);
  });

  it('lets events gather for the interval', async () => {
    const id = instance();
    send({ interval: 0.3 });
    await cause([id, 'first']);
    await until(() => cloud.taken.length === 1, 'the first is sent at once');
    await cause([id, 'second']);
    await cause([id, 'third']);
    await nothingWaits();
    expect(cloud.requests.map((events) => events.length)).toEqual([1, 2]);
  });

  it('leaves nothing of a transaction that is rolled back', async () => {
    const failing = database.db.transaction({ label: 'fails' }, async (tx) => {
      write(tx, [{ server_uuid: instance(), name: 'network-changed', status: null, tag: crypto.randomUUID() }]);
      await tx`select 1 / 0`;
    });
    await expect(failing).rejects.toThrow();
    expect(await waiting()).toBe(0);
  });
});

describe('a sender that is killed', () => {
  it('between commit and sending, and while it sends, loses nothing: another goes on', async () => {
    const id = instance();
    // Committed while there is no sender.
    await cause([id, 'network-vif-unplugged'], [id, 'network-vif-plugged']);
    const { promise: reached, resolve: isReached } = Promise.withResolvers<void>();
    const { promise: never, resolve: end } = Promise.withResolvers<Response>();
    cloud.instead = () => {
      isReached();
      return never;
    };
    const child = () => {
      const program = fileURLToPath(new URL('sender_process.ts', import.meta.url));
      const argument = JSON.stringify({ url: database.url, settings });
      const started = spawn(process.execPath, [program, argument], { stdio: ['ignore', 'inherit', 'inherit'] });
      endings.push(async () => {
        if (started.exitCode === null && started.signalCode === null) {
          started.kill('SIGKILL');
          await once(started, 'exit');
        }
      });
      return started;
    };
    const first = child();
    await reached;
    first.kill('SIGKILL');
    await once(first, 'exit');
    end(Response.json({}));
    expect(await waiting()).toBe(2);
    cloud.instead = undefined;
    child();
    await nothingWaits();
    expect(cloud.taken.map(({ name }) => name)).toEqual(['network-vif-unplugged', 'network-vif-plugged']);
  });
});
