/** What an operator looks at and sets: quotas, agents, availability zones, segments, extensions. */
import { describe, expect, it } from 'vitest';
import type { Area } from '../scene.ts';

export const operation: Area = (cloud) => {
  describe('quota', () => {
    const limits = async (line: string): Promise<Readonly<Record<string, unknown>>> =>
      Object.fromEntries((await cloud().admin.many(line)).map((row) => [String(row['Resource']), row['Limit']]));

    it('is set, shown with usage, and deleted', async () => {
      const { admin, member } = cloud();
      const defaults = await limits('quota show --network --default acme');
      expect(defaults).toMatchObject({ networks: 100, ports: 500, security_groups: 10, subnet_pools: -1 });
      await admin.ok(
        'quota set --networks 5 --subnets 6 --ports 7 --secgroups 8 --secgroup-rules 9 --subnetpools 10 --rbac-policies 11 acme',
      );
      expect(await limits('quota show --network acme')).toMatchObject({
        networks: 5,
        subnets: 6,
        ports: 7,
        security_groups: 8,
        security_group_rules: 9,
        subnet_pools: 10,
        rbac_policies: 11,
      });
      expect(await admin.many('quota list --network')).toEqual([
        expect.objectContaining({ 'Project ID': cloud().acme, Networks: 5, Ports: 7, 'Subnet Pools': 10 }),
      ]);
      await member.ok('network create counted-once');
      expect(await member.many('quota show --usage')).toContainEqual({
        Resource: 'networks',
        Limit: 5,
        'In Use': 1,
        Reserved: 0,
      });
      await admin.ok('quota set --networks 1 acme');
      expect(await member.refused('network create one-more')).toMatch(
        /409.*Quota exceeded for resources: \['network'\]/,
      );
      expect(await admin.refused('quota set --networks 0 acme')).toMatch(/400.*already used 1/);
      await admin.ok('quota set --networks 0 --force acme');
      await member.ok('network delete counted-once');
      await admin.ok('quota delete --network acme');
      expect(await limits('quota show --network acme')).toEqual(defaults);
      expect(await admin.refused('quota set --networks -2 acme')).toMatch(/400.*'-2'/);
      expect(await member.refused(`quota set --networks 9 ${cloud().acme}`)).toMatch(/403/);
    });
  });

  describe('network agent', () => {
    it('is listed, described, disabled and deleted', async () => {
      const { admin } = cloud();
      const dhcp = {
        'Agent Type': 'DHCP agent',
        Host: 'network1',
        'Availability Zone': 'nova',
        Alive: true,
        State: true,
      };
      expect(await admin.many('network agent list --agent-type dhcp')).toEqual([expect.objectContaining(dhcp)]);
      expect(await admin.column('network agent list', 'Host')).toEqual(['compute1', 'network1']);
      expect(await admin.column('network agent list --limit 1', 'Host')).toEqual(['compute1', 'network1']);
      const [id] = await admin.column('network agent list --host compute1', 'ID');
      expect(await admin.one(`network agent show ${id}`)).toMatchObject({
        agent_type: 'Open vSwitch agent',
        binary: 'neutron-openvswitch-agent',
        alive: true,
        admin_state_up: true,
        configuration: { bridge_mappings: { physnet1: 'br-ex' } },
      });
      await admin.ok(`network agent set ${id} --description "of the old rack" --disable`);
      expect(await admin.one(`network agent show ${id}`)).toMatchObject({
        description: 'of the old rack',
        admin_state_up: false,
      });
      await admin.ok(`network agent delete ${id}`);
      expect(await admin.refused(`network agent show ${id}`)).toMatch(/No Agent found/);
    });
  });

  describe('availability zone', () => {
    it('is where agents are', async () => {
      expect(await cloud().admin.many('availability zone list --network --long')).toEqual([
        expect.objectContaining({ 'Zone Name': 'nova', 'Zone Status': 'available', 'Zone Resource': 'network' }),
      ]);
    });
  });

  describe('network segment', () => {
    it('is added to a network, named, given subnets, and deleted', async () => {
      const { admin } = cloud();
      const network = await admin.one(
        'network create routed --provider-network-type vlan --provider-physical-network physnet1 --provider-segment 170',
      );
      const made = await admin.one(
        'network segment create rack2 --network routed --network-type vlan --physical-network physnet2 --segment 270 --description d',
      );
      expect(made).toMatchObject({
        name: 'rack2',
        network_id: network['id'],
        network_type: 'vlan',
        physical_network: 'physnet2',
        segmentation_id: 270,
        description: 'd',
      });
      await admin.ok('network segment set rack2 --name rack-two --description now');
      expect(await admin.one('network segment show rack-two')).toMatchObject({ id: made['id'], description: 'now' });
      expect(await admin.many('network segment list --long --network routed')).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ Segment: 170, 'Physical Network': 'physnet1' }),
          expect.objectContaining({ Name: 'rack-two', Segment: 270, 'Network Type': 'vlan' }),
        ]),
      );
      expect(await admin.one('network show routed')).toMatchObject({
        segments: [
          expect.objectContaining({ 'provider:segmentation_id': 170 }),
          expect.objectContaining({ 'provider:segmentation_id': 270 }),
        ],
      });
      const subnet = 'subnet create rack --network routed --subnet-range 10.0.0.0/24';
      expect(await admin.one(`${subnet} --network-segment rack-two`)).toMatchObject({ segment_id: made['id'] });
      expect(await admin.refused('network segment delete rack-two')).toMatch(/409.*subnet/);
      await admin.ok('subnet delete rack');
      await admin.ok('network segment delete rack-two');
      await admin.ok('network delete routed');
    });
  });

  describe('extension', () => {
    it('is listed and shown', async () => {
      const { admin } = cloud();
      const aliases = await admin.column('extension list --network', 'Alias');
      expect(aliases).toEqual(
        expect.arrayContaining(['security-group', 'segment', 'subnet_onboard', 'vlan-transparent']),
      );
      expect(await admin.one('extension show quotas')).toMatchObject({ alias: 'quotas', name: expect.any(String) });
      expect(await admin.refused('extension show warp-drive')).toMatch(/No Extension found for warp-drive/);
    });
  });
};
