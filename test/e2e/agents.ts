/**
 * Agents as an operator sees them: a whole server, `nucleon agent simulated` in processes of its own, and the `openstack` client
 * (or, where there is none, the API asked as the client asks it).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lifetime } from '#src/lib/lifetime.ts';
import { until } from '../support/nucleon.ts';
import { type AgentScene, type Agents, ready, startAgents } from './agent_processes.ts';
import { Client, executable } from './client.ts';

/** The hosts of the story. */
export const HOSTS = ['compute-1', 'rack-1', 'rack-2'];

/** The server's options that the story needs. */
export const OPTIONS = {
  OS_DEFAULT__API_WORKERS: '1',
  OS_DEFAULT__RPC_WORKERS: '1',
  OS_ML2__TYPE_DRIVERS: 'flat,vxlan',
  OS_ML2__PROJECT_NETWORK_TYPES: 'vxlan',
  OS_ML2_TYPE_VXLAN__VNI_RANGES: '1:1000',
  OS_AGENT_FAILOVER__LOST_AGENT_GRACE: '1',
};

/** The story, once for each thing that the server may stand on. */
export function agentStory(name: string, start: (life: Lifetime) => Promise<AgentScene>): void {
  describe.skipIf(executable === undefined)(`agents, ${name}`, () => {
    const life = new Lifetime();
    let scene: AgentScene;
    let openstack: Client;
    let compute: Agents;
    let rack: Agents;

    beforeAll(async () => {
      scene = await start(life);
      openstack = life.add(new Client(await scene.server.openrc()));
      compute = startAgents(scene, life, ['--host', 'compute-1', '--physical-network', 'physnet1:br-ex']);
      rack = startAgents(scene, life, [
        '--host',
        'rack',
        '--count',
        '2',
        '--roles',
        'l2,dhcp',
        '--availability-zone',
        'east',
      ]);
      await Promise.all([ready(compute), ready(rack)]);
    });
    afterAll(() => life.stop());

    const alive = async (host: string) =>
      (await openstack.many(`network agent list --host ${host}`)).map((agent) => agent['Alive']);
    const status = async (port: string) => (await openstack.one(`port show ${port} -c status`))['status'];
    const servers = async (network: string) => openstack.column(`network agent list --network ${network}`, 'Host');

    it('are listed as soon as they have said that they are there', async () => {
      const listed = await openstack.many('network agent list');
      const named = listed.map((agent) => `${agent['Host']} ${agent['Binary']}`).sort();
      expect(named).toEqual([
        'compute-1 neutron-dhcp-agent',
        'compute-1 neutron-l3-agent',
        'compute-1 neutron-metadata-agent',
        'compute-1 neutron-openvswitch-agent',
        'rack-1 neutron-dhcp-agent',
        'rack-1 neutron-openvswitch-agent',
        'rack-2 neutron-dhcp-agent',
        'rack-2 neutron-openvswitch-agent',
      ]);
      expect(listed.every((agent) => agent['Alive'] === true && agent['State'] === true)).toBe(true);
      expect(compute.lines).toContain('compute-1: Open vSwitch agent: reports (new)');
      const zones = await openstack.column('availability zone list --network', 'Zone Name');
      expect(new Set(zones)).toEqual(new Set(['east', 'nova']));
    });

    it('wire a port that is bound to their host, and it becomes ACTIVE', async () => {
      await openstack.ok('network create lan --provider-network-type vxlan --provider-segment 77');
      await openstack.ok('subnet create --network lan --subnet-range 10.0.0.0/24 lan4');
      const port = await openstack.one('port create --host compute-1 --network lan p1');
      expect(port).toMatchObject({
        binding_host_id: 'compute-1',
        binding_vif_type: 'ovs',
        binding_vnic_type: 'normal',
      });
      await until('the port to be ACTIVE', async () => (await status('p1')) === 'ACTIVE');
      expect(compute.lines).toContain(`compute-1: Open vSwitch agent: port ${port['id']} is up (vxlan 77)`);
      const flat = 'network create flat --provider-network-type flat --provider-physical-network physnet1';
      await openstack.ok(flat);
      // The others are not on that physical network.
      expect(await openstack.one('port create --host compute-1 --network flat p2')).toMatchObject({
        binding_vif_type: 'ovs',
      });
      expect(await openstack.one('port create --host rack-1 --network flat p3')).toMatchObject({
        binding_vif_type: 'binding_failed',
      });
    });

    it('move a port to another host', async () => {
      await openstack.ok('port set --host rack-2 p1');
      await until('the port to be up there', async () =>
        rack.lines.some((line) => line.startsWith('rack-2: Open vSwitch agent: port')),
      );
      await until('the port to be ACTIVE', async () => (await status('p1')) === 'ACTIVE');
    });

    it('serve DHCP, and when one is killed another takes its networks over', async () => {
      const [host] = (await servers('lan')) as [string];
      // All networks to the agent of the process that is killed next.
      const [id] = await openstack.column('network agent list --host compute-1 --agent-type dhcp', 'ID');
      if (host !== 'compute-1') {
        const [before] = await openstack.column(`network agent list --host ${host} --agent-type dhcp`, 'ID');
        await openstack.ok(`network agent remove network --dhcp ${before} lan`);
        await openstack.ok(`network agent add network --dhcp ${id} lan`);
      }
      await until(
        'DHCP to be served',
        async () => (await openstack.many('port list --network lan --device-owner network:dhcp')).length > 0,
      );
      await compute.kill('SIGKILL');
      await until('it to be seen dead', async () => (await alive('compute-1')).every((is) => is === false));
      const other = await until('another to serve', async () => {
        const now = await servers('lan');
        return now.length > 0 && !now.includes('compute-1') && String(now[0]);
      });
      await until('its DHCP port', async () => {
        // Another may be reserved still, for whoever serves next.
        for (const id of await openstack.column('port list --network lan --device-owner network:dhcp', 'ID')) {
          const shown = await openstack.one(`port show ${id}`);
          if (shown['binding_host_id'] === other && shown['status'] === 'ACTIVE') return true;
        }
        return false;
      });
    });

    it('are alive again after a restart, and find their ports', async () => {
      const again = startAgents(scene, life, ['--host', 'compute-1', '--physical-network', 'physnet1:br-ex']);
      await ready(again);
      expect(new Set(await alive('compute-1'))).toEqual(new Set([true]));
      await until('p2 to be up', async () => again.lines.some((line) => line.endsWith('is up (flat null)')));
      expect(await again.kill('SIGTERM')).toBe(0);
      await until('it to be seen gone', async () => (await alive('compute-1')).every((is) => is === false));
    });
  });
}
