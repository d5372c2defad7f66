/** Forwarding entries: what hosts are told of the ports of others. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Anything, Cloud, shapeOf } from '../l2_rpc/support.ts';

const TOPIC = 'q-agent-notifier-l2population-update';
const FLOODING = ['00:00:00:00:00:00', '0.0.0.0'];
const IPS: Readonly<Record<string, string>> = { host1: '192.0.2.1', host2: '192.0.2.2', host3: '192.0.2.3' };

let cloud: Cloud;
let lan: Anything;
beforeAll(async () => {
  cloud = await Cloud.start('l2population');
  for (const [host, tunneling_ip] of Object.entries(IPS)) await cloud.agent(host, { tunneling_ip });
  await cloud.agent('plain', { tunneling_ip: '192.0.2.99', l2_population: false });
});
afterAll(() => cloud.stop());
beforeEach(async () => {
  lan = await cloud.lan(`10.${Math.floor(Math.random() * 200)}.0.0/22`);
});

const up = (host: string, ...ports: readonly Anything[]) =>
  cloud.call(host, 'update_device_list', { devices_up: ports.map(({ id }) => id), devices_down: [] });
const down = (host: string, port: Anything) => cloud.call(host, 'update_device_down', { device: port.id });
const told = (work: () => Promise<unknown>) => cloud.told(TOPIC, work);
const entry = (port: Anything) => port.fixed_ips.map(({ ip_address }: Anything) => [port.mac_address, ip_address]);
const entries = (ports: Readonly<Record<string, unknown>>) => ({
  [lan.id]: { segment_id: lan['provider:segmentation_id'], network_type: 'vxlan', ports },
});

/** A port that is ACTIVE on a host. */
async function wired(host: string, attributes: object = {}): Promise<Anything> {
  const port = await cloud.port(lan.id, host, attributes as Anything);
  await up(host, port);
  return port;
}

describe('a port that becomes ACTIVE', () => {
  it('is told to the other hosts of its network that work with entries, as was observed of Neutron', async () => {
    for (const host of ['host2', 'plain']) await cloud.port(lan.id, host);
    const port = await cloud.port(lan.id, 'host1');
    const messages = await told(() => up('host1', port));
    expect(messages).toEqual([
      {
        topic: TOPIC,
        method: 'add_fdb_entries',
        version: '1.0',
        to: ['host2'],
        args: { fdb_entries: entries({ '192.0.2.1': [FLOODING, ...entry(port)] }) },
      },
    ]);
    expect(shapeOf({ ...messages[0]?.args.fdb_entries[lan.id], segment_id: 77 })).toEqual({
      segment_id: 77,
      network_type: 'vxlan',
      ports: {
        '<ip>': [
          ['<mac>', '<ip>'],
          ['<mac>', '<ip>'],
        ],
      },
    });
  });

  it('costs no statement more when it is one of fifty', async () => {
    const make = async (count: number) =>
      (
        await cloud.stack.call('POST', '/v2.0/ports', {
          body: {
            ports: Array.from({ length: count }, () => ({
              network_id: lan.id,
              device_owner: 'compute:nova',
              'binding:host_id': 'host1',
            })),
          },
        })
      ).body.ports.map(({ id }: Anything) => id);
    await wired('host2');
    await wired('host1');
    const cost = async (count: number) =>
      cloud.cost('host1', 'update_device_list', { devices_up: await make(count), devices_down: [] });
    const few = await cost(2);
    expect(await cost(50)).toBe(few);
    const before = cloud.stack.counted('nucleon_sql_statements_total');
    const messages = (await cloud.waiting(TOPIC)).filter(({ args }) => args.fdb_entries[lan.id]?.ports['192.0.2.1']);
    expect(messages.length).toBeGreaterThanOrEqual(52);
    // The outbox, and a reader or audience of each kind, with those of other messages about the ports.
    expect(cloud.stack.counted('nucleon_sql_statements_total') - before).toBeLessThan(20);
  });

  it('on a network that tunnels do not carry is told to nobody', async () => {
    const vlan = await cloud.lan('10.250.0.0/24', {
      'provider:network_type': 'vlan',
      'provider:physical_network': 'physnet1',
    });
    await cloud.port(vlan.id, 'host2');
    const port = await cloud.port(vlan.id, 'host1');
    expect(await told(() => up('host1', port))).toEqual([]);
    expect((await cloud.show('port', port.id)).status).toBe('ACTIVE');
  });

  it('is not told by an address that another host tunnels from', async () => {
    await cloud.agent('liar', { tunneling_ip: '192.0.2.2' });
    await cloud.call('host2', 'tunnel_sync', { tunnel_ip: '192.0.2.2', tunnel_type: 'vxlan' });
    await cloud.port(lan.id, 'host1');
    const port = await cloud.port(lan.id, 'liar');
    expect((await told(() => up('liar', port))).filter(({ to }) => to.includes('host1'))).toEqual([]);
  });
});

