/** What is peculiar to an isolate: bindings, connections that belong to requests, clients that hang up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../support/database.ts';
import { until } from '../../support/nucleon.ts';
import { passwordLogin, Session, send } from '../client.ts';
import { bundle, edgeDatabase, PASSWORD, startWorker, type Worker, type WorkerOptions } from './worker.ts';

describe('a Worker', () => {
  let script: string;
  let database: TestDatabase;
  const workers: Worker[] = [];

  beforeAll(async () => {
    [script, database] = await Promise.all([bundle(), edgeDatabase('isolate')]);
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await database?.drop();
  });

  async function start(bindings: WorkerOptions['bindings'], more: Partial<WorkerOptions> = {}): Promise<Worker> {
    const worker = await startWorker({ script, bindings, ...more });
    workers.push(worker);
    return worker;
  }
  const onDatabase = (bindings: WorkerOptions['bindings'] = {}) =>
    start({ OS_DATABASE__CONNECTION: database.url, ...bindings });
  const admin = ({ url }: Worker) => Session.logIn(url, 'admin', PASSWORD, 'admin');

  it('without a database answers 503 and says in its log what to bind', async () => {
    const worker = await start({});
    const answer = await send(worker.url, 'GET', '/v2.0/networks');
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ NeutronError: { type: 'HTTPServiceUnavailable' } });
    expect(worker.output()).toMatch(/no database is configured: bind a Hyperdrive as HYPERDRIVE/);
  });

  it('with an option that cannot be used answers 503 and names it', async () => {
    const worker = await onDatabase({ OS_DATABASE__MAX_POOL_SIZE: 'seven' });
    expect((await send(worker.url, 'GET', '/')).status).toBe(503);
    expect(worker.output()).toMatch(/max_pool_size/);
    expect(worker.output()).not.toContain(database.url);
  });

  it('reaches its database through a Hyperdrive, with named statements too', async () => {
    const pooler = new URL(database.url);
    // Not asked for here, but a Hyperdrive has one.
    pooler.password ||= 'unused';
    const hyperdrives = { HYPERDRIVE: pooler.href };
    for (const prepared of [false, true]) {
      const session = await admin(await start({ NUCLEON_PREPARED_STATEMENTS: prepared }, { hyperdrives }));
      const { id } = await session.create('networks', { name: 'through a pooler' });
      expect(await session.show('networks', id)).toMatchObject({ name: 'through a pooler' });
      await session.remove('networks', id);
    }
  });

  it('heeds the policy that is bound as a text', async () => {
    const session = await admin(await onDatabase({ NUCLEON_POLICY: '"create_network": "role:nobody"' }));
    expect(await session.list('networks')).toEqual([]);
    expect(await session.fault('POST', '/v2.0/networks', { network: {} })).toMatchObject({ status: 403 });
  });

  it('validates the tokens of a Keystone', async () => {
    const keystone = await onDatabase();
    const worker = await onDatabase({
      OS_DEFAULT__AUTH_STRATEGY: 'keystone',
      OS_KEYSTONE_AUTHTOKEN__AUTH_URL: `${keystone.url}/identity`,
      OS_KEYSTONE_AUTHTOKEN__USERNAME: 'admin',
      OS_KEYSTONE_AUTHTOKEN__PASSWORD: PASSWORD,
      OS_KEYSTONE_AUTHTOKEN__PROJECT_NAME: 'admin',
      OS_KEYSTONE_AUTHTOKEN__USER_DOMAIN_NAME: 'Default',
      OS_KEYSTONE_AUTHTOKEN__PROJECT_DOMAIN_NAME: 'Default',
    });
    const { token } = await admin(keystone);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => new Session(worker.url, token).send('GET', '/v2.0/networks')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await new Session(worker.url, 'invented').send('GET', '/v2.0/networks')).status).toBe(401);
  });

  describe('and its requests', () => {
    let worker: Worker;
    beforeAll(async () => {
      worker = await onDatabase();
    });
    const sessions = async (condition: string) => {
      const rows = await database.sql`
        select wait_event_type from pg_stat_activity
        where datname = current_database() and application_name = 'nucleon: isolate'`;
      return rows.filter((row) => condition === 'any' || row['wait_event_type'] === condition).length;
    };
    const closed = () => until('all connections are closed', async () => (await sessions('any')) === 0, 5000);

    it('share no connection, and leave none behind', async () => {
      const session = await admin(worker);
      const lists = await Promise.all(Array.from({ length: 40 }, () => session.list('networks')));
      expect(lists).toHaveLength(40);
      await closed();
    });

    /** Sends requests that are held up by a lock on the table, and hangs up on them. */
    async function hangUp(table: string, requests: readonly { readonly path: string; readonly body: unknown }[]) {
      const { token } = await admin(worker);
      await closed();
      await database.sql.begin(async (tx) => {
        await tx`lock table ${tx(table)} in access exclusive mode`;
        const controller = new AbortController();
        const headers = { 'Content-Type': 'application/json', 'X-Auth-Token': token };
        const answers = requests.map(({ path, body }) =>
          fetch(new URL(path, worker.url), {
            method: 'POST',
            headers,
            body: JSON.stringify(body),
            signal: controller.signal,
          }),
        );
        const settled = Promise.allSettled(answers);
        await until('the lock holds the requests up', async () => (await sessions('Lock')) > 0, 5000);
        controller.abort();
        expect((await settled).map(({ status }) => status)).toEqual(requests.map(() => 'rejected'));
      });
    }

    it('are served to the end when the client hangs up', async () => {
      const name = crypto.randomUUID();
      await hangUp('networks', [{ path: '/v2.0/networks', body: { network: { name } } }]);
      const session = await admin(worker);
      await until('the network is there', async () => (await session.list('networks', `?name=${name}`)).length === 1);
      await closed();
    });

    it('keep no place of the next when the client hangs up in a login', async () => {
      const login = { path: '/identity/v3/auth/tokens', body: passwordLogin('admin', PASSWORD, 'admin') };
      await hangUp('identity_login_failures', Array(4).fill(login));
      expect(await admin(worker)).toBeInstanceOf(Session);
      await closed();
    });
  });
});
