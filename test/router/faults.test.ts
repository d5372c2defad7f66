/**
 * A worker dies in the middle of a write, which to the database is a connection that is gone: at whatever statement that
 * happens, nothing is left half done. Here each write is held at a table that it comes to late, and its connection ended there.
 */
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Stack } from '../support/stack.ts';
import { type Attributes, Cloud, OPTIONS } from './support.ts';

const POOL = 4;

let stack: Stack;
let cloud: Cloud;
/** Connections of the test's own, beside those of the server. */
let sql: postgres.Sql;
beforeAll(async () => {
  stack = await Stack.start('router_faults', OPTIONS, POOL);
  cloud = new Cloud(stack);
  sql = postgres(stack.database.url, { max: 2 });
});
beforeEach(() => stack.clear());
afterAll(async () => {
  await sql.end();
  await stack.stop();
});

/** Ends the connection that waits for the table, as soon as there is one. */
async function endWaiting(table: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const ended = await sql`
      select pg_terminate_backend(pid, 5000) from pg_locks where relation = ${table}::regclass and not granted`;
    if (ended.length > 0) return;
  }
}

/** Until no connection of the server's is one that has been ended, which it learns a moment later. */
async function recovered(): Promise<void> {
  for (;;) {
    const asked = Array.from({ length: POOL * 2 }, () => stack.database.sql`select 1`);
    const outcomes = await Promise.allSettled(asked);
    if (outcomes.every(({ status }) => status === 'fulfilled')) return;
  }
}

/** Sends the request while nobody can write to the table; its answer, when its connection has been ended there. */
async function cutOff(table: string, method: string, path: string, body?: object) {
  const holding = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holder = sql.begin(async (tx) => {
    await tx.unsafe(`lock table ${table} in share mode`);
    held.resolve();
    await holding.promise;
  });
  await held.promise;
  const before = await stack.dump();
  let over = false;
  const answer = cloud.ask(method, path, body).finally(() => {
    over = true;
  });
  await endWaiting(table, () => over);
  const { status, text } = await answer;
  holding.resolve();
  await holder;
  await recovered();
  expect(status, text).toBeGreaterThanOrEqual(500);
  return { before, after: await stack.dump() };
}

type Place = Awaited<ReturnType<Cloud['connected']>> & { readonly idle: Attributes; readonly used: Attributes };
type Write = (place: Place) => readonly [table: string, method: string, path: string, body?: object];

const gateway = (network: Attributes) => ({ router: { external_gateway_info: { network_id: network.id } } });

const WRITES: Readonly<Record<string, Write>> = {
  'a router with its gateway': ({ outside }) => ['router_ports', 'POST', 'routers', gateway(outside.net)],
  'a router that goes with its gateway': ({ idle }) => ['routers', 'DELETE', `routers/${idle.router.id}`],
  'a gateway that is set': ({ idle, outside }) => [
    'router_ports',
    'PUT',
    `routers/${idle.bare.id}`,
    gateway(outside.net),
  ],
  'a gateway that moves': ({ idle }) => ['router_ports', 'PUT', `routers/${idle.router.id}`, gateway(idle.outside.net)],
  'an interface': ({ idle }) => [
    ...(['router_ports', 'PUT', `routers/${idle.bare.id}/add_router_interface`] as const),
    { subnet_id: idle.inside.sub.id },
  ],
  'an interface that goes': ({ idle }) => [
    ...(['ports', 'PUT', `routers/${idle.inner.id}/remove_router_interface`] as const),
    { subnet_id: idle.other.sub.id },
  ],
  'a floating IP': ({ outside, port }) => [
    ...(['floatingips', 'POST', 'floatingips'] as const),
    { floatingip: { floating_network_id: outside.net.id, port_id: port.id } },
  ],
  'a floating IP that goes': ({ idle }) => ['ports', 'DELETE', `floatingips/${idle.floatingip.id}`],
  'a port that leaves its floating IP': ({ used }) => ['floatingips', 'DELETE', `ports/${used.port_id}`],
};

async function place(): Promise<Place> {
  const connected = await cloud.connected();
  const { outside, inside } = connected;
  const idle = {
    router: await cloud.router(outside.net),
    bare: await cloud.router(),
    outside: await cloud.external(),
    inside: await cloud.lan(),
    inner: await cloud.router(),
    other: await cloud.lan(),
    floatingip: await cloud.floating(outside.net),
  };
  await cloud.add(idle.inner, { subnet_id: idle.other.sub.id });
  const other = await stack.create('port', { network_id: inside.net.id, project_id: 'alice' });
  return { ...connected, idle, used: await cloud.floating(outside.net, { port_id: other.id }) };
}

it.each(Object.entries(WRITES))('%s: all of it, or nothing', async (_, write) => {
  const [table, method, path, body] = write(await place());
  const { before, after } = await cutOff(table, method, path, body);
  expect(after).toBe(before);
  // The same again, undisturbed.
  expect((await cloud.ask(method, path, body)).status).toBeLessThan(300);
});
