/** Which agent a highly available router is active on, whatever comes late, twice or in another order than it was said. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attributes } from '../router/support.ts';
import { admin } from '../support/stack.ts';
import { HaCloud } from './support.ts';

const HOSTS = ['host1', 'host2', 'host3'] as const;

let cloud: HaCloud;
beforeAll(async () => {
  cloud = await HaCloud.begin('l3_ha_states');
  const quota = { router: -1, network: -1, subnet: -1, port: -1 };
  for (const project of ['alice', 'admin'])
    await cloud.stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota } });
  await cloud.agents(...HOSTS);
});
afterAll(() => cloud.stop());

const standby = { host1: 'standby', host2: 'standby', host3: 'standby' };

/** A router with a gateway and an interface. */
async function connected(): Promise<Attributes> {
  const [{ net }, { sub }] = [await cloud.external(), await cloud.lan()];
  const router = await cloud.haRouter('alice', { external_gateway_info: { network_id: net.id } });
  await cloud.add(router, { subnet_id: sub.id });
  return router;
}

/** Where the ports of the router are that move with it. */
async function places({ id }: Attributes): Promise<readonly string[]> {
  const ports = await cloud.portsOf(id);
  const moving = ports.filter(({ device_owner }) => device_owner !== 'network:router_ha_interface');
  return cloud.hostsOf(moving.toSorted((a, b) => (a.device_owner < b.device_owner ? -1 : 1)));
}

describe('a report without epochs', () => {
  it('says where a router is active; the last one counts', async () => {
    const router = await connected();
    expect(await cloud.tell('host1', { [router.id]: 'active' })).toBeNull();
    expect(await cloud.shown(router)).toEqual({ ...standby, host1: 'active' });
    expect(await places(router)).toEqual(['host1', 'host1']);
    await cloud.tell('host2', { [router.id]: 'active' });
    expect(await cloud.shown(router)).toEqual({ ...standby, host2: 'active' });
    expect(await places(router)).toEqual(['host2', 'host2']);
    await cloud.tell('host1', { [router.id]: 'standby' });
    expect(await cloud.shown(router)).toEqual({ ...standby, host2: 'active' });
    await cloud.tell('host2', { [router.id]: 'unknown' });
    expect(await cloud.shown(router)).toEqual({ ...standby, host2: 'unknown' });
    expect(await cloud.epoch(router)).toBe(2);
  });

  it('may call the states as keepalived does', async () => {
    const router = await cloud.haRouter();
    await cloud.tell('host1', { [router.id]: 'primary' });
    expect(await cloud.shown(router)).toEqual({ ...standby, host1: 'active' });
    await cloud.tell('host1', { [router.id]: 'backup' });
    expect(await cloud.shown(router)).toEqual(standby);
    await cloud.tell('host1', { [router.id]: 'fault' });
    expect(await cloud.shown(router)).toEqual(standby);
  });

  it('counts for nothing when the agent is dead by then', async () => {
    const router = await cloud.haRouter();
    await cloud.tell('host2', { [router.id]: 'active' });
    await cloud.kill('host1');
    await cloud.tell('host1', { [router.id]: 'active' });
    expect(await cloud.shown(router)).toEqual({ ...standby, host2: 'active' });
    await cloud.agents('host1');
    await cloud.tell('host1', { [router.id]: 'active' });
    expect(await cloud.shown(router)).toEqual({ ...standby, host1: 'active' });
  });

  it('is of routers of its own host alone', async () => {
    const router = await cloud.haRouter();
    const [stranger] = await cloud.agents('stranger');
    const plain = await cloud.stack.create('router', { ha: false }, admin);
    const before = await cloud.stack.dump();
    await cloud.tell('stranger', { [router.id]: 'active', [crypto.randomUUID()]: 'active', nonsense: 'standby' });
    expect(await cloud.tell('stranger', { [router.id]: 'active' }, { [router.id]: 0 })).toEqual({});
    await cloud.tell('nobody', { [router.id]: 'active' });
    await cloud.tell('host1', { [plain.id]: 'active' });
    expect(await cloud.stack.dump()).toBe(before);
    await cloud.done('DELETE', `agents/${stranger}`, undefined, admin);
  });
});

