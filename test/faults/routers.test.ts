/**
 * Processes of a whole server killed (-9) while routers are changed and read: what was committed is told to the host that has the
 * router, and a synchronisation in the middle is answered by another worker.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { connectAgent, createTopics } from '#src/rpc/mod.ts';
import { until } from '../support/nucleon.ts';
import { Cluster } from './support/cluster.ts';
import { type Hearing, hear } from './support/hearing.ts';
import { createAgent } from './support/traffic.ts';

const HOST = 'network-1';
const ROUTERS = 4;

/** The L3 agent of the host, which lives for an hour. */
async function createL3Agent(cluster: Cluster): Promise<void> {
  const configurations = { agent_mode: 'legacy', handle_internal_only_routers: true };
  await cluster.sql`
    insert into agents (id, agent_type, "binary", topic, host, admin_state_up, availability_zone, created_at, started_at,
      heartbeat_timestamp, configurations)
    values (gen_random_uuid(), 'L3 agent', 'neutron-l3-agent', 'l3_agent', ${HOST}, true, 'nova', now(), now(),
      now() + interval '1 hour', ${JSON.stringify(configurations)}::text::json)`;
}

describe('a server whose processes are killed', () => {
  let cluster: Cluster;
  let hearing: Hearing;
  const routers: string[] = [];

  beforeAll(async () => {
    cluster = await Cluster.start({ env: { OS_QUOTAS__QUOTA_ROUTER_ROUTE: '100000' } });
    await createAgent(cluster, HOST);
    await createL3Agent(cluster);
    hearing = cluster.add(await hear(await cluster.login(HOST), HOST));
    for (let n = 0; n < ROUTERS; n += 1) {
      const { network } = await cluster.must('POST', 'networks', { network: {} });
      const subnet = { network_id: network.id, ip_version: 4, cidr: `10.${n}.0.0/16` };
      const made = await cluster.must('POST', 'subnets', { subnet });
      const { router } = await cluster.must('POST', 'routers', { router: {} });
      await cluster.must('PUT', `routers/${router.id}/add_router_interface`, { subnet_id: made.subnet.id });
      routers.push(router.id);
    }
  });
  afterAll(() => cluster?.stop());
  beforeEach(() => cluster.whole());

  /** How often the host was told of a router. */
  const told = (id: string): number =>
    hearing.messages.filter(
      ({ topic, method, args }) => topic === 'l3_agent' && method === 'routers_updated' && args.routers.includes(id),
    ).length;
  /** How many routes a router has: each was a change of its own. */
  const changes = async (id: string): Promise<number> => {
    const [row] = await cluster.sql<{ count: number }[]>`
      select json_array_length(routes) as count from routers where id = ${id}`;
    return row?.count ?? 0;
  };

  test('API workers between commit and answer: each change of a router is told to its host', async () => {
    await cluster.quiet();
    const before = new Map(routers.map((id) => [id, told(id)]));
    let going = true;
    let failed = 0;
    const client = async (id: string, n: number) => {
      for (let round = 0; going; round += 1) {
        const destination = `192.${168 + n}.${round % 256}.${(round >> 8) * 4}/30`;
        const body = { router: { routes: [{ destination, nexthop: `10.${n}.0.9` }] } };
        const answer = await cluster.ask('PUT', `routers/${id}/add_extraroutes`, body, 3000).catch(() => undefined);
        if (answer === undefined || answer.status >= 500) failed += 1;
      }
    };
    const running = Promise.all(routers.map(client));
    for (let kill = 0; kill < 4; kill += 1) {
      const done = await cluster.sql`select sum(json_array_length(routes)) from routers`;
      await until('more work', async () => {
        const now = await cluster.sql`select sum(json_array_length(routes)) from routers`;
        return Number(now[0]?.['sum']) >= Number(done[0]?.['sum']) + 8;
      });
      await until('a worker to kill', () => cluster.kill('api worker'));
    }
    await cluster.whole();
    going = false;
    await running;
    await cluster.quiet();
    expect(failed).toBeGreaterThan(0);
    for (const id of routers) {
      const made = await changes(id);
      expect(made).toBeGreaterThan(0);
      const all = async () => told(id) - before.get(id)! >= made;
      await until(`router ${id} to be told of ${made} times, not ${told(id) - before.get(id)!}`, all, 10_000);
    }
  });

  test('an RPC worker in the middle of sync_routers: another answers it', async () => {
    const agent = await connectAgent({
      ...(await cluster.login(HOST)),
      host: HOST,
      binary: 'calling-agent',
      topics: createTopics(),
      clock: systemClock,
      log: silentLogger,
      metrics: silentMetrics,
    });
    try {
      const lock = await cluster.sql.reserve();
      await lock`begin`;
      await lock`lock table routers in access exclusive mode`;
      const args = { host: HOST, router_ids: routers };
      const call = agent.client.call('q-l3-plugin', 'sync_routers', args, {
        version: '1.0',
        timeout: 2000,
        retries: 10,
      });
      call.catch(() => {});
      const busy = () => cluster.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name like '%rpc worker%' and wait_event_type = 'Lock'`;
      await until('a worker in the middle of the call', async () => (await busy()).length > 0);
      const before = await cluster.pids('rpc worker');
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await until('new workers', async () => {
        const now = await cluster.pids('rpc worker');
        return now.length === before.length && now.every((pid) => !before.includes(pid));
      });
      await lock`commit`;
      lock.release();
      const answered = (await call) as { readonly id: string }[];
      expect(answered.map(({ id }) => id).toSorted()).toEqual(routers.toSorted());
    } finally {
      await agent.stop();
    }
  });
});
