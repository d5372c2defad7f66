/** Routers that are highly available and distributed: what is central of them is on several agents, one of which is active. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attributes } from '../router/support.ts';
import { admin } from '../support/stack.ts';
import { HaCloud } from './support.ts';

const HOSTS = ['host1', 'host2', 'host3'] as const;
const SNAT = 'network:router_centralized_snat';

let cloud: HaCloud;
beforeAll(async () => {
  cloud = await HaCloud.begin('l3_ha_dvr');
  const quota = { router: -1, network: -1, subnet: -1, port: -1 };
  for (const project of ['alice', 'admin'])
    await cloud.stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota } });
  await cloud.agents(...HOSTS);
  for (const host of HOSTS) await cloud.report(host, { agent_mode: 'dvr_snat' });
});
afterAll(() => cloud.stop());

/** A router of a kind with a gateway and an interface. */
async function connected(kind: object): Promise<Attributes> {
  const [{ net }, { sub }] = [await cloud.external(), await cloud.lan()];
  const router = await cloud.haRouter('alice', { external_gateway_info: { network_id: net.id }, ...kind });
  await cloud.add(router, { subnet_id: sub.id });
  return router;
}

/** The owners of a router's ports, with how many there are of each. */
async function owners({ id }: Attributes): Promise<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>();
  for (const { device_owner } of await cloud.portsOf(id)) {
    const owner = String(device_owner).replace('network:', '');
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

const BOTH = { router_gateway: 1, router_interface_distributed: 1, router_centralized_snat: 1, router_ha_interface: 3 };

it('has distributed interfaces, and its gateway and SNAT where it is active', async () => {
  const router = await connected({ distributed: true });
  expect(await owners(router)).toEqual(BOTH);
  for (const host of ['host2', 'host3']) {
    await cloud.tell(host, { [router.id]: 'active' });
    const ports = await cloud.portsOf(router.id);
    const central = ports.filter(({ device_owner }) => [SNAT, 'network:router_gateway'].includes(device_owner));
    expect(cloud.hostsOf(central)).toEqual([host, host]);
  }
  expect(await cloud.shown(router)).toEqual({ host1: 'standby', host2: 'standby', host3: 'active' });
});

describe('a router becomes, while it is down,', () => {
  const kinds = {
    centralised: { distributed: false, ha: false },
    'highly available': { distributed: false, ha: true },
    distributed: { distributed: true, ha: false },
    both: { distributed: true, ha: true },
  };
  const owned: Readonly<Record<keyof typeof kinds, Readonly<Record<string, number>>>> = {
    centralised: { router_gateway: 1, router_interface: 1 },
    'highly available': { router_gateway: 1, ha_router_replicated_interface: 1, router_ha_interface: 3 },
    distributed: { router_gateway: 1, router_interface_distributed: 1, router_centralized_snat: 1 },
    both: BOTH,
  };
  const agents = { centralised: 1, 'highly available': 3, distributed: 1, both: 3 };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  it.each(names.flatMap((from) => names.filter((to) => to !== from).map((to) => ({ from, to }))))(
    '$to where it was $from',
    async ({ from, to }) => {
      const router = await connected({ admin_state_up: false, ...kinds[from] });
      expect(await owners(router)).toEqual(owned[from]);
      expect(await cloud.change('router', router.id, kinds[to], admin)).toMatchObject(kinds[to]);
      expect(await owners(router)).toEqual(owned[to]);
      expect(Object.keys(await cloud.shown(router))).toHaveLength(agents[to]);
      expect(await cloud.haPorts(router)).toHaveLength(kinds[to].ha ? 3 : 0);
      const types = await cloud.sql`
        select p.id from router_ports o join ports p on p.id = o.port_id
        where o.router_id = ${router.id} and o.port_type <> p.device_owner`;
      expect(types).toHaveLength(0);
    },
  );
});
