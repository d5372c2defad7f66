/** Addresses under pressure: nearly full subnets, many callers at once, and what it costs. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addresses, refusal, type Thing, World } from './support.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world?.stop());
afterEach(async () => {
  await world.database.sql.unsafe(
    'delete from ports; delete from subnets; delete from networks; delete from quota_usages',
  );
});

const pool = (start: string, end: string) => ({ start, end });
const port = (network: Thing, body = {}) => world.create('port', { network_id: network.id, ...body });

let filler = 0;
/** Takes addresses of the subnet, given as offsets from 10.0.0.0, for a port that nobody looks at. */
async function fill(network: Thing, subnet: Thing, from: number, to: number, but: readonly number[] = []) {
  const id = crypto.randomUUID();
  const mac = `02:00:00:00:00:${(++filler % 256).toString(16).padStart(2, '0')}`;
  await world.database.sql.begin(async (tx) => {
    await tx`
      insert into ports (id, project_id, network_id, mac_address, status, device_owner)
      values (${id}, 'filler', ${network.id}, ${mac}, 'DOWN', 'x')`;
    // Without the checks of foreign keys: they cost most of the time.
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into ip_allocations (subnet_id, ip_address, port_id)
      select ${subnet.id}, '10.0.0.0'::inet + n, ${id} from generate_series(${from}::int, ${to}::int) n
      where n <> all(${but as number[]}::int[])`;
  });
}

describe('a nearly full subnet', () => {
  test('of 65,000 addresses gives away the last ones, to one caller each', async () => {
    const { network, subnet } = await world.lan({ cidr: '10.0.0.0/16' });
    const free = [700, 4_096, 40_000, 65_534];
    await fill(network, subnet, 2, 65_534, free);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => port(network)));
    const made = results.filter((result) => result.status === 'fulfilled').flatMap(({ value }) => addresses(value));
    expect(made.toSorted()).toEqual(['10.0.156.64', '10.0.16.0', '10.0.2.188', '10.0.255.254']);
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ type: 'IpAddressGenerationFailure', status: 409 });
        expect(result.reason.message).toContain(network.id);
      }
    }
  });

  test('is refused, and gives an address that comes free again', async () => {
    const { network, subnet } = await world.lan({ allocation_pools: [pool('10.0.0.10', '10.0.0.30')] });
    await fill(network, subnet, 10, 29);
    const last = await port(network);
    expect(addresses(last)).toEqual(['10.0.0.30']);
    expect(await refusal(port(network))).toMatchObject({ type: 'IpAddressGenerationFailure' });
    await world.remove('port', last.id);
    expect(addresses(await port(network))).toEqual(['10.0.0.30']);
  });

  test.each([
    ['the first address', 2],
    ['the last address', 2_049],
    ['the last address of a block', 1_025],
    ['the first address of a block', 1_026],
  ])('has %s to give', async (_, free) => {
    const range = pool('10.0.0.2', '10.0.8.1');
    const { network, subnet } = await world.lan({ cidr: '10.0.0.0/16', allocation_pools: [range] });
    await fill(network, subnet, 2, 2_049, [free]);
    expect(addresses(await port(network))).toEqual([`10.0.${free >> 8}.${free & 255}`]);
  });

  test('leaves its pools alone where addresses outside are free', async () => {
    const pools = [pool('10.0.0.10', '10.0.0.40'), pool('10.0.0.100', '10.0.0.130')];
    const { network, subnet } = await world.lan({ allocation_pools: pools });
    await fill(network, subnet, 10, 40);
    await fill(network, subnet, 100, 130, [117]);
    expect(addresses(await port(network))).toEqual(['10.0.0.117']);
    expect(await refusal(port(network))).toMatchObject({ type: 'IpAddressGenerationFailure' });
    expect(addresses(await port(network, { fixed_ips: [{ ip_address: '10.0.0.5' }] }))).toEqual(['10.0.0.5']);
  });

  test('is passed over for the next, at once', async () => {
    const { network, subnet } = await world.lan({ cidr: '10.0.0.0/16' });
    await fill(network, subnet, 2, 65_534);
    await world.create('subnet', { network_id: network.id, ip_version: 4, cidr: '10.1.0.0/24' });
    expect(await world.statements(() => port(network))).toBeLessThan(20);
    for (const made of await Promise.all(Array.from({ length: 10 }, () => port(network)))) {
      expect(addresses(made)[0]).toMatch(/^10\.1\.0\./);
    }
  });
});

describe('the cost of an address', () => {
  test('is the same in an empty subnet and in one with 62,000 addresses in use', async () => {
    const empty = await world.lan({ cidr: '10.0.0.0/16' });
    const used = await world.lan({ cidr: '10.0.0.0/16' });
    await fill(used.network, used.subnet, 2, 62_000);
    // A first statement is parsed and planned.
    for (const { network } of [empty, used]) await Promise.all(Array.from({ length: 6 }, () => port(network)));
    const spent = async ({ network }: { readonly network: Thing }) => {
      const statements: number[] = [];
      const times: number[] = [];
      for (let n = 0; n < 21; n++) {
        const start = performance.now();
        statements.push(await world.statements(() => port(network)));
        times.push(performance.now() - start);
      }
      return { median: times.toSorted((a, b) => a - b)[10]!, most: Math.max(...statements) };
    };
    // The machine may be busy with other work for one of the rounds, not for each at the wrong moment.
    const ratios: number[] = [];
    for (let round = 0; round < 3 && !ratios.some((ratio) => ratio < 1); round++) {
      const [a, b] = [await spent(empty), await spent(used)];
      // Other guesses, a block with room, its addresses, and the reading back.
      expect(b.most).toBeLessThanOrEqual(a.most + 4);
      ratios.push(b.median / (a.median * 5 + 20));
    }
    expect(Math.min(...ratios)).toBeLessThan(1);
  });

  test('in a bulk request grows by no statement for each port, also in a nearly full subnet', async () => {
    const { network, subnet } = await world.lan({ cidr: '10.0.0.0/16' });
    await fill(network, subnet, 2, 65_000);
    const bodies = (count: number) => Array.from({ length: count }, () => ({ network_id: network.id }));
    const count = (ports: number) => world.statements(() => world.call('create_port_bulk', { bodies: bodies(ports) }));
    const [few, many] = [await count(4), await count(80)];
    expect(many).toBeLessThanOrEqual(few + 6);
  });
});

describe('many callers at once', () => {
  test('get distinct addresses, all of a small subnet and no more', async () => {
    const { network } = await world.lan({ cidr: '10.0.0.0/27' });
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => port(network)));
    const made = results.filter((result) => result.status === 'fulfilled').flatMap(({ value }) => addresses(value));
    expect(new Set(made).size).toBe(29);
    expect(made).toHaveLength(29);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ type: 'IpAddressGenerationFailure' });
    }
  });

  test('who ask for the same address: one gets it', async () => {
    const { network } = await world.lan();
    const fixed_ips = [{ ip_address: '10.0.0.77' }];
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => port(network, { fixed_ips })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ type: 'IpAddressAlreadyAllocated', status: 409 });
      }
    }
  });
});

describe('a port of a DHCP server', () => {
  test('gets the lowest free address', async () => {
    const { network, subnet } = await world.lan();
    const dhcp = { device_owner: 'network:dhcp' };
    expect(addresses(await port(network, dhcp))).toEqual(['10.0.0.2']);
    await fill(network, subnet, 3, 6);
    expect(addresses(await port(network, dhcp))).toEqual(['10.0.0.7']);
    const both = await Promise.all([port(network, dhcp), port(network, dhcp)]);
    expect(both.flatMap(addresses).toSorted()).toEqual(['10.0.0.8', '10.0.0.9']);
  });

  test('gets the lowest of an IPv6 subnet, too', async () => {
    const { network } = await world.lan({ ip_version: 6, cidr: 'fd00::/64' });
    expect(addresses(await port(network, { device_owner: 'network:dhcp' }))).toEqual(['fd00::1']);
  });
});