describe('the first port of a host on a network', () => {
  it('has all others told to the host, by tunnel', async () => {
    const [a, b] = [await wired('host1'), await wired('host1')];
    const c = await wired('host2');
    await cloud.port(lan.id, 'host2');
    const port = await cloud.port(lan.id, 'host3');
    const messages = (await told(() => up('host3', port))).filter(({ to }) => to.includes('host3'));
    expect(messages).toHaveLength(1);
    const { ports } = messages[0]?.args.fdb_entries[lan.id] ?? {};
    expect(Object.keys(ports)).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(ports['192.0.2.1'][0]).toEqual(FLOODING);
    expect(new Set(ports['192.0.2.1'].slice(1))).toEqual(new Set([...entry(a), ...entry(b)]));
    expect(ports['192.0.2.2']).toEqual([FLOODING, ...entry(c)]);
  });

  it('has them told once; again when the agent has started again', async () => {
    await wired('host1');
    const [first, second] = [await cloud.port(lan.id, 'host3'), await cloud.port(lan.id, 'host3')];
    const toHost3 = async (work: () => Promise<unknown>) =>
      (await told(work)).filter(({ to }) => to.includes('host3')).map(({ method }) => method);
    expect(await toHost3(() => up('host3', first))).toEqual(['add_fdb_entries']);
    expect(await toHost3(() => up('host3', second))).toEqual([]);
    for (const flag of ['refresh_tunnels', 'agent_restarted']) {
      const again = () => cloud.call('host3', 'update_device_up', { device: first.id, [flag]: true });
      expect(await toHost3(again), flag).toEqual(['add_fdb_entries']);
    }
    const devices = [first.id, second.id];
    await cloud.call('host3', 'get_devices_details_list', { devices });
    expect(await toHost3(() => up('host3', first, second))).toEqual(['add_fdb_entries']);
  });

  it('on a network of thousands of ports has them told in several messages, none of them too large', async () => {
    const subnet = await cloud.stack.create('subnet', {
      network_id: lan.id,
      cidr: '172.16.0.0/16',
      ip_version: 4,
      enable_dhcp: false,
    });
    // Many at once, as they would be after years.
    await cloud.sql.unsafe(
      `with made as (
         insert into ports (id, project_id, network_id, mac_address, status, device_owner)
         select gen_random_uuid(), 'p', $1::uuid,
           ('02:00:00:' || substr(h, 1, 2) || ':' || substr(h, 3, 2) || ':' || substr(h, 5, 2))::macaddr, 'ACTIVE', 'compute:nova'
         from (select lpad(to_hex(n), 6, '0') as h from generate_series(1, 9000) n) m returning id),
       numbered as (select id, row_number() over (order by id) as n from made),
       bound as (insert into port_bindings (port_id, host, vif_type) select id, 'host1', 'ovs' from numbered)
       insert into ip_allocations (subnet_id, ip_address, port_id) select $2::uuid, '172.16.0.10'::inet + n, id from numbered`,
      [lan.id, subnet.id],
    );
    // As PostgreSQL does by itself some time after: plans were made for small tables.
    await cloud.sql`analyze`;
    const port = await cloud.port(lan.id, 'host3', { fixed_ips: [{ ip_address: '172.16.0.5' }] });
    const messages = (await told(() => up('host3', port))).filter(({ to }) => to.includes('host3'));
    expect(messages).toHaveLength(5);
    const found = messages.flatMap(({ args }) => args.fdb_entries[lan.id].ports['192.0.2.1'].slice(1));
    expect(new Set(found.map(([, ip]: string[]) => ip)).size).toBe(9000);
    for (const { args } of messages) expect(JSON.stringify(args).length).toBeLessThan(256 * 1024);
  });
});

