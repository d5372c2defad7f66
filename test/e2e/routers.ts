/**
 * Routers and floating IPs as users and operators see them: a whole server, simulated hosts in processes of their own, and the
 * `openstack` client. What the agents serve is seen in what becomes ACTIVE, and in what they say.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lifetime } from '#src/lib/lifetime.ts';
import { until } from '../support/nucleon.ts';
import { type AgentScene, type Agents, ready, startAgents } from './agent_processes.ts';
import { Client, executable } from './client.ts';

/** The hosts of the story: two that have the outside, and one with machines. */
export const HOSTS = ['network-1', 'network-2', 'compute-1'];

/** The server's options that the story needs. */
export const OPTIONS = {
  OS_DEFAULT__API_WORKERS: '1',
  OS_DEFAULT__RPC_WORKERS: '1',
  OS_ML2__TYPE_DRIVERS: 'flat,vxlan',
  OS_ML2__PROJECT_NETWORK_TYPES: 'vxlan',
  OS_ML2_TYPE_VXLAN__VNI_RANGES: '1:1000',
  OS_AGENT_FAILOVER__LOST_AGENT_GRACE: '1',
  OS_DEFAULT__ALLOW_AUTOMATIC_L3AGENT_FAILOVER: 'true',
};

const OUTSIDE = 'network create outside --external --provider-network-type flat --provider-physical-network physnet1';

/** Whoever takes any address takes none that the story names. */
const FREE = '--allocation-pool start=203.0.113.100,end=203.0.113.200';

