/**
 * Every message that Neutron 21 was seen to send to L3 agents for a call is sent here, too: method, version and shape of the
 * arguments. The steps follow each other, as they did there. Addresses that distributed routers have to know go to the hosts that
 * have the router, where Neutron tells all agents.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anything, L3Cloud } from '../l3_rpc/support.ts';
import { admin } from '../support/stack.ts';
import { IP, MAC, UUID } from './shapes.ts';

interface Expected {
  readonly method: string;
  readonly version: string;
  readonly args: unknown;
}

interface Step {
  /** As the observation names it. */
  readonly cause: string;
  readonly work: (scene: Scene) => Promise<unknown>;
  readonly messages: readonly Expected[];
}

/** What the steps have made, by a name. */
class Scene {
  readonly cloud: L3Cloud;
  readonly made = new Map<string, Anything>();

  constructor(cloud: L3Cloud) {
    this.cloud = cloud;
  }

  get(name: string): Anything {
    const made = this.made.get(name);
    if (made === undefined) throw new Error(`there is no ${name}: what should have made it has failed`);
    return made;
  }

  async make(name: string, member: string, attributes: object): Promise<Anything> {
    const made = await this.cloud.stack.create(member, attributes as Readonly<Record<string, unknown>>);
    this.made.set(name, made);
    return made;
  }

  router(name: string, change: object): Promise<Anything> {
    return this.cloud.change('router', this.get(name).id, change, admin);
  }

  put(name: string, action: string, body: object): Promise<Anything> {
    return this.cloud.done('PUT', `routers/${this.get(name).id}/${action}`, body, admin);
  }
}

const updated: Expected = { method: 'routers_updated', version: '1.1', args: { routers: [UUID] } };
const arp = { router_id: UUID, arp_table: { ip_address: IP, mac_address: MAC, subnet_id: UUID } };
const known: Expected = { method: 'add_arp_entry', version: '1.2', args: { payload: arp } };
const ROUTE = { destination: '10.9.0.0/24', nexthop: '10.0.0.9' };

const STEPS: readonly Step[] = [
  {
    cause: 'set gateway',
    work: (scene) => scene.router('r1', { external_gateway_info: { network_id: scene.get('outside').id } }),
    messages: [updated],
  },
  {
    cause: 'add router interface',
    work: (scene) => scene.put('r1', 'add_router_interface', { subnet_id: scene.get('s1').id }),
    messages: [updated],
  },
  { cause: 'set routes', work: (scene) => scene.router('r1', { routes: [ROUTE] }), messages: [updated] },
  {
    cause: 'add extraroutes',
    work: (scene) =>
      scene.put('r1', 'add_extraroutes', { router: { routes: [{ destination: '10.8.0.0/24', nexthop: '10.0.0.9' }] } }),
    messages: [updated],
  },
  {
    cause: 'remove extraroutes',
    work: (scene) => scene.put('r1', 'remove_extraroutes', { router: { routes: [ROUTE] } }),
    messages: [updated],
  },
  {
    cause: 'create floating ip',
    work: async (scene) => {
      const floating_network_id = scene.get('outside').id;
      await scene.make('f1', 'floatingip', { floating_network_id, port_id: scene.get('p1').id });
    },
    messages: [updated],
  },
  {
    cause: 'disassociate floating ip',
    work: (scene) => scene.cloud.change('floatingip', scene.get('f1').id, { port_id: null }, admin),
    messages: [updated],
  },
  {
    cause: 'remove router from l3 agent',
    work: (scene) =>
      scene.cloud.done('DELETE', `agents/${scene.get('agent')}/l3-routers/${scene.get('r1').id}`, undefined, admin),
    messages: [{ method: 'router_removed_from_agent', version: '1.0', args: { payload: { router_id: UUID } } }],
  },
  {
    cause: 'add router to l3 agent',
    work: (scene) =>
      scene.cloud.done('POST', `agents/${scene.get('agent')}/l3-routers`, { router_id: scene.get('r1').id }, admin),
    messages: [{ method: 'router_added_to_agent', version: '1.0', args: { payload: [UUID] } }],
  },
  {
    cause: 'gateway on distributed router',
    work: async (scene) => {
      await scene.make('rd', 'router', { distributed: true });
      await scene.router('rd', { external_gateway_info: { network_id: scene.get('outside').id } });
    },
    messages: [updated],
  },
  {
    cause: 'add interface to distributed router',
    work: (scene) => scene.put('rd', 'add_router_interface', { subnet_id: scene.get('s2').id }),
    messages: [updated],
  },
  {
    cause: 'port on distributed network',
    work: (scene) =>
      scene.make('p2', 'port', {
        network_id: scene.get('n2').id,
        device_owner: 'compute:nova',
        device_id: 'vm',
        'binding:host_id': 'host1',
      }),
    messages: [updated, known],
  },
  {
    cause: 'floating ip on distributed router',
    work: (scene) =>
      scene.make('f2', 'floatingip', { floating_network_id: scene.get('outside').id, port_id: scene.get('p2').id }),
    messages: [updated],
  },
  {
    cause: 'create ha router',
    work: (scene) => scene.make('rh', 'router', { ha: true }),
    messages: [updated],
  },
];

const named = ({ method, version }: Expected) => `${method} ${version}`;

describe('messages to L3 agents that Neutron was seen to send', () => {
  let scene: Scene;

  beforeAll(async () => {
    const cloud = await L3Cloud.start('notifications_l3');
    scene = new Scene(cloud);
    scene.made.set('agent', await cloud.agent('host1', 'dvr_snat'));
    await cloud.agent('host2', 'dvr_snat');
    await cloud.sql`update agents set admin_state_up = false where host = 'host2'`;
    const outside = await scene.make('outside', 'network', { 'router:external': true });
    await cloud.stack.create('subnet', { network_id: outside.id, ip_version: 4, cidr: '172.24.4.0/24' });
    for (const n of [1, 2]) {
      const { id: network_id } = await scene.make(`n${n}`, 'network', {});
      await scene.make(`s${n}`, 'subnet', { network_id, ip_version: 4, cidr: `10.0.${n - 1}.0/24` });
    }
    await scene.make('p1', 'port', { network_id: scene.get('n1').id });
    await scene.make('r1', 'router', {});
  });
  afterAll(() => scene?.cloud.stack.stop());

  test.each(STEPS)('$cause', async ({ work, messages }) => {
    const told = await scene.cloud.told(() => work(scene));
    expect([...new Set(told.map(named))].toSorted()).toEqual(messages.map(named).toSorted());
    for (const { to, method, args } of told) {
      expect(to).toEqual(['host1']);
      expect(args).toEqual(messages.find((message) => message.method === method)?.args);
    }
  });
});
