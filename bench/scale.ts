/**
 * The API over 100,000 ports: `node bin/node24.mjs bench/scale.ts` (`--only`, `--clients`, `--seconds` as of `bench/api.ts`).
 *
 * Starts a server of its own, makes networks by the API and fills them by SQL: 20 networks of 4,000 ports and 200 of 100, of
 * 22 projects. Then lists, pages, single matches and creates, as an administrator and as a member of a project that owns
 * a network of 4,000.
 */
import postgres from 'postgres';
import { measureListSql } from './postgres_floor.ts';
import type { Client } from './support/client.ts';
import { compare, type Measured, measure } from './support/measure.ts';
import { openBench } from './support/options.ts';

const LARGE = { networks: 20, ports: 4000 } as const;
const SMALL = { networks: 200, ports: 100 } as const;
const PROJECTS = 22;

/** Ports as the API would write them, in the network of a subnet; `$1` subnet, `$2` how many, `$3` where their numbers begin. */
const FILL = `
  with made as (
    select gen_random_uuid() as id, s.id as subnet_id, s.network_id, s.project_id, s.cidr, n, $3::int + n as place
    from subnets s cross join generate_series(1, $2::int) n where s.id = $1),
  port as (
    insert into ports (id, project_id, name, network_id, mac_address, status, device_id, device_owner)
    select id, project_id, 'port ' || place, network_id, ('fa' || lpad(to_hex(place), 10, '0'))::macaddr, 'ACTIVE',
      'device ' || place / 2, 'compute:nova' from made returning id),
  address as (
    insert into ip_allocations (subnet_id, ip_address, port_id) select subnet_id, host(network(cidr))::inet + 9 + n, id from made)
  insert into port_bindings (port_id, host, vif_type) select id, 'host ' || place % 200, 'ovs' from made`;

const bench = await openBench();
const { client, only, pid, seconds } = bench;
if (bench.postgres === undefined) throw new Error('give --postgres, the URL of the database below the server');

/** A network of a project with so many ports; the last one's id, address and device. */
async function createLan(place: number, size: number, sql: postgres.Sql): Promise<string> {
  const owner = { project_id: `project ${place % PROJECTS}` };
  const body = { network: { ...owner, name: `network ${place}` } };
  const { id } = (await client.json('POST', '/v2.0/networks', body)).network;
  const subnet = { ...owner, network_id: id, ip_version: 4, cidr: `10.${place}.0.0/16` };
  const made = await client.json('POST', '/v2.0/subnets', { subnet });
  await sql.unsafe(FILL, [made.subnet.id, size, place * LARGE.ports]);
  return id;
}

async function fill(url: string): Promise<readonly string[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const started = performance.now();
  const ids: string[] = [];
  for (let n = 0; n < LARGE.networks + SMALL.networks; n++) {
    ids.push(await createLan(n, n < LARGE.networks ? LARGE.ports : SMALL.ports, sql));
  }
  await sql.unsafe('vacuum analyze');
  const [count] = await sql`select count(*)::int as ports from ports`;
  await sql.end();
  console.log(`${count?.['ports']} ports in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return ids;
}

const results = new Map<string, Measured>();

async function run(what: string, clients: number, work: (n: number) => Promise<unknown>): Promise<void> {
  if (!only.test(what)) return;
  results.set(`${what} ${clients}`, await measure({ name: what, clients, seconds, pid, work }));
}

/** Pages from anywhere: each begins behind the last one of the page before, and after the last the first comes again. */
function pages(asking: Client, path: string, limit: number): () => Promise<unknown> {
  let next = `${path}limit=${limit}&sort_key=id&sort_dir=asc`;
  const first = next;
  return async () => {
    const body = await asking.json('GET', next);
    const link =
      body.ports.length < limit ? undefined : body.ports_links.find(({ rel }: { rel: string }) => rel === 'next');
    next = link === undefined ? first : link.href.slice(link.href.indexOf('/v2.0'));
  };
}

async function reads(network: string, who: string, asking: Client): Promise<void> {
  const all = '/v2.0/ports?';
  const get = (path: string) => () => asking.send('GET', path);
  const port = (await asking.json('GET', `${all}network_id=${network}&limit=1`)).ports[0];
  const address = port.fixed_ips[0].ip_address;
  await run(`${who}: show port`, 8, get(`/v2.0/ports/${port.id}`));
  await run(`${who}: list a network of ${LARGE.ports}`, 1, get(`${all}network_id=${network}`));
  await run(`${who}: every page of 100 of a network`, 1, pages(asking, `${all}network_id=${network}&`, 100));
  await run(`${who}: every page of 100 of all there are`, 1, pages(asking, all, 100));
  await run(`${who}: every page of 1000 of all there are`, 1, pages(asking, all, 1000));
  await run(`${who}: ports of a device`, 1, get(`${all}device_id=${encodeURIComponent(port.device_id)}`));
  await run(`${who}: port of an address`, 1, get(`${all}fixed_ips=ip_address%3D${address}`));
  await run(`${who}: port of a name`, 1, get(`${all}name=${encodeURIComponent(port.name)}`));
  await run(`${who}: ports of a host`, 1, get(`${all}binding%3Ahost_id=host+7&fields=id`));
}

try {
  const networks = await fill(bench.postgres);
  const [large] = networks;
  const member = bench.as({ 'X-User-Id': 'bench', 'X-Project-Id': 'project 0', 'X-Roles': 'member' });
  await reads(large!, 'administrator', client);
  await reads(large!, 'member', member);
  for (const clients of bench.clients) {
    const body = (network_id: string) => ({ port: { network_id, name: 'new' } });
    const create = (from: readonly string[]) => (n: number) =>
      client.send('POST', '/v2.0/ports', body(from[n % from.length]!));
    await run(`create port in a network of ${LARGE.ports}`, clients, create([large!]));
    await run('create ports all over', clients, create(networks));
  }
  member.close();
  console.log('\nRatios');
  const median = (what: string) => results.get(what)?.p50;
  const sql = only.test('list') ? await measureListSql(bench.postgres, networks[1]!, LARGE.ports, seconds) : undefined;
  compare(
    'list a network of 4000: median, to the SQL alone',
    median(`administrator: list a network of ${LARGE.ports} 1`),
    sql?.p50,
  );
  compare(
    'a page of 100 of all: median, to one of a network of 4000',
    median('administrator: every page of 100 of all there are 1'),
    median('administrator: every page of 100 of a network 1'),
  );
} finally {
  await bench.stop();
}
