/** Ends of tunnels: who has which, and who is told. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Cloud, shapeOf } from './support.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await Cloud.start('l2_tunnels');
});
afterAll(() => cloud.stop());
beforeEach(async () => {
  await cloud.sql`delete from tunnel_endpoints`;
  await cloud.sql`delete from agents`;
});

const sync = (host: string, tunnel_ip: string, more: object = {}) =>
  cloud.call(host, 'tunnel_sync', { tunnel_ip, tunnel_type: 'vxlan', host, ...more }, '1.4');

const told = async (work: () => Promise<unknown>) =>
  (await cloud.told('q-agent-notifier-tunnel', work)).map(({ method, args, to }) => [method, args.tunnel_ip, to]);

describe('tunnel_sync', () => {
  it('answers what was observed of Neutron', async () => {
    expect(shapeOf(await sync('host1', '192.0.2.1'))).toEqual({
      tunnels: [{ ip_address: '<ip>', udp_port: 4789, host: 'host1' }],
    });
    expect(shapeOf(await sync('host2', '192.0.2.2'))).toEqual({
      tunnels: [
        { ip_address: '<ip>', udp_port: 4789, host: 'host1' },
        { ip_address: '<ip>', udp_port: 4789, host: 'host2' },
      ],
    });
    const gre = await cloud.call('host1', 'tunnel_sync', { tunnel_ip: '192.0.2.1', tunnel_type: 'gre' });
    expect(gre).toEqual({ tunnels: [{ ip_address: '192.0.2.1', host: 'host1' }] });
  });

  it('tells the hosts that build tunnels of a new end, once', async () => {
    await sync('host2', '192.0.2.2');
    // It builds them by l2population, and has no use for the message.
    await cloud.agent('host3', { tunneling_ip: '192.0.2.3', l2_population: true });
    await sync('host3', '192.0.2.3');
    const messages = await cloud.told('q-agent-notifier', () => sync('host1', '192.0.2.1'));
    expect(messages).toEqual([
      {
        topic: 'q-agent-notifier-tunnel-update',
        method: 'tunnel_update',
        version: '1.0',
        to: ['host1', 'host2'],
        args: { tunnel_ip: '192.0.2.1', tunnel_type: 'vxlan' },
      },
    ]);
    expect(await told(() => sync('host1', '192.0.2.1'))).toEqual([]);
  });

  it('of a host with another address deletes the one it had', async () => {
    await sync('host1', '192.0.2.1');
    expect(await told(() => sync('host1', '192.0.2.9'))).toEqual([
      ['tunnel_delete', '192.0.2.1', 'all'],
      ['tunnel_update', '192.0.2.9', ['host1']],
    ]);
    expect((await sync('host1', '192.0.2.9')).tunnels).toEqual([
      { ip_address: '192.0.2.9', udp_port: 4789, host: 'host1' },
    ]);
  });

  it('gives the address of a host that is gone to another, but not that of one whose agent is alive', async () => {
    await cloud.agent('host1', { tunneling_ip: '192.0.2.1' });
    await sync('host1', '192.0.2.1');
    await expect(sync('renamed', '192.0.2.1')).rejects.toMatchObject({ type: 'TunnelAddressInUse' });
    await cloud.sql`update agents set heartbeat_timestamp = now() - interval '1 hour'`;
    expect((await sync('renamed', '192.0.2.1')).tunnels).toEqual([
      { ip_address: '192.0.2.1', udp_port: 4789, host: 'renamed' },
    ]);
  });

  it('called at once by many hosts and again by each leaves one end for each', async () => {
    const hosts = Array.from({ length: 20 }, (_, n) => [`h${n}`, `192.0.2.${n}`] as const);
    await Promise.all([...hosts, ...hosts].map(([host, ip]) => sync(host, ip)));
    expect((await sync('h0', '192.0.2.0')).tunnels).toHaveLength(20);
    // One address, several hosts: it is that of one of them.
    await Promise.all(hosts.slice(0, 6).map(([host]) => sync(host, '198.51.100.1')));
    const [{ count } = { count: 0 }] = await cloud.sql<{ count: number }[]>`
      select count(*)::int as count from tunnel_endpoints where ip_address = '198.51.100.1'`;
    expect(count).toBe(1);
  });

  it('is answered in parts if it is asked so', async () => {
    for (const n of [1, 2, 3]) await sync(`h${n}`, `192.0.2.${n}`);
    const { tunnels } = await sync('h1', '192.0.2.1', { limit: 1, marker: '192.0.2.1' });
    expect(tunnels).toEqual([{ ip_address: '192.0.2.2', udp_port: 4789, host: 'h2' }]);
  });

  it.each([
    [{ tunnel_ip: '2001:db8::1' }, 'overlay_ip_version'],
    [{ tunnel_ip: 'here' }, 'not an IP address'],
    [{ tunnel_type: 'vlan' }, 'not supported'],
    [{ tunnel_type: 'constructor' }, 'not supported'],
    [{ tunnel_ip: null }, 'tunnel_ip'],
  ])('refuses %j', async (args, text) => {
    await expect(sync('host1', '192.0.2.1', args)).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining(text),
    });
  });

  it('for another host is refused', async () => {
    await expect(sync('host1', '192.0.2.1', { host: 'host2' })).rejects.toMatchObject({ type: 'ForeignHost' });
  });
});
