/** Whose ports a metadata agent may ask for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, Cloud } from './support.ts';

let cloud: Cloud;
let lan: Anything;
let port: Anything;
beforeAll(async () => {
  cloud = await Cloud.start('l2_metadata');
  for (const [n, host] of ['compute', 'network', 'stranger'].entries()) {
    await cloud.agent(host, { tunneling_ip: `192.0.2.${n}` });
  }
  lan = await cloud.lan();
  port = await cloud.port(lan.id, 'compute', { device_id: 'vm1' });
});
afterAll(() => cloud.stop());

const ask = (host: string, filters: object, more: object = {}) => cloud.call(host, 'get_ports', { filters, ...more });
const byAddress = () => ({ network_id: [lan.id], fixed_ips: { ip_address: [port.fixed_ips[0].ip_address] } });

describe('get_ports of a metadata agent', () => {
  it('finds a port by network and address, on its host', async () => {
    expect(await ask('compute', byAddress())).toEqual([
      { ...(await cloud.show('port', port.id)), ip_allocation: 'immediate' },
    ]);
    for (const filters of [{ id: [port.id] }, { device_id: ['vm1'] }, { mac_address: [port.mac_address] }]) {
      expect((await ask('compute', filters)).map(({ id }: Anything) => id)).toEqual([port.id]);
    }
  });

  it('finds none where the host has nothing to do with the network', async () => {
    expect(await ask('stranger', byAddress())).toEqual([]);
    // An instance of its own on the network gives it no view of the others.
    const own = await cloud.port(lan.id, 'stranger');
    expect((await ask('stranger', { network_id: [lan.id] })).map(({ id }: Anything) => id)).toEqual([own.id]);
    await cloud.remove('port', own.id);
  });

  it('finds all ports of a network whose DHCP the host serves, or whose router is on it', async () => {
    expect(await ask('network', byAddress())).toEqual([]);
    const router = await cloud.port(lan.id, 'network', { device_owner: 'network:router_interface', device_id: 'r1' });
    expect(await ask('network', byAddress())).toHaveLength(1);
    await cloud.sql`delete from ports where id = ${router.id}`;
    expect(await ask('network', byAddress())).toEqual([]);
    const [agent] = await cloud.sql<{ id: string }[]>`select id from agents where host = 'network'`;
    await cloud.sql`
      insert into network_dhcp_agents (network_id, agent_id, place) values (${lan.id}, ${agent!.id}, 1)`;
    expect(await ask('network', byAddress())).toHaveLength(1);
  });

  it('is answered in parts when there are many, and says so when it must be', async () => {
    const many = await cloud.lan('10.5.0.0/22');
    const ports = Array.from({ length: 401 }, () => ({ network_id: many.id, 'binding:host_id': 'compute' }));
    for (const some of [ports.slice(0, 200), ports.slice(200)]) {
      const { status } = await cloud.stack.call('POST', '/v2.0/ports', { body: { ports: some } });
      expect(status).toBe(201);
    }
    const filters = { network_id: [many.id] };
    await expect(ask('compute', filters)).rejects.toMatchObject({ type: 'TooManyForOneAnswer' });
    const seen = new Set<string>();
    for (let marker: string | undefined; ; ) {
      const part = await ask('compute', filters, { limit: 150, ...(marker === undefined ? {} : { marker }) });
      for (const { id } of part) seen.add(id);
      marker = part.at(-1)?.id;
      if (part.length < 150) break;
    }
    expect(seen.size).toBe(401);
  });
});
