/**
 * Requests are delivered at least once: a method that is called twice, one after the other or at the same time, answers the same
 * and leaves what the first call left. Every method of every endpoint.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dhcpDeviceId } from '#src/plugins/ml2/dhcp/contract.ts';
import { until } from '../rpc/support.ts';
import { admin, member } from '../support/stack.ts';
import { EXAMPLES } from './agents_methods.ts';
import { AgentWorld, type Anything, type Method, methodsOf, type Side, shortly } from './agents_support.ts';

let world: AgentWorld;
let bob: Side;
beforeAll(async () => {
  world = await AgentWorld.start('agents_repeated');
});
beforeEach(async () => {
  await world.clear();
  bob = await world.furnish(1, 'bob');
  // Wired, it is ACTIVE.
  await world.sql`delete from port_provisioning_blocks where entity = 'DHCP'`;
});
afterAll(() => world.stop());

const named = (name: string): Method => methodsOf(world.stack).find((method) => method.name === name)!;

/** Methods whose first answer says that it is the first, or that show what grows by itself. */
const FIRST: Readonly<Record<string, (answer: Anything) => Anything>> = {
  report_state: ({ result }) => /^(new|alive|revived)$/.test(result),
  get_agents: ({ result }) => result.map((agent: Anything) => agent['versioned_object.data'].id),
};
const comparable = (name: string, answer: Anything): Anything => {
  const { bytes: _, ...rest } = answer;
  return FIRST[name.split(' ')[1]!]?.(rest) ?? rest;
};

/** What the tables hold, but for when agents were heard, and for what is to be sent. */
async function state(): Promise<string> {
  const dump = await world.stack.dump(['outbox', 'periodic_work']);
  return dump
    .replaceAll(/"(heartbeat_timestamp|started_at|created_at)":"[^"]*"/g, '')
    .replaceAll(/"id":"[^"]*",("agent_type")/g, '$1');
}

/** The state when nothing goes on any more behind the answers. */
async function settled(): Promise<string> {
  let last = await state();
  await until(async () => {
    const now = await state();
    const still = now === last;
    last = now;
    return still;
  }, 'nothing goes on');
  return last;
}

describe.each(Object.keys(EXAMPLES))('%s', (name) => {
  it('twice, and four times at once, is like once', async () => {
    for (const args of EXAMPLES[name]!(bob)) {
      const ask = async () => comparable(name, await world.ask(bob.host, named(name), args));
      const first = await ask();
      const once = await settled();
      expect(await ask(), shortly(args)).toEqual(first);
      expect(await settled(), shortly(args)).toBe(once);
      for (const answer of await Promise.all([ask(), ask(), ask(), ask()]))
        expect(answer, shortly(args)).toEqual(first);
      expect(await settled(), shortly(args)).toBe(once);
    }
  });

  it('first of all four times at once is like once', async () => {
    const [args] = EXAMPLES[name]!(bob);
    const ask = async () => comparable(name, await world.ask(bob.host, named(name), args));
    const [first, ...others] = await Promise.all([ask(), ask(), ask(), ask()]);
    for (const answer of others) expect(answer).toEqual(first);
    const once = await settled();
    expect(await ask()).toEqual(first);
    expect(await settled()).toBe(once);
  });
});

describe('create_dhcp_port', () => {
  const method = () => named('q-plugin create_dhcp_port');
  let network: string;
  let subnet: string;
  beforeEach(async () => {
    network = (await world.stack.create('network', {}, member('bob'))).id;
    subnet = (await world.stack.create('subnet', { network_id: network, cidr: '10.70.0.0/24', ip_version: 4 })).id;
    await world.serve(network, bob.agent);
  });
  const wanted = async (host: string, more: object = {}) => {
    const port = {
      network_id: network,
      device_id: await dhcpDeviceId(network, host),
      fixed_ips: [{ subnet_id: subnet }],
    };
    return { host, port: { port: { ...port, ...more } } };
  };
  const ports = async () =>
    await world.sql<{ id: string; device_id: string; host: string }[]>`
      select p.id, p.device_id, b.host from ports p join port_bindings b on b.port_id = p.id where p.network_id = ${network}`;

  it('of many at once makes one port, which all are given', async () => {
    const args = await wanted(bob.host);
    const used = async () =>
      (await world.stack.call('GET', '/v2.0/quotas/bob/details', { as: admin })).body.quota.port.used;
    const before = await used();
    const answers = await Promise.all(Array.from({ length: 12 }, () => world.ask(bob.host, method(), args)));
    const made = await ports();
    expect(made).toHaveLength(1);
    for (const { result } of answers) expect(result).toMatchObject({ id: made[0]!.id, 'binding:host_id': bob.host });
    expect(await used()).toBe(before + 1);
  });

  it('with an address that another port has is refused, and leaves nothing', async () => {
    const taken = await world.stack.create('port', { network_id: network });
    for (const more of [{ mac_address: taken.mac_address }, { fixed_ips: taken.fixed_ips }]) {
      const { failure } = await world.ask(bob.host, method(), await wanted(bob.host, more));
      expect(failure?.type).toMatch(/^(MacAddressInUse|IpAddressAlreadyAllocated)$/);
    }
    expect(await ports()).toHaveLength(1);
  });

  it('while the network is deleted, or taken from the agent, gives a port or none', async () => {
    const args = await wanted(bob.host);
    const [{ result, failure }, { status }] = await Promise.all([
      world.ask(bob.host, method(), args),
      world.stack.call('DELETE', `/v2.0/networks/${network}`),
    ]);
    expect(failure).toBeUndefined();
    expect([204, 409]).toContain(status);
    if (status === 204) expect(await ports()).toEqual([]);
    else expect(result).not.toBeNull();
    await world.sql`delete from network_dhcp_agents where network_id = ${network}`;
    expect((await world.ask(bob.host, method(), args)).result).toBeNull();
  });

  it('hosts whose names are the same up to the first dot have each their own, and touch no other', async () => {
    const hosts = ['node.one', 'node.two'];
    for (const [n, host] of hosts.entries()) {
      await world.cloud.cloud.agent(host, { tunneling_ip: `192.0.2.5${n}`, ovs_hybrid_plug: false });
      const agent = await world.cloud.agent(host);
      await world.sql`insert into network_dhcp_agents (network_id, agent_id, place) values (${network}, ${agent}, ${n + 2})`;
    }
    const made = [];
    for (const host of hosts) made.push((await world.ask(host, method(), await wanted(host))).result.id);
    expect(new Set(made).size).toBe(2);
    const device_id = await dhcpDeviceId(network, 'node');
    const update = { port_id: made[0], port: { port: { network_id: network, device_id, name: 'stolen' } } };
    expect((await world.ask('node.two', named('q-plugin update_dhcp_port'), update)).result).toBeNull();
    await world.ask('node.two', named('q-plugin release_dhcp_port'), { network_id: network, device_id });
    expect((await ports()).map(({ id, host }) => [id, host])).toEqual([[made[0], 'node.one']]);
  });
});
