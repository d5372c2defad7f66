/**
 * How fast the API reads and writes, beside bare PostgreSQL in the same minutes: `node bin/node24.mjs bench/api.ts`.
 *
 * Starts a server of its own (no authentication, no quotas, everything embedded) unless `--url` names one; `--only 'list|show'` picks
 * workloads, `--clients 1,8`, `--seconds 5`, `--header`, and `--pid` and `--postgres` of a server that is not ours. Figures of
 * machines differ and machines are busy: take the ratios at the end, and the CPU time.
 */
import { measureFloor, measureListSql } from './postgres_floor.ts';
import { compare, type Measured, measure, type Plan } from './support/measure.ts';
import { type Bench, openBench } from './support/options.ts';

/** Ports of the networks that are read. */
const SIZES = [100, 1000, 4000] as const;
const BULK = 50;
const ROUTERS = 'router with gateway, interface and floating IP';
const ROUTER_CYCLES = 300;

interface Lan {
  readonly network: string;
  readonly ports: readonly string[];
}

const bench = await openBench();
const { client, only } = bench;
let made = 0;
const name = (kind: string) => `bench ${kind} ${process.pid} ${made++}`;
const results = new Map<string, Measured>();

async function run(
  what: string,
  clients: number,
  work: (n: number) => Promise<unknown>,
  more: Partial<Plan> = {},
): Promise<void> {
  if (!only.test(what) || more.times === 0) return;
  const { pid, seconds } = bench;
  results.set(`${what} ${clients}`, await measure({ name: what, clients, seconds, pid, work, ...more }));
}

async function createNetwork(): Promise<string> {
  return (await client.json('POST', '/v2.0/networks', { network: { name: name('network') } })).network.id;
}

const createSubnet = (network_id: string, cidr: string) =>
  client.send('POST', '/v2.0/subnets', { subnet: { network_id, cidr, ip_version: 4 } });

async function createPort(network_id: string): Promise<string> {
  return (await client.json('POST', '/v2.0/ports', { port: { network_id, name: name('port') } })).port.id;
}

async function createPorts(network_id: string): Promise<string[]> {
  const ports = Array.from({ length: BULK }, () => ({ network_id, name: name('port') }));
  const answer = await client.json('POST', '/v2.0/ports', { ports });
  return answer.ports.map(({ id }: { readonly id: string }) => id);
}

/** A network with so many ports, and what filling it was like. */
async function createLan(size: number, place: number): Promise<Lan> {
  const network = await createNetwork();
  await createSubnet(network, `10.${place}.0.0/16`);
  const ports: string[] = [];
  const work = async () => void ports.push(...(await createPorts(network)));
  const plan = { clients: 2, seconds: 600, times: size / BULK, each: BULK, pid: bench.pid };
  await measure({ ...plan, name: `create ${BULK} ports at once`, work });
  return { network, ports };
}

async function networks(clients: number): Promise<void> {
  const ids: string[] = [];
  await run('create network', clients, async () => void ids.push(await createNetwork()));
  await run('create subnet', clients, (n) => createSubnet(ids[n]!, '10.200.0.0/24'), { times: ids.length });
  if (ids.length > 0) {
    await run('show network', clients, (n) => client.send('GET', `/v2.0/networks/${ids[n % ids.length]}`));
  }
  await run('delete network', clients, (n) => client.send('DELETE', `/v2.0/networks/${ids[n]}`), {
    times: ids.length,
    seconds: 600,
  });
}

async function ports(clients: number, { network, ports }: Lan): Promise<void> {
  const of = `(network of ${ports.length})`;
  const ids: string[] = [];
  await run(`create port ${of}`, clients, async () => void ids.push(await createPort(network)));
  await run(`delete port ${of}`, clients, (n) => client.send('DELETE', `/v2.0/ports/${ids[n]}`), {
    times: ids.length,
    seconds: 600,
  });
  const one = (n: number) => `/v2.0/ports/${ports[(n * 37) % ports.length]}`;
  await run(`show port ${of}`, clients, (n) => client.send('GET', one(n)));
  await run(`update port ${of}`, clients, (n) => client.send('PUT', one(n), { port: { name: name('changed') } }));
}