describe('a report with epochs', () => {
  it('is answered with how things stand', async () => {
    const [one, two] = [await cloud.haRouter(), await cloud.haRouter()];
    const answer = await cloud.tell('host1', { [one.id]: 'active', [two.id]: 'standby' }, { [one.id]: 0, [two.id]: 0 });
    expect(answer).toEqual({
      [one.id]: { epoch: 1, active_host: 'host1' },
      [two.id]: { epoch: 0, active_host: null },
    });
    expect(await cloud.tell('host2', { [one.id]: 'standby' }, { [one.id]: 0 })).toEqual({
      [one.id]: { epoch: 1, active_host: 'host1' },
    });
    expect(await cloud.tell('host1', { [one.id]: 'standby' }, { [one.id]: 1 })).toEqual({
      [one.id]: { epoch: 1, active_host: null },
    });
  });

  it('is refused when it was made under an older epoch, and accepted under the newest', async () => {
    const router = await connected();
    const says = (host: string, state: string, epoch: number) =>
      cloud.tell(host, { [router.id]: state }, { [router.id]: epoch });
    expect(await says('host1', 'active', 0)).toEqual({ [router.id]: { epoch: 1, active_host: 'host1' } });
    expect(await says('host2', 'active', 1)).toEqual({ [router.id]: { epoch: 2, active_host: 'host2' } });
    // What host1 said before it lost the router comes now.
    expect(await says('host1', 'active', 1)).toEqual({ [router.id]: { epoch: 2, active_host: 'host2' } });
    expect(await cloud.shown(router)).toEqual({ ...standby, host2: 'active' });
    expect(await places(router)).toEqual(['host2', 'host2']);
    // And what host2 said before it got it.
    expect(await says('host2', 'standby', 1)).toEqual({ [router.id]: { epoch: 2, active_host: 'host2' } });
    expect(await cloud.shown(router)).toEqual({ ...standby, host2: 'active' });
    expect(await says('host1', 'active', 2)).toEqual({ [router.id]: { epoch: 3, active_host: 'host1' } });
    expect(await places(router)).toEqual(['host1', 'host1']);
    expect(await says('host3', 'active', 7)).toEqual({ [router.id]: { epoch: 3, active_host: 'host1' } });
  });

  it('that comes twice changes nothing the second time', async () => {
    const router = await connected();
    const once = () => cloud.tell('host1', { [router.id]: 'active' }, { [router.id]: 0 });
    const first = await once();
    const before = await cloud.stack.dump();
    expect(await once()).toEqual(first);
    expect(await cloud.stack.dump()).toBe(before);
  });
});

