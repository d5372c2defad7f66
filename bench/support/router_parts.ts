/** How long an L3 agent's full sync takes: 1,000 routers with 3 interfaces and 5 floating IPs each, on one host. */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { AgentConnection } from '#src/rpc/mod.ts';
import { type RpcBench, report } from './rpc_scene.ts';

const ROUTERS = 1000;
const INTERFACES = 3;
const FLOATING_IPS = 5;
const BULK = 50;

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
type Made = any;

const count = (length: number): readonly number[] => Array.from({ length }, (_, n) => n);

/** Each of the works, so many at a time. */
async function each<Item>(items: readonly Item[], clients: number, work: (item: Item, n: number) => Promise<unknown>) {
  let next = 0;
  const one = async () => {
    for (let n = next++; n < items.length; n = next++) await work(items[n] as Item, n);
  };
  await Promise.all(count(clients).map(one));
}

async function bulk({ client }: RpcBench, collection: string, bodies: readonly object[]): Promise<Made[]> {
  const parts = count(Math.ceil(bodies.length / BULK)).map((n) => bodies.slice(n * BULK, (n + 1) * BULK));
  const made: Made[][] = [];
  await each(parts, 4, async (part, n) => {
    made[n] = (await client.json('POST', `/v2.0/${collection}`, { [collection]: part }))[collection];
  });
  return made.flat();
}

/** The routers, with a port behind each of their floating IPs. */
async function furnish(bench: RpcBench): Promise<void> {
  const [outside] = await bulk(bench, 'networks', [{ name: 'outside', 'router:external': true }]);
  await bulk(bench, 'subnets', [{ network_id: outside.id, ip_version: 4, cidr: '172.16.0.0/14' }]);
  const gateway = { network_id: outside.id };
  const routers = await bulk(
    bench,
    'routers',
    count(ROUTERS).map((n) => ({ name: `router-${n}`, external_gateway_info: gateway })),
  );
  const networks = await bulk(
    bench,
    'networks',
    count(ROUTERS * INTERFACES).map((n) => ({ name: `inside-${n}` })),
  );
  const cidr = (n: number) => `10.${n % INTERFACES}.${n % 250}.0/24`;
  const subnets = await bulk(
    bench,
    'subnets',
    networks.map(({ id }, n) => ({ network_id: id, ip_version: 4, cidr: cidr(n), enable_dhcp: false })),
  );
  await each(subnets, 8, ({ id }, n) =>
    bench.client.send('PUT', `/v2.0/routers/${routers[Math.floor(n / INTERFACES)].id}/add_router_interface`, {
      subnet_id: id,
    }),
  );
  const ports = await bulk(
    bench,
    'ports',
    count(ROUTERS * FLOATING_IPS).map((n) => ({ network_id: networks[Math.floor(n / FLOATING_IPS) * INTERFACES].id })),
  );
  await bulk(
    bench,
    'floatingips',
    ports.map(({ id }) => ({ floating_network_id: outside.id, port_id: id })),
  );
}

/** All pages of a full sync. */
async function fullSync({ client }: AgentConnection) {
  const began = performance.now();
  let [pages, routers, floatingips, most, bytes] = [0, 0, 0, 0, 0];
  for (let after: JsonObject | null = null; ; ) {
    const args: JsonObject = { host: client.host, limit: 1000, ...(after === null ? {} : { after }) };
    const page = (await client.call('q-l3-plugin', 'sync_routers', args, { timeout: 60_000 })) as Made[];
    const last = page.at(-1);
    if (last === undefined) break;
    after = { router_id: last.id, floatingip_id: last._floatingips?.at(-1)?.id ?? null };
    const size = JSON.stringify(page).length;
    pages += 1;
    routers += page.length;
    floatingips += page.reduce((sum, one) => sum + (one._floatingips?.length ?? 0), 0);
    most = Math.max(most, size);
    bytes += size;
  }
  const seconds = (performance.now() - began) / 1000;
  const kib = (size: number) => Math.ceil(size / 1024);
  console.log(
    `  ${routers} routers with ${floatingips} floating IPs in ${seconds.toFixed(2)} s: ${pages} pages, ${kib(bytes)} KiB, the largest ${kib(most)} KiB`,
  );
}

/** A sync that finds no port where it has to be, then those of an agent that starts again. */
export async function routers(bench: RpcBench): Promise<void> {
  const [agent] = await bench.agents(1);
  await report(agent!, 'L3 agent', { agent_mode: 'legacy' });
  await furnish(bench);
  for (const name of ['full sync, all ports to be placed', 'full sync', 'full sync', 'full sync']) {
    await bench.measure({ name, clients: 1, times: 1, seconds: 300, work: () => fullSync(agent!) });
  }
}