describe('a port that is not ACTIVE any more', () => {
  it('is taken back from the others; with the last one of its host goes the entry for flooding', async () => {
    await wired('host2');
    const [a, b] = [await wired('host1'), await wired('host1')];
    const removal = (port: Anything, last: boolean) => ({
      topic: TOPIC,
      method: 'remove_fdb_entries',
      version: '1.0',
      to: ['host2'],
      args: { fdb_entries: entries({ '192.0.2.1': [...(last ? [FLOODING] : []), ...entry(port)] }) },
    });
    expect(await told(() => down('host1', a))).toEqual([removal(a, false)]);
    expect(await told(() => down('host1', a))).toEqual([]);
    expect(await told(() => cloud.remove('port', b.id))).toEqual([removal(b, true)]);
    expect(await told(() => cloud.remove('port', a.id))).toEqual([]);
  });

  it('because its agent looks at it again stays known', async () => {
    await wired('host2');
    const port = await wired('host1');
    expect(await told(() => cloud.call('host1', 'get_device_details', { device: port.id }))).toEqual([]);
  });

  it('because it has moved is taken back, and told from where it is wired next', async () => {
    await wired('host3');
    const port = await wired('host1');
    const moved = await told(() => cloud.update('port', port.id, { 'binding:host_id': 'host2' }));
    expect(moved[0]).toMatchObject({ method: 'remove_fdb_entries', args: { fdb_entries: { [lan.id]: {} } } });
    expect(Object.keys(moved[0]?.args.fdb_entries[lan.id].ports)).toEqual(['192.0.2.1']);
    const added = (await told(() => up('host2', port))).filter(({ to }) => to.includes('host3'));
    expect(added.map(({ args }) => args.fdb_entries)).toEqual([entries({ '192.0.2.2': [FLOODING, ...entry(port)] })]);
  });

  it('and was told of in a message that waits is left out of it', async () => {
    await wired('host2');
    const port = await cloud.port(lan.id, 'host1');
    const messages = await told(async () => {
      await up('host1', port);
      await cloud.remove('port', port.id);
    });
    expect(messages.filter(({ to }) => to.includes('host2')).map(({ method }) => method)).toEqual([
      'remove_fdb_entries',
    ]);
  });
});

describe('a port whose addresses change', () => {
  it('has the difference told', async () => {
    await wired('host2');
    const port = await wired('host1');
    const [{ ip_address: old, subnet_id }] = port.fixed_ips;
    const base = old.split('.').slice(0, 2).join('.');
    const messages = await told(() =>
      cloud.update('port', port.id, { fixed_ips: [{ subnet_id, ip_address: `${base}.1.77` }] }),
    );
    expect(messages).toEqual([
      {
        topic: TOPIC,
        method: 'update_fdb_entries',
        version: '1.0',
        to: ['host2'],
        args: {
          fdb_entries: {
            chg_ip: {
              [lan.id]: {
                '192.0.2.1': {
                  before: [[port.mac_address, old]],
                  after: [[port.mac_address, `${base}.1.77`]],
                },
              },
            },
          },
        },
      },
    ]);
  });

  it('while it is DOWN has nothing told', async () => {
    await wired('host2');
    const port = await cloud.port(lan.id, 'host1');
    expect(await told(() => cloud.update('port', port.id, { fixed_ips: [] }))).toEqual([]);
  });
});
