/** `openstack network`: every option of create, set, unset and list that the core serves. */
import { describe, expect, it } from 'vitest';
import type { Area } from '../scene.ts';

export const networks: Area = (cloud) => {
  describe('network', () => {
    it('is created with all that can be said of it', async () => {
      const { admin, adminProject } = cloud();
      const made = await admin.one(
        'network create full --description "all of it" --mtu 1400 --disable --share --external --default ' +
          '--dns-domain full.example. --disable-port-security --transparent-vlan --availability-zone-hint nova --tag b --tag a',
      );
      expect(made).toMatchObject({
        name: 'full',
        description: 'all of it',
        mtu: 1400,
        admin_state_up: false,
        shared: true,
        'router:external': true,
        is_default: true,
        dns_domain: 'full.example.',
        port_security_enabled: false,
        is_vlan_transparent: true,
        availability_zone_hints: ['nova'],
        project_id: adminProject,
        status: 'ACTIVE',
        'provider:network_type': 'vxlan',
        'provider:physical_network': null,
        l2_adjacency: true,
        subnets: [],
      });
      expect(await admin.one('network show full')).toMatchObject({ tags: ['a', 'b'] });
      await admin.ok('network delete full');
    });

    it('is changed by set and unset', async () => {
      const { admin } = cloud();
      await admin.ok('network create plain --tag a --tag b');
      await admin.ok(
        'network set plain --name changed --description now --mtu 1300 --disable --share --external ' +
          '--dns-domain now.example. --disable-port-security --tag c',
      );
      expect(await admin.one('network show changed')).toMatchObject({
        description: 'now',
        mtu: 1300,
        admin_state_up: false,
        shared: true,
        'router:external': true,
        dns_domain: 'now.example.',
        port_security_enabled: false,
        tags: ['a', 'b', 'c'],
      });
      await admin.ok('network set changed --enable --no-share --internal --enable-port-security');
      await admin.ok('network unset --tag b changed');
      expect(await admin.one('network show changed')).toMatchObject({
        admin_state_up: true,
        shared: false,
        'router:external': false,
        port_security_enabled: true,
        tags: ['a', 'c'],
      });
      await admin.ok('network set changed --no-tag --tag only');
      expect(await admin.one('network show changed')).toMatchObject({ tags: ['only'] });
      await admin.ok('network unset --all-tag changed');
      expect(await admin.one('network show changed')).toMatchObject({ tags: [] });
      await admin.ok('network delete changed');
    });

    it('is found by every filter', async () => {
      const { admin } = cloud();
      await admin.ok('network create f-one --tag red --tag round');
      await admin.ok('network create f-two --tag red --share --disable --project acme');
      await admin.ok('network create f-three --external');
      const found = async (filter: string): Promise<readonly unknown[]> =>
        (await admin.column(`network list ${filter}`)).filter((name) => String(name).startsWith('f-'));
      const table: Readonly<Record<string, readonly string[]>> = {
        '': ['f-one', 'f-three', 'f-two'],
        '--name f-one': ['f-one'],
        '--external': ['f-three'],
        '--internal': ['f-one', 'f-two'],
        '--enable': ['f-one', 'f-three'],
        '--disable': ['f-two'],
        '--share': ['f-two'],
        '--no-share': ['f-one', 'f-three'],
        '--project acme': ['f-two'],
        '--status ACTIVE': ['f-one', 'f-three', 'f-two'],
        '--status ERROR': [],
        '--provider-network-type vxlan': ['f-one', 'f-three', 'f-two'],
        '--provider-network-type gre': [],
        '--tags red': ['f-one', 'f-two'],
        '--tags red,round': ['f-one'],
        '--any-tags round,none': ['f-one'],
        '--not-tags red,round': ['f-three', 'f-two'],
        '--not-any-tags red': ['f-three'],
        '--limit 1': ['f-one', 'f-three', 'f-two'],
      };
      for (const [filter, names] of Object.entries(table))
        expect([filter, await found(filter)]).toEqual([filter, names]);
      expect(await admin.many('network list --limit 1 --max-items 2')).toHaveLength(2);
      expect(await admin.many('network list --long --name f-two')).toEqual([
        expect.objectContaining({
          Name: 'f-two',
          Status: 'ACTIVE',
          Project: cloud().acme,
          State: false,
          Shared: true,
          'Network Type': 'vxlan',
          'Router Type': false,
          Tags: ['red'],
        }),
      ]);
      await admin.ok('network delete f-one f-two f-three');
    });

    it('is deleted as far as there is one', async () => {
      const { admin } = cloud();
      await admin.ok('network create gone');
      expect(await admin.refused('network delete gone never-there')).toMatch(/1 of 2 networks failed to delete/);
      expect(await admin.column('network list --name gone')).toEqual([]);
    });

    it('is refused with a reason', async () => {
      const { admin } = cloud();
      await admin.ok('network create twin');
      await admin.ok('network create twin');
      const refusals: Readonly<Record<string, RegExp>> = {
        'network show twin': /More than one Network exists with the name 'twin'/,
        'network show none': /No Network found for none/,
        'network create big --mtu 9000': /400.*MTU is too big, maximum is 1450/,
        'network create az --availability-zone-hint mars': /404.*AvailabilityZone mars could not be found/,
        'network create odd --extra-property type=str,name=odd,value=1': /400.*Unrecognized attribute\(s\) 'odd'/,
        'network list --marker 11111111-1111-1111-1111-111111111111': /404.*could not be found/,
      };
      for (const [line, reason] of Object.entries(refusals)) expect(await admin.refused(line)).toMatch(reason);
      for (const id of await admin.column('network list --name twin', 'ID')) await admin.ok(`network delete ${id}`);
    });
  });

  describe('network of a provider', () => {
    it('takes type, physical network and segment', async () => {
      const { admin } = cloud();
      const made: Readonly<Record<string, readonly [string, string | null, unknown, number]>> = {
        'vlan --provider-physical-network physnet1 --provider-segment 150': ['vlan', 'physnet1', 150, 1500],
        'vlan --provider-physical-network physnet1': ['vlan', 'physnet1', expect.any(Number), 1500],
        'vlan --provider-physical-network physnet2 --provider-segment 4000': ['vlan', 'physnet2', 4000, 1500],
        'flat --provider-physical-network physnet1': ['flat', 'physnet1', null, 1500],
        'vxlan --provider-segment 5000': ['vxlan', null, 5000, 1450],
        'gre --provider-segment 7': ['gre', null, 7, 1458],
        geneve: ['geneve', null, expect.any(Number), 1450],
        local: ['local', null, null, 1500],
      };
      for (const [options, [type, physical, segment, mtu]] of Object.entries(made)) {
        expect(await admin.one(`network create prov --provider-network-type ${options}`)).toMatchObject({
          'provider:network_type': type,
          'provider:physical_network': physical,
          'provider:segmentation_id': segment,
          mtu,
        });
      }
      expect(await admin.many('network list --provider-physical-network physnet1')).toHaveLength(3);
      expect(await admin.many('network list --provider-segment 150')).toHaveLength(1);
      for (const id of await admin.column('network list --name prov', 'ID')) await admin.ok(`network delete ${id}`);
    });

    it('gets another segment, as long as the driver can', async () => {
      const { admin } = cloud();
      const vlan = '--provider-network-type vlan --provider-physical-network physnet1';
      await admin.ok(`network create moved ${vlan} --provider-segment 160`);
      await admin.ok('network set moved --provider-segment 161');
      expect(await admin.one('network show moved')).toMatchObject({ 'provider:segmentation_id': 161 });
      // The one that was left is free again.
      await admin.ok(`network create taken ${vlan} --provider-segment 160`);
      expect(await admin.refused('network set moved --provider-segment 160')).toMatch(/409.*in use/);
      await admin.ok('network delete moved taken');
    });

    it('is refused with a reason', async () => {
      const { admin, member } = cloud();
      await admin.ok('network create flat --provider-network-type flat --provider-physical-network physnet2');
      const refusals: Readonly<Record<string, RegExp>> = {
        'vlan --provider-physical-network physnet1 --provider-segment 5000': /400.*segmentation_id out of range/,
        'vlan --provider-physical-network mars --provider-segment 5': /400.*physical_network 'mars' unknown/,
        'vlan --provider-segment 5': /400.*segmentation_id requires physical_network/,
        'flat --provider-physical-network physnet2': /409.*Physical network physnet2 is in use/,
        flat: /400.*physical_network required/,
        'local --provider-segment 5': /400.*segmentation_id prohibited/,
        warp: /400.*network_type value 'warp' not supported/,
      };
      for (const [options, reason] of Object.entries(refusals)) {
        expect(await admin.refused(`network create no --provider-network-type ${options}`)).toMatch(reason);
      }
      expect(await member.refused('network create no --provider-network-type vlan')).toMatch(
        /403.*disallowed by policy/,
      );
      await admin.ok('network delete flat');
    });
  });
};