/** All pages of a list, one after the other; what one page took on the way. */
async function walk(path: string): Promise<number> {
  let pages = 0;
  const started = performance.now();
  for (let next: string | undefined = path; next !== undefined; pages++) {
    const body = await client.json('GET', next);
    const link =
      body.ports.length === 0 ? undefined : body.ports_links?.find(({ rel }: { rel: string }) => rel === 'next');
    next = link === undefined ? undefined : link.href.slice(link.href.indexOf('/v2.0'));
  }
  return (performance.now() - started) / pages;
}

async function lists({ network, ports }: Lan): Promise<void> {
  const path = `/v2.0/ports?network_id=${network}`;
  const size = ports.length;
  const list = (what: string, query: string) => run(what, 1, () => client.send('GET', `${path}${query}`));
  await list(`list ${size} ports`, '');
  await list(`list ${size} ports, fields=id`, '&fields=id');
  await list(`page of 100 of ${size} ports`, '&limit=100&sort_key=id&sort_dir=asc');
  await run(`every page of 100 of ${size} ports, each`, 1, () => walk(`${path}&limit=100&sort_key=id&sort_dir=asc`));
}

async function matches({ network, ports }: Lan): Promise<void> {
  const [port] = ports;
  await client.send('PUT', `/v2.0/ports/${port}`, { port: { device_id: 'bench device' } });
  const address = (await client.json('GET', `/v2.0/ports/${port}`)).port.fixed_ips[0].ip_address;
  await run('list ports by device_id', 1, () => client.send('GET', '/v2.0/ports?device_id=bench+device'));
  await run('list ports by fixed_ips', 1, () =>
    client.send('GET', `/v2.0/ports?network_id=${network}&fixed_ips=ip_address%3D${address}`),
  );
  await run('list ports, all there are', 1, () => client.send('GET', '/v2.0/ports'));
}

