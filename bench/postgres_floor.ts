/**
 * What bare PostgreSQL does on this machine, as a measure for what the server does with it:
 * `node bin/node24.mjs bench/postgres_floor.ts [POSTGRES_URL]` (default `NUCLEON_TEST_POSTGRES_URL`; a database may be made there).
 *
 * A port create as the smallest plausible transaction: BEGIN, two reads, six inserts, COMMIT, each sent when the one before
 * is answered; and the same work as one function. `bench/api.ts` and `bench/scale.ts` run this in the same minutes.
 */
import postgres from 'postgres';
import { type Measured, measure } from './support/measure.ts';

const TABLES = `
  create table attributes (id bigint generated always as identity primary key, description text, revision int not null default 0);
  create table networks (id int primary key, mtu int not null, project_id text not null);
  create table subnets (id int primary key references networks, cidr cidr not null);
  create table ports (
    id uuid primary key, name text not null, network_id int not null references networks, mac text not null, project_id text not null,
    device_id text not null, attributes_id bigint not null unique references attributes on delete cascade, unique (network_id, mac));
  create index on ports (project_id, id);
  create index on ports (device_id);
  create table addresses (
    subnet_id int not null references subnets, address inet not null, port_id uuid not null references ports on delete cascade,
    primary key (subnet_id, address));
  create index on addresses (port_id);
  create table bindings (port_id uuid references ports on delete cascade, host text not null, vif_type text not null, primary key (port_id, host));
  create table groups (port_id uuid references ports on delete cascade, group_id int, primary key (port_id, group_id));
  create table security (port_id uuid primary key references ports on delete cascade, enabled boolean not null);
  insert into networks select n, 1450, 'p' || n % 10 from generate_series(0, 199) n;
  insert into subnets select n, ('10.' || n || '.0.0/16')::cidr from generate_series(0, 199) n;
  create sequence places;
  create function create_port(net int) returns uuid language plpgsql as $$
  declare port uuid := gen_random_uuid(); k bigint := nextval('places'); a bigint; n networks; s subnets;
  begin
    select * into n from networks where id = net;
    select * into s from subnets where id = net;
    insert into attributes (description) values ('') returning id into a;
    insert into ports values (port, 'port', net, k::text, n.project_id, '', a);
    insert into addresses values (net, '10.0.0.0'::inet + k, port);
    insert into bindings values (port, '', 'unbound');
    insert into groups values (port, 1);
    insert into security values (port, true);
    return port;
  end $$`;

export interface Floor {
  /** By clients. */
  readonly tenStatements: ReadonlyMap<number, Measured>;
  readonly oneFunction: ReadonlyMap<number, Measured>;
}

/** Measures the two forms of a port create in a database of its own, which is dropped. */
export async function measureFloor(url: string, clients: readonly number[], seconds: number): Promise<Floor> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  const name = `bench_floor_${process.pid}`;
  await admin.unsafe(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const sql = postgres(own.href, { max: Math.max(...clients), onnotice: () => {} });
  const prepared = { prepare: true };
  try {
    await sql.unsafe(TABLES);
    const network = () => Math.floor(Math.random() * 200);
    const inTen = () =>
      sql.begin(async (tx) => {
        const net = network();
        const run = (text: string, values: (string | number)[]) => tx.unsafe(text, values, prepared);
        const [found] = await run('select * from networks where id = $1', [net]);
        await run('select * from subnets where id = $1', [net]);
        const [made] = await run(
          `insert into attributes (description) values ($1) returning id, nextval('places') as place, gen_random_uuid() as port`,
          [''],
        );
        const { id, place, port } = made!;
        await run(`insert into ports values ($1, 'port', $2, $3, $4, '', $5)`, [
          port,
          net,
          place,
          found!['project_id'],
          id,
        ]);
        await run(`insert into addresses values ($1, '10.0.0.0'::inet + $2::bigint, $3)`, [net, place, port]);
        await run(`insert into bindings values ($1, '', 'unbound')`, [port]);
        await run('insert into groups values ($1, 1)', [port]);
        await run('insert into security values ($1, true)', [port]);
      });
    const tenStatements = new Map<number, Measured>();
    const oneFunction = new Map<number, Measured>();
    for (const count of clients) {
      const plan = { clients: count, seconds };
      tenStatements.set(
        count,
        await measure({ ...plan, name: 'PostgreSQL: port create in ten statements', work: inTen }),
      );
      const work = () => sql.unsafe('select create_port($1)', [network()], prepared);
      oneFunction.set(count, await measure({ ...plan, name: 'PostgreSQL: port create in one function', work }));
    }
    return { tenStatements, oneFunction };
  } finally {
    await sql.end();
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.end();
  }
}

/** The ports of a network with their addresses, bindings and groups, from the server's own tables; answered rows are only counted. */
const LIST = `
  select p.*, b.host, b.vnic_type, b.vif_type, b.profile, b.vif_details,
    array(select a.subnet_id || ' ' || host(a.ip_address) from ip_allocations a where a.port_id = p.id order by a.position) as addresses,
    array(select g.security_group_id from port_security_groups g where g.port_id = p.id) as groups
  from ports p left join port_bindings b on b.port_id = p.id and b.status = 'ACTIVE'
  where p.network_id = $1 order by p.id`;

/** Measures the SQL of a list alone, in the database of a server; one client. */
export async function measureListSql(url: string, network: string, ports: number, seconds: number): Promise<Measured> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const work = () => sql.unsafe(LIST, [network], { prepare: true }).raw();
  const name = `PostgreSQL: the SQL of a list, ${ports} ports`;
  const measured = await measure({ name, clients: 1, seconds, work });
  await sql.end();
  return measured;
}

if (import.meta.main) {
  const url = process.argv[2] ?? process.env['NUCLEON_TEST_POSTGRES_URL'];
  if (url === undefined) throw new Error('give the URL of a PostgreSQL server, or set NUCLEON_TEST_POSTGRES_URL');
  await measureFloor(url, [1, 8, 32], Number(process.env['BENCH_SECONDS'] ?? 5));
}
