/** `openstack port`: options of create, set, unset and list. */
import { describe, expect, it } from 'vitest';
import type { Area } from '../scene.ts';

export const ports: Area = (cloud) => {
  describe('port', () => {
    it('is created with all that can be said of it', async () => {
      const { admin, adminProject } = cloud();
      const network = await admin.one('network create port-full');
      const subnet = await admin.one('subnet create pf4 --network port-full --subnet-range 10.0.0.0/24');
      const group = await admin.one('security group create port-full');
      const made = await admin.one(
        'port create full --network port-full --description "all of it" --device vm1 --device-owner compute:nova ' +
          '--mac-address fa:16:3e:00:00:01 --vnic-type direct --host compute1 --dns-name web --dns-domain port.example. ' +
          '--numa-policy-preferred --hint ovs-tx-steering=thread --trusted --fixed-ip subnet=pf4,ip-address=10.0.0.9 --disable ' +
          '--disable-uplink-status-propagation --extra-dhcp-option name=mtu,value=1400 ' +
          '--extra-dhcp-option name=dns,value=fd00::1,ip-version=6 --security-group port-full ' +
          '--allowed-address ip-address=192.0.2.1,mac-address=fa:16:3e:00:00:99 --allowed-address ip-address=198.51.100.0/24 ' +
          '--device-profile gpu --hardware-offload-type switchdev --tag b --tag a',
      );
      expect(made).toMatchObject({
        name: 'full',
        network_id: network['id'],
        project_id: adminProject,
        description: 'all of it',
        device_id: 'vm1',
        device_owner: 'compute:nova',
        mac_address: 'fa:16:3e:00:00:01',
        binding_vnic_type: 'direct',
        binding_host_id: 'compute1',
        binding_profile: { capabilities: ['switchdev'], trusted: true },
        dns_name: 'web',
        dns_domain: 'port.example.',
        dns_assignment: [{ ip_address: '10.0.0.9', hostname: 'web', fqdn: 'web.cloud.example.' }],
        numa_affinity_policy: 'preferred',
        hints: { openvswitch: { other_config: { 'tx-steering': 'thread' } } },
        trusted: true,
        fixed_ips: [{ subnet_id: subnet['id'], ip_address: '10.0.0.9' }],
        admin_state_up: false,
        propagate_uplink_status: false,
        extra_dhcp_opts: [
          { opt_name: 'mtu', opt_value: '1400', ip_version: 4 },
          { opt_name: 'dns', opt_value: 'fd00::1', ip_version: 6 },
        ],
        security_group_ids: [group['id']],
        allowed_address_pairs: expect.arrayContaining([
          { ip_address: '192.0.2.1', mac_address: 'fa:16:3e:00:00:99' },
          { ip_address: '198.51.100.0/24', mac_address: 'fa:16:3e:00:00:01' },
        ]),
        device_profile: 'gpu',
        hardware_offload_type: 'switchdev',
        port_security_enabled: true,
        status: 'DOWN',
        tags: ['a', 'b'],
      });
      expect(await admin.one('port show full')).toEqual(made);
      const bare = 'port create bare --network port-full --no-fixed-ip --no-security-group --disable-port-security';
      expect(await admin.one(bare)).toMatchObject({
        fixed_ips: [],
        security_group_ids: [],
        port_security_enabled: false,
      });
      await admin.ok('port delete full bare');
      await admin.ok('network delete port-full');
      await admin.ok('security group delete port-full');
    });

    it('is changed by set and unset', async () => {
      const { admin } = cloud();
      await admin.ok('network create port-set');
      const subnet = await admin.one('subnet create ps4 --network port-set --subnet-range 10.0.0.0/24');
      const group = await admin.one('security group create port-set');
      await admin.ok('port create before --network port-set --fixed-ip ip-address=10.0.0.9 --no-security-group');
      await admin.ok(
        'port set before --name after --description now --device vm2 --device-owner compute:nova --host compute1 ' +
          '--vnic-type macvtap --mac-address fa:16:3e:00:00:02 --dns-name api --dns-domain now.example. --numa-policy-legacy ' +
          '--hint ovs-tx-steering=hash --trusted --disable --fixed-ip subnet=ps4,ip-address=10.0.0.10 --security-group port-set ' +
          '--allowed-address ip-address=192.0.2.1,mac-address=fa:16:3e:00:00:99 --extra-dhcp-option name=mtu,value=1400 ' +
          '--data-plane-status DOWN --disable-uplink-status-propagation --tag a --tag b',
      );
      expect(await admin.one('port show after')).toMatchObject({
        description: 'now',
        device_id: 'vm2',
        device_owner: 'compute:nova',
        binding_host_id: 'compute1',
        binding_vnic_type: 'macvtap',
        mac_address: 'fa:16:3e:00:00:02',
        dns_name: 'api',
        dns_domain: 'now.example.',
        numa_affinity_policy: 'legacy',
        trusted: true,
        admin_state_up: false,
        fixed_ips: expect.arrayContaining([
          { subnet_id: subnet['id'], ip_address: '10.0.0.9' },
          { subnet_id: subnet['id'], ip_address: '10.0.0.10' },
        ]),
        security_group_ids: [group['id']],
        allowed_address_pairs: [{ ip_address: '192.0.2.1', mac_address: 'fa:16:3e:00:00:99' }],
        extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400', ip_version: 4 }],
        data_plane_status: 'DOWN',
        propagate_uplink_status: false,
        tags: ['a', 'b'],
      });
      await admin.ok(
        'port unset after --fixed-ip subnet=ps4,ip-address=10.0.0.9 --security-group port-set --data-plane-status ' +
          '--numa-policy --host --hints --device --device-owner --tag a ' +
          '--allowed-address ip-address=192.0.2.1,mac-address=fa:16:3e:00:00:99',
      );
      expect(await admin.one('port show after')).toMatchObject({
        fixed_ips: [{ subnet_id: subnet['id'], ip_address: '10.0.0.10' }],
        security_group_ids: [],
        data_plane_status: null,
        numa_affinity_policy: null,
        binding_host_id: '',
        hints: null,
        device_id: '',
        device_owner: '',
        allowed_address_pairs: [],
        tags: ['b'],
      });
      await admin.ok('port set after --no-fixed-ip --disable-port-security --enable --not-trusted --no-tag');
      expect(await admin.one('port show after')).toMatchObject({
        fixed_ips: [],
        port_security_enabled: false,
        admin_state_up: true,
        trusted: false,
        tags: [],
      });
      await admin.ok('port delete after');
      await admin.ok('network delete port-set');
      await admin.ok('security group delete port-set');
    });

    it('is found by every filter', async () => {
      const { admin } = cloud();
      await admin.ok('network create port-find');
      await admin.ok('subnet create pn4 --network port-find --subnet-range 10.0.0.0/24');
      await admin.ok('subnet create pn6 --network port-find --subnet-range fd00::/64 --ip-version 6');
      const group = await admin.one('security group create port-find');
      const mac = 'fa:16:3e:00:00:03';
      await admin.ok(
        'port create p-one --network port-find --fixed-ip subnet=pn4,ip-address=10.0.0.123 --device vm1 ' +
          `--device-owner compute:nova --host compute1 --mac-address ${mac} --security-group port-find --tag red --tag round`,
      );
      await admin.ok('port create p-two --network port-find --fixed-ip subnet=pn6 --project acme --tag red');
      await admin.ok('port create p-three --network port-find --no-fixed-ip');
      const table: Readonly<Record<string, readonly string[]>> = {
        '': ['p-one', 'p-three', 'p-two'],
        '--name p-two': ['p-two'],
        '--device-owner compute:nova': ['p-one'],
        '--device-id vm1': ['p-one'],
        '--host compute1': ['p-one'],
        '--mac-address FA-16-3E-00-00-03': ['p-one'],
        '--project acme': ['p-two'],
        [`--security-group ${group['id']}`]: ['p-one'],
        '--status DOWN': ['p-one', 'p-three', 'p-two'],
        '--status ACTIVE': [],
        '--fixed-ip ip-address=10.0.0.123': ['p-one'],
        '--fixed-ip subnet=pn6': ['p-two'],
        '--fixed-ip subnet=pn4,ip-address=10.0.0.123': ['p-one'],
        '--fixed-ip ip-substring=0.123': ['p-one'],
        '--tags red': ['p-one', 'p-two'],
        '--any-tags round': ['p-one'],
        '--not-tags red,round': ['p-three', 'p-two'],
        '--not-any-tags red': ['p-three'],
        '--limit 2': ['p-one', 'p-three', 'p-two'],
      };
      for (const [filter, names] of Object.entries(table)) {
        expect([filter, await admin.column(`port list --network port-find ${filter}`)]).toEqual([filter, names]);
      }
      expect(await admin.many('port list --long --name p-one')).toEqual([
        expect.objectContaining({
          Name: 'p-one',
          'MAC Address': mac,
          'Fixed IP Addresses': [expect.objectContaining({ ip_address: '10.0.0.123' })],
          Status: 'DOWN',
          'Security Groups': [group['id']],
          'Device Owner': 'compute:nova',
          Tags: ['red', 'round'],
        }),
      ]);
      await admin.ok('port delete p-one p-two p-three');
      await admin.ok('network delete port-find');
      await admin.ok('security group delete port-find');
    });

    it('is refused with a reason', async () => {
      const { admin, member } = cloud();
      await admin.ok('network create port-bad');
      await admin.ok('subnet create pb4 --network port-bad --subnet-range 10.0.0.0/24');
      const mac = 'fa:16:3e:00:00:04';
      await admin.ok(`port create there --network port-bad --fixed-ip ip-address=10.0.0.9 --mac-address ${mac}`);
      const create = 'port create no --network port-bad';
      const pair = '--allowed-address ip-address=192.0.2.1';
      const refusals: Readonly<Record<string, RegExp>> = {
        [`${create} --fixed-ip ip-address=10.0.0.9`]: /409.*10.0.0.9 already allocated/,
        [`${create} --fixed-ip ip-address=10.9.0.9`]: /400.*not a valid IP for any of the subnets/,
        [`${create} --fixed-ip subnet=pb4,ip-address=10.0.0.255`]: /400.*not a valid IP for the specified subnet/,
        [`${create} --mac-address ${mac}`]: /409.*mac address fa:16:3e:00:00:04 is in use/,
        [`${create} --mac-address nine`]: /400.*'nine' is not a valid MAC address/,
        [`${create} --dns-name under_score`]: /400.*dns_name.*under_score/,
        [`${create} --security-group none`]: /No SecurityGroup found for none/,
        [`${create} ${pair} --disable-port-security --no-security-group`]: /409.*Port Security must be enabled/,
        'network delete port-bad': /409.*one or more ports still in use/,
      };
      for (const [line, reason] of Object.entries(refusals)) expect(await admin.refused(line)).toMatch(reason);
      expect(await member.refused('port show there')).toMatch(/No Port found for there/);
      await admin.ok('port delete there');
      await admin.ok('network delete port-bad');
    });
  });
};
