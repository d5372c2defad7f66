/** `openstack security group`, its rules, the rules that new groups start with, and `openstack address group`. */
import { describe, expect, it } from 'vitest';
import type { Area } from '../scene.ts';

export const securityGroups: Area = (cloud) => {
  describe('security group', () => {
    it('is created, changed and found', async () => {
      const { admin, adminProject } = cloud();
      const made = await admin.one(
        'security group create g-one --description "all of it" --stateless --tag red --tag round',
      );
      expect(made).toMatchObject({
        name: 'g-one',
        description: 'all of it',
        stateful: false,
        is_shared: false,
        project_id: adminProject,
      });
      expect(made['rules']).toEqual([
        expect.objectContaining({ direction: 'egress', ethertype: 'IPv4' }),
        expect.objectContaining({ direction: 'egress', ethertype: 'IPv6' }),
      ]);
      await admin.ok('security group create g-two --project acme --tag red');
      const table: Readonly<Record<string, readonly string[]>> = {
        '--tags red': ['g-one', 'g-two'],
        '--tags red,round': ['g-one'],
        '--any-tags round': ['g-one'],
        '--not-tags red,round --project acme': ['default', 'g-two'],
        '--not-any-tags red --project acme': ['default'],
        '--project acme': ['default', 'g-two'],
        '--share': [],
      };
      // Whoever lists gets a default group.
      await cloud().member.ok('security group list');
      for (const [filter, names] of Object.entries(table)) {
        expect([filter, await admin.column(`security group list ${filter}`)]).toEqual([filter, names]);
      }
      await admin.ok('security group set g-one --name changed --description now --stateful --no-tag --tag c');
      expect(await admin.one('security group show changed')).toMatchObject({
        id: made['id'],
        description: 'now',
        stateful: true,
        tags: ['c'],
      });
      await admin.ok('security group unset changed --all-tag');
      expect(await admin.one('security group show changed')).toMatchObject({ tags: [] });
      await admin.ok('security group delete changed g-two');
      expect(await admin.refused('security group show changed')).toMatch(/No SecurityGroup found for changed/);
    });

    it('has rules of every kind', async () => {
      const { admin } = cloud();
      const group = await admin.one('security group create ruled');
      const other = await admin.one('security group create other');
      const addresses = await admin.one('address group create partners --address 192.0.2.0/24');
      const rules: Readonly<Record<string, object>> = {
        '--protocol tcp --dst-port 80 --remote-ip 10.0.0.0/8 --description http': {
          direction: 'ingress',
          ether_type: 'IPv4',
          protocol: 'tcp',
          port_range_min: 80,
          port_range_max: 80,
          remote_ip_prefix: '10.0.0.0/8',
          normalized_cidr: '10.0.0.0/8',
          description: 'http',
        },
        '--protocol udp --dst-port 8000:8080 --remote-group other': {
          port_range_min: 8000,
          port_range_max: 8080,
          remote_group_id: other['id'],
          remote_ip_prefix: null,
        },
        '--protocol tcp --dst-port 443 --remote-address-group partners': { remote_address_group_id: addresses['id'] },
        '--protocol icmp --icmp-type 8 --icmp-code 0': { protocol: 'icmp', port_range_min: 8, port_range_max: 0 },
        '--protocol ipv6-icmp --icmp-type 128': { ether_type: 'IPv6', port_range_min: 128, port_range_max: null },
        '--protocol tcp --dst-port 22 --ethertype IPv6 --egress': { ether_type: 'IPv6', direction: 'egress' },
        '--protocol 89': { protocol: '89' },
        '--protocol tcp --dst-port 1 --remote-ip 10.0.0.5/24': { normalized_cidr: '10.0.0.0/24' },
      };
      for (const [options, rule] of Object.entries(rules)) {
        const made = await admin.one(`security group rule create ruled ${options}`);
        expect(made).toMatchObject({ security_group_id: group['id'], belongs_to_default_sg: false, ...rule });
        // Where there is none, the client writes out a remote_ip_prefix in what it shows.
        const shown = { ...made, remote_ip_prefix: expect.anything() };
        expect(await admin.one(`security group rule show ${made['id']}`)).toEqual(shown);
      }
      const ids = (options: string) => admin.column(`security group rule list ruled ${options}`, 'ID');
      expect(await ids('')).toHaveLength(10);
      expect(await ids('--egress')).toHaveLength(3);
      expect(await ids('--ingress')).toHaveLength(7);
      expect(await ids('--protocol tcp')).toHaveLength(4);
      expect(await admin.many('security group rule list ruled --protocol udp')).toEqual([
        {
          ID: expect.any(String),
          'IP Protocol': 'udp',
          Ethertype: 'IPv4',
          'IP Range': '0.0.0.0/0',
          'Port Range': '8000:8080',
          Direction: 'ingress',
          'Remote Security Group': other['id'],
          'Remote Address Group': null,
        },
      ]);
      const [udp] = await ids('--protocol udp');
      await admin.ok(`security group rule delete ${udp}`);
      expect(await ids('--protocol udp')).toEqual([]);
      await admin.ok('security group delete ruled other');
      await admin.ok('address group delete partners');
    });

    it('is refused with a reason, and so are its rules', async () => {
      const { admin, member } = cloud();
      await admin.ok('security group create strict');
      await admin.ok('security group rule create strict --protocol tcp --dst-port 22');
      const rule = 'security group rule create strict';
      const refusals: Readonly<Record<string, RegExp>> = {
        [`${rule} --protocol tcp --dst-port 22`]: /409.*rule already exists/,
        [`${rule} --protocol bogus`]: /400.*bogus/,
        [`${rule} --protocol 300`]: /400.*300/,
        [`${rule} --protocol udp --dst-port 70000`]: /400.*70000/,
        [`${rule} --dst-port 22`]: /400.*protocol/,
        [`${rule} --ethertype IPv4 --remote-ip fd00::/64`]: /400.*IPv4.*fd00::\/64/,
        [`${rule} --remote-ip nonsense`]: /400.*nonsense/,
        [`${rule} --remote-group none`]: /No SecurityGroup found for none/,
        'security group rule delete 11111111-1111-1111-1111-111111111111':
          /404.*could not be found|No SecurityGroupRule/,
      };
      for (const [line, reason] of Object.entries(refusals)) expect(await admin.refused(line)).toMatch(reason);
      expect(await member.refused('security group show strict')).toMatch(/No SecurityGroup found/);
      expect(await member.refused('security group delete default')).toMatch(/409.*default/i);
      await admin.ok('security group delete strict');
    });
  });

  describe('default security group rule', () => {
    it('is what new groups start with', async () => {
      const { admin, member } = cloud();
      const first = await admin.many('default security group rule list');
      expect(first).toHaveLength(4);
      const made = await admin.one(
        'default security group rule create --protocol tcp --dst-port 2222 --remote-ip 10.0.0.0/8 --for-custom-sg --description ssh',
      );
      expect(made).toMatchObject({
        protocol: 'tcp',
        direction: 'ingress',
        port_range_min: 2222,
        remote_ip_prefix: '10.0.0.0/8',
        used_in_default_sg: false,
        used_in_non_default_sg: true,
        description: 'ssh',
      });
      expect(await admin.one(`default security group rule show ${made['id']}`)).toEqual(made);
      expect(await admin.column('default security group rule list --protocol tcp', 'ID')).toEqual([made['id']]);
      expect(await admin.many('default security group rule list --ingress')).toHaveLength(3);
      await admin.ok('security group create starts-with');
      expect(await admin.column('security group rule list starts-with --protocol tcp', 'Port Range')).toEqual([
        '2222:2222',
      ]);
      expect(await member.refused('default security group rule create --protocol udp')).toMatch(/403.*policy/);
      await admin.ok(`default security group rule delete ${made['id']}`);
      expect(await admin.many('default security group rule list')).toEqual(first);
      await admin.ok('security group delete starts-with');
    });
  });

  describe('address group', () => {
    it('is created, changed, found and deleted', async () => {
      const { admin, acme } = cloud();
      expect(
        await admin.one(
          'address group create a-one --description "all of it" --address 10.1.0.0/24 --address fd00::/64',
        ),
      ).toMatchObject({ name: 'a-one', description: 'all of it', addresses: ['10.1.0.0/24', 'fd00::/64'] });
      expect(await admin.one('address group create a-two --project acme')).toMatchObject({
        addresses: [],
        project_id: acme,
      });
      expect(await admin.column('address group list')).toEqual(['a-one', 'a-two']);
      expect(await admin.column('address group list --name a-two')).toEqual(['a-two']);
      expect(await admin.column('address group list --project acme')).toEqual(['a-two']);
      await admin.ok('address group set a-one --name changed --description now --address 10.2.0.1');
      await admin.ok('address group unset changed --address 10.1.0.0/24');
      expect(await admin.one('address group show changed')).toMatchObject({
        description: 'now',
        addresses: ['10.2.0.1/32', 'fd00::/64'],
      });
      expect(await admin.refused('address group unset changed --address 10.9.0.0/24')).toMatch(/404.*10.9.0.0\/24/);
      expect(await admin.refused('address group set changed --address 10.2.0.1')).toMatch(/400.*10.2.0.1\/32/);
      await admin.ok('security group create uses-a');
      await admin.ok('security group rule create uses-a --remote-address-group changed');
      expect(await admin.refused('address group delete changed')).toMatch(/409.*in use/);
      await admin.ok('security group delete uses-a');
      await admin.ok('address group delete changed a-two');
      expect(await admin.column('address group list')).toEqual([]);
    });
  });
};