describe('an active agent that is lost', () => {
  it('is shown on standby while others are there, and as unknown when all are lost', async () => {
    const router = await cloud.haRouter();
    await cloud.tell('host1', { [router.id]: 'active' });
    await cloud.kill('host1');
    expect(await cloud.shown(router)).toEqual(standby);
    await cloud.kill('host2', 'host3');
    expect(await cloud.shown(router)).toEqual({ ...standby, host1: 'unknown' });
    await cloud.agents(...HOSTS);
    expect(await cloud.shown(router)).toEqual({ ...standby, host1: 'active' });
  });

  it('is so at once when its connection is', async () => {
    const router = await cloud.haRouter();
    await cloud.tell('host1', { [router.id]: 'active' });
    await cloud.sql`
      insert into agent_presence (host, "binary", epoch, alive, changed_at)
      values ('host1', 'neutron-l3-agent', 1, false, now())`;
    expect(await cloud.shown(router)).toEqual(standby);
    await cloud.tell('host3', { [router.id]: 'active' });
    await cloud.sql`delete from agent_presence`;
    expect(await cloud.shown(router)).toEqual({ ...standby, host3: 'active' });
  });

  it('leaves the router to another, which has its ports then', async () => {
    const router = await connected();
    await cloud.tell('host1', { [router.id]: 'active' });
    await cloud.kill('host1');
    const told = await cloud.told(() => cloud.tell('host2', { [router.id]: 'active' }), 'q-agent-notifier-port');
    expect(await places(router)).toEqual(['host2', 'host2']);
    expect(told.length).toBeGreaterThan(0);
    await cloud.agents(...HOSTS);
    expect(await cloud.shown(router)).toEqual({ ...standby, host2: 'active' });
  });

  it('that is deleted leaves nobody active', async () => {
    const router = await cloud.haRouter();
    const [id] = await cloud.agents('host1');
    await cloud.tell('host1', { [router.id]: 'active' });
    await cloud.done('DELETE', `agents/${id}`, undefined, admin);
    expect(Object.values(await cloud.shown(router))).not.toContain('active');
    await cloud.tell('host2', { [router.id]: 'active' });
    expect(await cloud.shown(router)).toMatchObject({ host2: 'active' });
    await cloud.agents('host1');
  });
});

it('ports that come while a router is active are where it is, once it is said again', async () => {
  const router = await connected();
  await cloud.tell('host1', { [router.id]: 'active' });
  const { sub } = await cloud.lan();
  await cloud.add(router, { subnet_id: sub.id });
  await cloud.tell('host1', { [router.id]: 'active' });
  expect(await places(router)).toEqual(['host1', 'host1', 'host1']);
});

it('no two agents are ever active, however reports are mixed, and ports end up where the last one is', async () => {
  const routers = [await connected(), await cloud.haRouter(), await cloud.haRouter()];
  const ids = routers.map(({ id }) => id as string);
  const report = fc.record({
    host: fc.constantFrom(...HOSTS),
    states: fc.array(fc.constantFrom('active', 'active', 'standby', 'unknown'), { minLength: 3, maxLength: 3 }),
    /** How old what the agent knows is; null: it knows of no epochs. */
    age: fc.constantFrom(null, 0, 0, 1, 2),
    twice: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(report, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 }),
      async (rounds) => {
        for (const round of rounds) {
          const epochs = await Promise.all(routers.map((router) => cloud.epoch(router)));
          let watching = true;
          const watched = (async () => {
            while (watching) {
              const rows = await cloud.sql<{ active: number }[]>`
              select count(*)::int as active from router_ha_ports where router_id = any(${ids}) and state = 'active'
              group by router_id`;
              for (const { active } of rows) expect(active).toBe(1);
              for (const states of await Promise.all(routers.map((router) => cloud.shown(router)))) {
                expect(Object.values(states).filter((state) => state === 'active').length).toBeLessThanOrEqual(1);
              }
            }
          })();
          await Promise.all(
            round.flatMap(({ host, states, age, twice }) => {
              const said = Object.fromEntries(ids.map((id, n) => [id, states[n] ?? 'standby']));
              const known =
                age === null
                  ? undefined
                  : Object.fromEntries(ids.map((id, n) => [id, Math.max(0, (epochs[n] ?? 0) - age)]));
              return (twice ? [1, 2] : [1]).map(() => cloud.tell(host, said, known));
            }),
          );
          watching = false;
          await watched;
          for (const [n, router] of routers.entries()) {
            expect(await cloud.epoch(router)).toBeGreaterThanOrEqual(epochs[n] ?? 0);
            const [active] = Object.entries(await cloud.shown(router)).find(([, state]) => state === 'active') ?? [];
            for (const place of active === undefined ? [] : await places(router)) expect(place).toBe(active);
          }
        }
      },
    ),
    { numRuns: 12, interruptAfterTimeLimit: 40_000 },
  );
}, 120_000);
