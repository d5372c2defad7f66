/** `openstack subnet`: options of create, set, unset and list. */
import { describe, expect, it } from 'vitest';
import type { Area } from '../scene.ts';

export const subnets: Area = (cloud) => {
  describe('subnet', () => {
    it('is created with all that can be said of it', async () => {
      const { admin, adminProject } = cloud();
      const network = await admin.one('network create sub-full');
      const made = await admin.one(
        'subnet create full4 --network sub-full --subnet-range 10.0.0.0/24 --gateway 10.0.0.254 --no-dhcp ' +
          '--allocation-pool start=10.0.0.10,end=10.0.0.20 --allocation-pool start=10.0.0.30,end=10.0.0.40 ' +
          '--dns-nameserver 192.0.2.2 --dns-nameserver 192.0.2.1 --host-route destination=10.9.0.0/16,gateway=10.0.0.253 ' +
          '--service-type compute:nova --service-type network:dhcp --dns-publish-fixed-ip --description "all of it" --tag t',
      );
      expect(made).toMatchObject({
        name: 'full4',
        network_id: network['id'],
        project_id: adminProject,
        ip_version: 4,
        cidr: '10.0.0.0/24',
        gateway_ip: '10.0.0.254',
        enable_dhcp: false,
        allocation_pools: [
          { start: '10.0.0.10', end: '10.0.0.20' },
          { start: '10.0.0.30', end: '10.0.0.40' },
        ],
        dns_nameservers: ['192.0.2.2', '192.0.2.1'],
        host_routes: [{ destination: '10.9.0.0/16', nexthop: '10.0.0.253' }],
        dns_publish_fixed_ip: true,
        description: 'all of it',
        subnetpool_id: null,
        segment_id: null,
        'router:external': false,
      });
      expect([...(made['service_types'] as string[])].sort()).toEqual(['compute:nova', 'network:dhcp']);
      expect(await admin.one('subnet show full4')).toMatchObject({ tags: ['t'] });
      const v6 = 'subnet create full6 --network sub-full --ip-version 6 --subnet-range fd00::/64';
      expect(await admin.one(`${v6} --ipv6-ra-mode slaac --ipv6-address-mode slaac`)).toMatchObject({
        ip_version: 6,
        cidr: 'fd00::/64',
        ipv6_ra_mode: 'slaac',
        ipv6_address_mode: 'slaac',
      });
      const gateways = {
        'none --subnet-range 10.1.0.0/24': [null, '10.1.0.1'],
        'auto --subnet-range 10.2.0.0/24': ['10.2.0.1', '10.2.0.2'],
      };
      for (const [options, [gateway, first]] of Object.entries(gateways)) {
        expect(await admin.one(`subnet create gate --network sub-full --gateway ${options}`)).toMatchObject({
          gateway_ip: gateway,
          allocation_pools: [expect.objectContaining({ start: first })],
        });
      }
      await admin.ok('network delete sub-full');
      expect(await admin.column('subnet list --name full4')).toEqual([]);
    });

    it('is changed by set and unset', async () => {
      const { admin } = cloud();
      await admin.ok('network create sub-set');
      await admin.ok(
        'subnet create before --network sub-set --subnet-range 10.0.0.0/24 --allocation-pool start=10.0.0.10,end=10.0.0.20',
      );
      await admin.ok(
        'subnet set before --name after --no-dhcp --gateway 10.0.0.254 --description now --dns-nameserver 192.0.2.1 ' +
          '--host-route destination=10.9.0.0/16,gateway=10.0.0.253 --service-type network:dhcp ' +
          '--allocation-pool start=10.0.0.30,end=10.0.0.40 --dns-publish-fixed-ip --tag a --tag b',
      );
      const changed = await admin.one('subnet show after');
      expect(changed).toMatchObject({
        enable_dhcp: false,
        gateway_ip: '10.0.0.254',
        description: 'now',
        dns_nameservers: ['192.0.2.1'],
        host_routes: [{ destination: '10.9.0.0/16', nexthop: '10.0.0.253' }],
        service_types: ['network:dhcp'],
        dns_publish_fixed_ip: true,
        tags: ['a', 'b'],
      });
      expect(changed['allocation_pools']).toHaveLength(2);
      await admin.ok(
        'subnet unset after --dns-nameserver 192.0.2.1 --host-route destination=10.9.0.0/16,gateway=10.0.0.253 ' +
          '--service-type network:dhcp --allocation-pool start=10.0.0.10,end=10.0.0.20 --gateway --tag a',
      );
      expect(await admin.one('subnet show after')).toMatchObject({
        gateway_ip: null,
        dns_nameservers: [],
        host_routes: [],
        service_types: [],
        allocation_pools: [{ start: '10.0.0.30', end: '10.0.0.40' }],
        tags: ['b'],
      });
      await admin.ok(
        'subnet set after --dhcp --no-tag --no-dns-nameservers --no-host-route --no-dns-publish-fixed-ip ' +
          '--no-allocation-pool --allocation-pool start=10.0.0.50,end=10.0.0.60',
      );
      expect(await admin.one('subnet show after')).toMatchObject({
        enable_dhcp: true,
        dns_publish_fixed_ip: false,
        allocation_pools: [{ start: '10.0.0.50', end: '10.0.0.60' }],
        tags: [],
      });
      await admin.ok('subnet delete after');
      await admin.ok('network delete sub-set');
    });

    it('is found by every filter', async () => {
      const { admin } = cloud();
      await admin.ok('network create sub-find');
      await admin.ok(
        'subnet create s-one --network sub-find --subnet-range 10.0.0.0/24 --no-dhcp --tag red --tag round',
      );
      await admin.ok('subnet create s-two --network sub-find --subnet-range 10.0.1.0/24 --tag red --project acme');
      await admin.ok('subnet create s-six --network sub-find --subnet-range fd00::/64 --ip-version 6');
      const table: Readonly<Record<string, readonly string[]>> = {
        '': ['s-one', 's-six', 's-two'],
        '--name s-two': ['s-two'],
        '--ip-version 6': ['s-six'],
        '--dhcp': ['s-six', 's-two'],
        '--no-dhcp': ['s-one'],
        '--project acme': ['s-two'],
        '--gateway 10.0.1.1': ['s-two'],
        '--subnet-range 10.0.0.0/24': ['s-one'],
        '--subnet-range fd00:0::/64': ['s-six'],
        '--tags red': ['s-one', 's-two'],
        '--any-tags round': ['s-one'],
        '--not-tags red,round': ['s-six', 's-two'],
        '--not-any-tags red': ['s-six'],
        '--limit 2': ['s-one', 's-six', 's-two'],
      };
      for (const [filter, names] of Object.entries(table)) {
        expect([filter, await admin.column(`subnet list --network sub-find ${filter}`)]).toEqual([filter, names]);
      }
      expect(await admin.many('subnet list --long --name s-one')).toEqual([
        expect.objectContaining({
          Name: 's-one',
          Subnet: '10.0.0.0/24',
          DHCP: false,
          Gateway: '10.0.0.1',
          'IP Version': 4,
          'Allocation Pools': [{ start: '10.0.0.2', end: '10.0.0.254' }],
          Tags: ['red', 'round'],
        }),
      ]);
      await admin.ok('network delete sub-find');
    });

    it('is refused with a reason', async () => {
      const { admin } = cloud();
      await admin.ok('network create sub-bad');
      await admin.ok('subnet create there --network sub-bad --subnet-range 10.0.0.0/24');
      await admin.ok('port create in-the-way --network sub-bad');
      const create = 'subnet create no --network sub-bad';
      const refusals: Readonly<Record<string, RegExp>> = {
        [create]: /400.*subnetpool must be specified in the absence of a cidr/,
        [`${create} --subnet-range 10.0.0.0/25`]: /400.*overlaps with another subnet/,
        [`${create} --subnet-range 10.1.0.0/33`]: /400.*10.1.0.0\/33/,
        [`${create} --subnet-range fd00::/64`]: /400.*does not match the ip_version '4'/,
        [`${create} --subnet-range 10.1.0.0/32`]: /400.*DHCP/,
        [`${create} --subnet-range 10.1.0.0/24 --allocation-pool start=10.1.0.9,end=10.1.0.5`]: /400.*is not valid/,
        [`${create} --subnet-range 10.1.0.0/24 --allocation-pool start=10.2.0.1,end=10.2.0.5`]: /400.*spans beyond/,
        [`${create} --subnet-range 10.1.0.0/24 --dns-nameserver nine`]: /400.*'nine' is not a valid IP address/,
        [`${create} --subnet-range 10.1.0.0/24 --host-route destination=nine,gateway=10.1.0.1`]: /400.*'nine'/,
        [`${create} --subnet-range 10.1.0.0/24 --service-type nine`]: /400.*'nine'/,
        [`${create} --use-default-subnet-pool`]: /400.*No default subnetpool/,
        [`${create} --subnet-pool none`]: /No SubnetPool found for none/,
        'subnet set there --gateway 10.0.0.77': /409.*conflicts with allocation pool/,
        'subnet set there --allocation-pool start=10.0.0.100,end=10.0.0.110': /409.*overlapping allocation pools/,
        'subnet delete there': /409.*ports have an IP allocation from this subnet/,
      };
      for (const [line, reason] of Object.entries(refusals)) expect(await admin.refused(line)).toMatch(reason);
      await admin.ok('port delete in-the-way');
      await admin.ok('network delete sub-bad');
    });
  });

  describe('ip availability', () => {
    it('counts addresses, per IP version', async () => {
      const { admin } = cloud();
      const network = await admin.one('network create counted');
      await admin.ok('subnet create c4 --network counted --subnet-range 10.0.0.0/28');
      await admin.ok('subnet create c6 --network counted --subnet-range fd00::/64 --ip-version 6');
      await admin.ok('port create c --network counted --fixed-ip subnet=c4');
      const count = { 'Network ID': network['id'], 'Network Name': 'counted', 'Total IPs': 13, 'Used IPs': 1 };
      expect(await admin.many('ip availability list')).toContainEqual(expect.objectContaining(count));
      expect(await admin.column('ip availability list --project acme', 'Network Name')).not.toContain('counted');
      expect(await admin.column('ip availability list --ip-version 6', 'Network Name')).toContain('counted');
      expect(await admin.one('ip availability show counted')).toMatchObject({
        network_name: 'counted',
        used_ips: 1,
        subnet_ip_availability: expect.arrayContaining([
          expect.objectContaining({ subnet_name: 'c4', total_ips: 13, used_ips: 1, ip_version: 4 }),
        ]),
      });
      await admin.ok('port delete c');
      await admin.ok('network delete counted');
    });
  });
};