/** The story, once for each thing that the server may stand on. */
export function routerStory(name: string, start: (life: Lifetime) => Promise<AgentScene>): void {
  describe.skipIf(executable === undefined)(`routers, ${name}`, () => {
    const life = new Lifetime();
    let openstack: Client;
    const hosts = new Map<string, Agents>();
    /** The one of the two that have the outside which is not killed. */
    let living = '';

    beforeAll(async () => {
      const scene = await start(life);
      openstack = life.add(new Client(await scene.server.openrc()));
      for (const host of HOSTS) {
        const routing = host.startsWith('network') ? ['l2,dhcp,l3', 'dvr_snat'] : ['l2,l3', 'dvr'];
        const args = ['--host', host, '--physical-network', 'physnet1:br-ex', '--roles', routing[0]!];
        hosts.set(host, startAgents(scene, life, [...args, '--l3-mode', routing[1]!]));
      }
      await Promise.all([...hosts.values()].map(ready));
    });
    afterAll(() => life.stop());

    const show = async (what: string, column: string) => (await openstack.one(`${what} -c ${column}`))[column];
    const active = async (what: string) =>
      until(`${what} to be ACTIVE`, async () => (await show(what, 'status')) === 'ACTIVE');
    /** Waits until all ports of a router are ACTIVE; how many there are. */
    const wired = (router: string) =>
      until(`the ports of ${router} to be ACTIVE`, async () => {
        const ports = await openstack.many(`port list --router ${router}`);
        return ports.length > 0 && ports.every((port) => port['Status'] === 'ACTIVE') && ports.length;
      });
    const agentsOf = (router: string) => openstack.column(`network agent list --router ${router}`, 'Host');
    const said = (host: string, line: RegExp) => hosts.get(host)!.lines.some((one) => line.test(one));

    it('have a gateway and two interfaces, and an agent wires their ports', async () => {
      await openstack.ok(OUTSIDE);
      await openstack.ok(`subnet create pool --network outside --subnet-range 203.0.113.0/24 --no-dhcp ${FREE}`);
      await openstack.ok('network create lan');
      await openstack.ok('subnet create lan4 --network lan --subnet-range 10.20.0.0/24');
      await openstack.ok('subnet create lan5 --network lan --subnet-range 10.21.0.0/24');
      const router = await openstack.one('router create edge --external-gateway outside --centralized');
      expect(router).toMatchObject({ status: 'ACTIVE', ha: false, distributed: false });
      await openstack.ok('router add subnet edge lan4');
      await openstack.ok('router add subnet edge lan5');
      expect(await wired('edge')).toBe(3);
      const [host, ...more] = await agentsOf('edge');
      expect(HOSTS).toContain(host);
      expect(more).toEqual([]);
      const [id] = await openstack.column(`network agent list --host ${host} --agent-type l3`, 'ID');
      expect(await openstack.column(`router list --agent ${id}`)).toEqual(['edge']);
      await until('the agent to say so', async () => said(String(host), /router .* has 3 ports/));
    });

    it('lead floating IPs', async () => {
      await openstack.ok(
        'port create web1 --network lan --fixed-ip subnet=lan4,ip-address=10.20.0.50 --host compute-1',
      );
      await openstack.ok('floating ip create outside --floating-ip-address 203.0.113.20 --port web1');
      await active('floating ip show 203.0.113.20');
      await active('port show web1');
      expect(await openstack.many('floating ip list --router edge')).toMatchObject([
        { 'Floating IP Address': '203.0.113.20', 'Fixed IP Address': '10.20.0.50' },
      ]);
    });

    it('have routes beyond their subnets', async () => {
      await openstack.ok('router add route edge --route destination=192.168.7.0/24,gateway=10.20.0.9');
      const [host] = await agentsOf('edge');
      await until('the agent to have it', async () => said(String(host), /and 1 routes here/));
      expect(await show('router show edge', 'routes')).toEqual([
        { destination: '192.168.7.0/24', nexthop: '10.20.0.9' },
      ]);
    });

    it('forward ports of floating IPs', async () => {
      await openstack.ok(
        'port create web2 --network lan --fixed-ip subnet=lan4,ip-address=10.20.0.51 --host compute-1',
      );
      await openstack.ok('floating ip create outside --floating-ip-address 203.0.113.21');
      const forwarding =
        '--internal-ip-address 10.20.0.51 --port web2 --internal-protocol-port 22 --external-protocol-port 2222 --protocol tcp';
      await openstack.ok(`floating ip port forwarding create ${forwarding} 203.0.113.21`);
      expect(await openstack.many('floating ip port forwarding list 203.0.113.21')).toMatchObject([
        { 'Internal IP Address': '10.20.0.51', 'Internal Port': 22, 'External Port': 2222, Protocol: 'tcp' },
      ]);
      await active('floating ip show 203.0.113.21');
    });

    it('are on several agents where they are highly available, of which one is active, also when it is killed', async () => {
      await openstack.ok('network create ha-lan');
      await openstack.ok('subnet create ha-lan4 --network ha-lan --subnet-range 10.30.0.0/24');
      await openstack.ok('router create safe --ha --centralized --external-gateway outside');
      await openstack.ok('router add subnet safe ha-lan4');
      const states = async () => {
        const rows = await openstack.many('network agent list --router safe --long');
        const found = rows.map((row) => ({ host: String(row['Host']), state: row['HA State'], alive: row['Alive'] }));
        // At each look.
        expect(found.filter(({ state }) => state === 'active').length, JSON.stringify(found)).toBeLessThan(2);
        return found;
      };
      const activeHost = async () => (await states()).find(({ state }) => state === 'active')?.host;
      const first = await until('one to be active', activeHost);
      expect((await states()).map(({ host }) => host).sort()).toEqual(['network-1', 'network-2']);
      const gateway = async () => {
        const [port] = await openstack.many('port list --router safe --device-owner network:router_gateway');
        return await openstack.one(`port show ${port?.['ID']} -c binding_host_id -c status`);
      };
      const isOn = (host: string) => async () => {
        const { binding_host_id, status } = await gateway();
        return binding_host_id === host && status === 'ACTIVE';
      };
      await until('its gateway to be there', isOn(first));
      await hosts.get(first)!.kill('SIGKILL');
      living = first === 'network-1' ? 'network-2' : 'network-1';
      const other = await until('another to be active', async () => {
        const host = await activeHost();
        return host !== undefined && host !== first && host;
      });
      await until('its gateway to have moved', isOn(other));
      await until('the dead one to be seen', async () =>
        (await states()).some(({ host, alive, state }) => host === first && alive === false && state !== 'active'),
      );
    });

    it('are on every host with machines where they are distributed', async () => {
      await openstack.ok('network create dvr-lan');
      await openstack.ok('subnet create dvr-lan4 --network dvr-lan --subnet-range 10.40.0.0/24');
      const router = await openstack.one('router create spread --distributed --external-gateway outside');
      expect(router).toMatchObject({ distributed: true });
      await openstack.ok('router add subnet spread dvr-lan4');
      await openstack.ok('port create vm1 --network dvr-lan --host compute-1 --device-owner compute:nova --device vm1');
      await active('port show vm1');
      // As in Neutron, the agents of a distributed router are those of its SNAT: who routes for machines says so itself.
      const id = String(await show('router show spread', 'id'));
      await until('the router to be on its host', async () =>
        said('compute-1', new RegExp(`router ${id} has 1 ports`)),
      );
      const [central, ...more] = await agentsOf('spread');
      expect(HOSTS).toContain(central);
      expect(more).toEqual([]);
      await openstack.ok('floating ip create outside --floating-ip-address 203.0.113.22 --port vm1');
      await active('floating ip show 203.0.113.22');
      await until('its own host to lead it', async () => said('compute-1', /router .* has .* 1 floating IPs/));
      await wired('spread');
    });

    it('come with a whole topology', async () => {
      await openstack.ok('network set outside --default');
      await openstack.ok(
        'subnet pool create shared-pool --pool-prefix 10.64.0.0/16 --default-prefix-length 26 --share --default',
      );
      const { id, project_id } = await openstack.one('network auto allocated topology create --or-show');
      expect(id).toEqual(expect.any(String));
      const again = await openstack.one('network auto allocated topology create --or-show');
      expect(again).toMatchObject({ id, project_id });
      expect((await openstack.many('router list')).length).toBe(4);
    });

    it('go to an agent that is alive when theirs has died, and are moved by hand', async () => {
      const isThere = async () => JSON.stringify(await agentsOf('edge')) === JSON.stringify([living]);
      await until('the router to be on the other agent', isThere);
      const [agent] = await openstack.column(`network agent list --host ${living} --agent-type l3`, 'ID');
      await openstack.ok(`network agent remove router --l3 ${agent} edge`);
      // Whoever looks after routers without an agent may be quicker: then it is there already.
      await openstack.run(`network agent add router --l3 ${agent} edge`);
      expect(await agentsOf('edge')).toEqual([living]);
      const [gateway] = await openstack.column('port list --router edge --device-owner network:router_gateway', 'ID');
      const at = async () => (await openstack.one(`port show ${gateway} -c binding_host_id`))['binding_host_id'];
      await until('its gateway to be there', async () => (await at()) === living);
      expect(await wired('edge')).toBe(3);
      await active('floating ip show 203.0.113.20');
    });

    it('are gone from their agents when they are deleted', async () => {
      const id = await show('router show edge', 'id');
      const [forwarding] = await openstack.column('floating ip port forwarding list 203.0.113.21', 'ID');
      await openstack.ok(`floating ip port forwarding delete 203.0.113.21 ${forwarding}`);
      for (const address of ['203.0.113.20', '203.0.113.21']) await openstack.ok(`floating ip delete ${address}`);
      await openstack.ok('router remove route edge --route destination=192.168.7.0/24,gateway=10.20.0.9');
      for (const subnet of ['lan4', 'lan5']) await openstack.ok(`router remove subnet edge ${subnet}`);
      await openstack.ok('router delete edge');
      await until('the agent to say so', async () => said(living, new RegExp(`router ${id} is gone`)));
    });
  });
}
