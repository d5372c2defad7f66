/** `openstack network auto allocated topology`, `network flavor`, `network service provider`, `router add gateway`. */
import { describe, expect, it } from 'vitest';
import type { Area } from '../scene.ts';

const SINGLE = 'neutron.services.l3_router.service_providers.single_node.SingleNodeDriver';

export const routerExtras: Area = (cloud) => {
  describe('network auto allocated topology', () => {
    it('gives a project its network, and takes it back', async () => {
      const { admin, member, acme } = cloud();
      const create = 'network auto allocated topology create';
      expect(await member.refused(`${create} --check-resources`)).toMatch(/No default router:external network/);
      await admin.ok('network create auto-outside --external --default');
      await admin.ok('subnet create auto-outside4 --network auto-outside --subnet-range 192.0.2.0/24');
      await admin.ok(
        'subnet pool create auto-pool --pool-prefix 10.64.0.0/16 --default-prefix-length 26 --default --share',
      );
      await member.ok(`${create} --check-resources`);
      const topology = await member.one(`${create} --or-show`);
      expect(topology).toMatchObject({ project_id: acme });
      expect(await member.one(create)).toEqual(topology);
      const network = await member.one(`network show ${topology['id']}`);
      expect(network).toMatchObject({ name: 'auto_allocated_network', status: 'ACTIVE', project_id: acme });
      const router = await member.one('router show auto_allocated_router');
      expect(router).toMatchObject({ project_id: acme, external_gateway_info: { enable_snat: true } });
      expect(await admin.one(`${create} --project ${acme}`)).toEqual(topology);
      await member.ok('network auto allocated topology delete');
      expect(await member.column('router list')).not.toContain('auto_allocated_router');
      await admin.ok('subnet pool delete auto-pool');
      await admin.ok('network delete auto-outside');
    });
  });

  describe('network flavor', () => {
    it('makes routers of a flavor', async () => {
      const { admin, member } = cloud();
      expect(await member.many('network service provider list')).toContainEqual({
        'Service Type': 'L3_ROUTER_NAT',
        Name: 'single_node',
        Default: false,
      });
      const flavor = await admin.one('network flavor create single --service-type L3_ROUTER_NAT --description plain');
      expect(flavor).toMatchObject({ name: 'single', enabled: true, service_type: 'L3_ROUTER_NAT' });
      const profile = await admin.one(`network flavor profile create --driver ${SINGLE} --description x`);
      await admin.ok(`network flavor add profile single ${profile['id']}`);
      expect((await member.one('network flavor show single'))['service_profile_ids']).toEqual([profile['id']]);
      await admin.ok('network flavor set --description fancy single');
      expect(await member.column('network flavor list')).toEqual(['single']);
      const router = await member.one(`router create --flavor-id ${flavor['id']} of-flavor`);
      expect(router['flavor_id']).toBe(flavor['id']);
      expect(await admin.refused('network flavor delete single')).toMatch(/is used by some service instance/);
      await member.ok('router delete of-flavor');
      expect(await admin.refused(`network flavor profile delete ${profile['id']}`)).toMatch(/is used by/);
      await admin.ok(`network flavor remove profile single ${profile['id']}`);
      await admin.ok('network flavor delete single');
      await admin.ok(`network flavor profile delete ${profile['id']}`);
    });
  });

  describe('router add gateway', () => {
    it('gives routers several gateways', async () => {
      const { admin } = cloud();
      for (const [name, range] of [
        ['uplink-a', '198.51.100.0/24'],
        ['uplink-b', '203.0.113.0/24'],
      ]) {
        await admin.ok(`network create ${name} --external`);
        await admin.ok(`subnet create ${name}4 --network ${name} --subnet-range ${range}`);
      }
      const created = await admin.one(
        'router create --external-gateway uplink-a --external-gateway uplink-b --enable-default-route-ecmp multi',
      );
      expect(created).toMatchObject({ enable_default_route_ecmp: true });
      const gateways = async () => (await admin.one('router show multi'))['external_gateways'] as readonly unknown[];
      expect(await gateways()).toHaveLength(2);
      await admin.ok('router add gateway --fixed-ip ip-address=203.0.113.50 multi uplink-b');
      expect(await gateways()).toHaveLength(3);
      await admin.ok('router remove gateway --fixed-ip ip-address=203.0.113.50 multi uplink-b');
      await admin.ok('router remove gateway multi uplink-a');
      expect(await gateways()).toHaveLength(1);
      await admin.ok('router set --external-gateway uplink-a --external-gateway uplink-b multi');
      expect(await gateways()).toHaveLength(2);
      // As in Neutron it takes away the one that is shown.
      await admin.ok('router unset --external-gateway multi');
      expect(await gateways()).toHaveLength(1);
      await admin.ok('router unset --external-gateway multi');
      expect(await gateways()).toEqual([]);
      await admin.ok('router delete multi');
      for (const name of ['uplink-a', 'uplink-b']) await admin.ok(`network delete ${name}`);
    });
  });
};