async function securityGroups(clients: number): Promise<void> {
  const rule = (security_group_id: string, n: number) => ({
    security_group_rule: {
      ...{ security_group_id, direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp' },
      ...{ port_range_min: 1000 + n, port_range_max: 1000 + n, remote_ip_prefix: '10.0.0.0/8' },
    },
  });
  await run('security group with ten rules', clients, async () => {
    const body = { security_group: { name: name('group') } };
    const { id } = (await client.json('POST', '/v2.0/security-groups', body)).security_group;
    for (let n = 0; n < 10; n++) await client.send('POST', '/v2.0/security-group-rules', rule(id, n));
  });
}

/** A router with its gateway, an interface, and a floating IP to a port behind it: three requests. */
async function routers(clients: number): Promise<void> {
  if (!only.test(ROUTERS)) return;
  const outside = (await client.json('POST', '/v2.0/networks', { network: { 'router:external': true } })).network.id;
  await createSubnet(outside, '198.18.0.0/16');
  const inside: { readonly subnet_id: string; readonly port_id: string }[] = [];
  for (let n = 0; n < ROUTER_CYCLES; n++) {
    const network_id = await createNetwork();
    const subnet = { network_id, cidr: '10.201.0.0/24', ip_version: 4 };
    const subnet_id = (await client.json('POST', '/v2.0/subnets', { subnet })).subnet.id;
    inside.push({ subnet_id, port_id: await createPort(network_id) });
  }
  const gateway = { external_gateway_info: { network_id: outside } };
  await run(
    ROUTERS,
    clients,
    async (n) => {
      const { subnet_id, port_id } = inside[n]!;
      const { id } = (await client.json('POST', '/v2.0/routers', { router: { name: name('router'), ...gateway } }))
        .router;
      await client.send('PUT', `/v2.0/routers/${id}/add_router_interface`, { subnet_id });
      await client.send('POST', '/v2.0/floatingips', { floatingip: { floating_network_id: outside, port_id } });
    },
    { times: ROUTER_CYCLES, seconds: 600 },
  );
}

/** Nine reads for one write, in the proportions of a cloud's clients. */
async function mixed(clients: number, small: Lan, large: Lan): Promise<void> {
  const own: string[] = [];
  const any = (of: readonly string[]) => of[Math.floor(Math.random() * of.length)]!;
  const port = () => `/v2.0/ports/${any(large.ports)}`;
  const kinds: readonly (readonly [share: number, work: () => Promise<unknown>])[] = [
    [0.45, () => client.send('GET', port())],
    [0.6, () => client.send('GET', `/v2.0/networks/${any([small.network, large.network])}`)],
    [0.8, () => client.send('GET', `/v2.0/ports?network_id=${small.network}`)],
    [0.85, () => client.send('GET', '/v2.0/networks')],
    [0.9, () => client.send('GET', '/v2.0/security-groups')],
    [0.94, () => client.send('PUT', port(), { port: { name: name('changed') } })],
    [0.97, async () => void own.push(await createPort(small.network))],
    [1, async () => own.length > 0 && client.send('DELETE', `/v2.0/ports/${own.pop()}`)],
  ];
  await run('mixed, 90 reads to 10 writes', clients, async () => {
    const chance = Math.random();
    await kinds.find(([share]) => chance < share)![1]();
  });
}

async function floor({ postgres, clients, seconds }: Bench, { network }: Lan): Promise<void> {
  if (postgres === undefined) return;
  const created = /create port|mixed|router/.test([...results.keys()].join());
  const { tenStatements } = created ? await measureFloor(postgres, clients, seconds) : {};
  const listed = results.get('list 1000 ports 1');
  const sql = listed === undefined ? undefined : await measureListSql(postgres, network, 1000, seconds);
  console.log('\nRatios');
  for (const count of clients) {
    const ours = results.get(`create port (network of 1000) ${count}`)?.perSecond;
    compare(`create port, ${count} clients: rate, to ten bare statements`, ours, tenStatements?.get(count)?.perSecond);
    compare(
      `router with gateway, interface and floating IP, ${count} clients: rate, to three times ten bare statements`,
      results.get(`${ROUTERS} ${count}`)?.perSecond,
      (tenStatements?.get(count)?.perSecond ?? 0) / 3,
    );
  }
  const small = results.get('create port (network of 100) 8')?.perSecond;
  compare(
    'create port: rate in a network of 4000, to one of 100',
    results.get('create port (network of 4000) 8')?.perSecond,
    small,
  );
  compare('list 1000 ports: median, to the SQL alone', listed?.p50, sql?.p50);
  compare(
    'a page of 4000 ports: median of all pages, to the first',
    results.get('every page of 100 of 4000 ports, each 1')?.p50,
    results.get('page of 100 of 4000 ports 1')?.p50,
  );
}

try {
  for (const clients of bench.clients) await networks(clients);
  const lans: Lan[] = [];
  if (/port|mixed|router/.test(only.source) || only.source === '(?:)') {
    for (const [place, size] of SIZES.entries()) lans.push(await createLan(size, place + 1));
  }
  const [small, middle, large] = lans;
  for (const lan of lans) {
    for (const clients of bench.clients) await ports(clients, lan);
    await lists(lan);
  }
  if (large !== undefined) await matches(large);
  for (const clients of bench.clients) await securityGroups(clients);
  for (const clients of bench.clients) await routers(clients);
  if (small !== undefined && large !== undefined) {
    for (const clients of [...bench.clients, 32]) await mixed(clients, small, large);
  }
  if (middle !== undefined) await floor(bench, middle);
} finally {
  await bench.stop();
}
