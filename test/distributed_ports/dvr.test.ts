/** What L2 agents ask to route where they are, on hosts of a distributed router. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Anything } from '../l2_rpc/support.ts';
import { admin } from '../support/stack.ts';
import { ManyHosts } from './support.ts';

let cloud: ManyHosts;
let near: { net: Anything; sub: Anything; port: Anything; router: Anything };
let far: { net: Anything; sub: Anything };
let farPort: string;
beforeAll(async () => {
  cloud = await ManyHosts.start('many_hosts_dvr');
  near = await cloud.distributed();
  far = await cloud.l3.lan(undefined, admin);
  ({ port_id: farPort } = await cloud.l3.add(near.router, { subnet_id: far.sub.id }, admin));
  // c1 has servers on the near network alone, and by the router the interface on the far one.
  await cloud.server(near.net, 'c1');
  await cloud.server(far.net, 'c2');
});
afterAll(() => cloud.stop());

const subnetFor = (host: string, args: object) => cloud.l2.call(host, 'get_subnet_for_dvr', args);

describe('get_subnet_for_dvr', () => {
  it('answers a host that has nothing on the network but the interface, once it has wired that', async () => {
    const args = { subnet: far.sub.id, fixed_ips: null };
    expect(await subnetFor('c1', args)).toEqual({});
    await cloud.wire('c1', farPort);
    const { mac_address } = await cloud.port(farPort);
    const subnet = await cloud.l2.show('subnet', far.sub.id);
    expect(await subnetFor('c1', args)).toEqual({ ...subnet, shared: false, gateway_mac: mac_address });
    expect(await subnetFor('c3', args)).toEqual({});
  });

  it('goes by the address that it is asked by: its subnet, and the port that has it', async () => {
    const { fixed_ips, mac_address } = near.port;
    const answer = await subnetFor('c1', { subnet: far.sub.id, fixed_ips });
    expect(answer).toMatchObject({ id: near.sub.id, gateway_mac: mac_address });
  });
});

describe('get_ports_on_host_by_subnet', () => {
  it('has the ports that are served, and not the interface itself', async () => {
    const subport = await cloud.l2.port(near.net.id, 'c1', { device_owner: 'trunk:subport' });
    const answer = await cloud.l2.call('c1', 'get_ports_on_host_by_subnet', { host: 'c1', subnet: near.sub.id });
    expect(answer.map(({ device_owner }: Anything) => device_owner).toSorted()).toEqual([
      'compute:nova',
      'trunk:subport',
    ]);
    expect(answer.map(({ id }: Anything) => id)).toContain(subport.id);
  });
});
