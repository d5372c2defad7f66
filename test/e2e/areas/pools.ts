/** `openstack address scope`, `openstack subnet pool`, and subnets that get their addresses from pools. */
import { describe, expect, it } from 'vitest';
import type { Area } from '../scene.ts';

export const pools: Area = (cloud) => {
  describe('address scope', () => {
    it('is created, found, renamed, shared and deleted', async () => {
      const { admin, adminProject, acme } = cloud();
      expect(await admin.one('address scope create scope4 --share')).toMatchObject({
        name: 'scope4',
        ip_version: 4,
        shared: true,
        project_id: adminProject,
      });
      const six = await admin.one('address scope create scope6 --ip-version 6 --project acme');
      expect(six).toMatchObject({ ip_version: 6, shared: false, project_id: acme });
      const table: Readonly<Record<string, readonly string[]>> = {
        '': ['scope4', 'scope6'],
        '--name scope6': ['scope6'],
        '--ip-version 4': ['scope4'],
        '--project acme': ['scope6'],
        '--share': ['scope4'],
        '--no-share': ['scope6'],
        '--limit 1': ['scope4', 'scope6'],
      };
      for (const [filter, names] of Object.entries(table)) {
        expect([filter, await admin.column(`address scope list ${filter}`)]).toEqual([filter, names]);
      }
      await admin.ok('address scope set scope6 --name renamed --share');
      expect(await admin.one('address scope show renamed')).toMatchObject({ id: six['id'], shared: true });
      expect(await admin.refused('address scope set renamed --no-share')).toMatch(/400.*shared/);
      await admin.ok('address scope delete scope4 renamed');
      expect(await admin.refused('address scope show renamed')).toMatch(/No AddressScope found for renamed/);
    });
  });

  describe('subnet pool', () => {
    it('is created with all that can be said of it, and changed', async () => {
      const { admin, adminProject } = cloud();
      const scope = await admin.one('address scope create pool-scope');
      const made = await admin.one(
        'subnet pool create pool --pool-prefix 10.128.0.0/16 --pool-prefix 10.130.0.0/16 --default-prefix-length 26 ' +
          '--min-prefix-length 24 --max-prefix-length 28 --address-scope pool-scope --default --default-quota 512 ' +
          '--description "all of it" --tag a --tag b',
      );
      expect(made).toMatchObject({
        name: 'pool',
        prefixes: ['10.128.0.0/16', '10.130.0.0/16'],
        default_prefixlen: 26,
        min_prefixlen: 24,
        max_prefixlen: 28,
        address_scope_id: scope['id'],
        is_default: true,
        default_quota: 512,
        shared: false,
        ip_version: 4,
        description: 'all of it',
        project_id: adminProject,
      });
      await admin.ok(
        'subnet pool set pool --name changed --pool-prefix 10.129.0.0/16 --default-prefix-length 27 --min-prefix-length 23 ' +
          '--max-prefix-length 29 --no-address-scope --no-default --default-quota 256 --description now --no-tag --tag c',
      );
      expect(await admin.one('subnet pool show changed')).toMatchObject({
        id: made['id'],
        // Neighbours are made one.
        prefixes: ['10.128.0.0/15', '10.130.0.0/16'],
        default_prefixlen: 27,
        min_prefixlen: 23,
        max_prefixlen: 29,
        address_scope_id: null,
        is_default: false,
        default_quota: 256,
        description: 'now',
        tags: ['c'],
      });
      await admin.ok('subnet pool unset changed --all-tag');
      expect(await admin.one('subnet pool show changed')).toMatchObject({ tags: [] });
      await admin.ok('subnet pool delete changed');
      await admin.ok('address scope delete pool-scope');
    });

    it('is found by every filter', async () => {
      const { admin } = cloud();
      await admin.ok('address scope create find-scope');
      await admin.ok(
        'subnet pool create l-one --pool-prefix 10.1.0.0/16 --address-scope find-scope --tag red --tag round',
      );
      await admin.ok('subnet pool create l-two --pool-prefix 10.2.0.0/16 --share --default --tag red');
      await admin.ok('subnet pool create l-six --pool-prefix fd00::/48 --project acme');
      const table: Readonly<Record<string, readonly string[]>> = {
        '': ['l-one', 'l-six', 'l-two'],
        '--name l-six': ['l-six'],
        '--share': ['l-two'],
        '--no-share': ['l-one', 'l-six'],
        '--default': ['l-two'],
        '--no-default': ['l-one', 'l-six'],
        '--project acme': ['l-six'],
        '--address-scope find-scope': ['l-one'],
        '--tags red': ['l-one', 'l-two'],
        '--any-tags round': ['l-one'],
        '--not-tags red,round': ['l-six', 'l-two'],
        '--not-any-tags red': ['l-six'],
        '--limit 2': ['l-one', 'l-six', 'l-two'],
      };
      for (const [filter, names] of Object.entries(table)) {
        expect([filter, await admin.column(`subnet pool list ${filter}`)]).toEqual([filter, names]);
      }
      expect(await admin.many('subnet pool list --long --name l-two')).toEqual([
        expect.objectContaining({
          Name: 'l-two',
          Prefixes: ['10.2.0.0/16'],
          Shared: true,
          'Default Subnet Pool': true,
        }),
      ]);
      await admin.ok('subnet pool delete l-one l-two l-six');
      await admin.ok('address scope delete find-scope');
    });

    it('gives subnets their addresses, and takes in those that there are', async () => {
      const { admin } = cloud();
      const scope = await admin.one('address scope create give-scope');
      const pool = await admin.one(
        'subnet pool create give --pool-prefix 10.128.0.0/20 --default-prefix-length 26 --address-scope give-scope --default',
      );
      await admin.ok('network create given');
      const given: Readonly<Record<string, string>> = {
        '--subnet-pool give': '10.128.0.0/26',
        '--use-default-subnet-pool': '10.128.0.64/26',
        '--subnet-pool give --prefix-length 25': '10.128.0.128/25',
        '--subnet-pool give --subnet-range 10.128.8.0/24': '10.128.8.0/24',
      };
      for (const [options, cidr] of Object.entries(given)) {
        expect(await admin.one(`subnet create g --network given ${options}`)).toMatchObject({
          cidr,
          subnetpool_id: pool['id'],
        });
      }
      expect(await admin.one('network show given')).toMatchObject({ ipv4_address_scope: scope['id'] });
      expect(await admin.many('subnet list --subnet-pool give')).toHaveLength(4);
      await admin.ok('network create taken-in');
      await admin.ok('subnet create was-there --network taken-in --subnet-range 172.20.0.0/24');
      await admin.ok('network onboard subnet taken-in give');
      expect(await admin.one('subnet show was-there')).toMatchObject({ subnetpool_id: pool['id'] });
      expect(await admin.one('subnet pool show give')).toMatchObject({ prefixes: ['10.128.0.0/20', '172.20.0.0/24'] });
      await admin.ok('network delete given taken-in');
      await admin.ok('subnet pool delete give');
      await admin.ok('address scope delete give-scope');
    });

    it('is refused with a reason', async () => {
      const { admin, member } = cloud();
      await admin.ok('address scope create bad-scope');
      await admin.ok(
        'subnet pool create bad --pool-prefix 10.128.0.0/16 --address-scope bad-scope --default --max-prefix-length 28 ' +
          '--default-quota 256',
      );
      await admin.ok('network create bad-pool');
      await admin.ok('subnet create b --network bad-pool --subnet-pool bad --prefix-length 25');
      const refusals: Readonly<Record<string, RegExp>> = {
        'subnet pool create no --pool-prefix 10.128.0.0/24 --address-scope bad-scope': /409.*overlap/,
        'subnet pool create no --pool-prefix fd00::/48 --address-scope bad-scope': /400.*ip_version/,
        'subnet pool create no --pool-prefix 10.1.0.0/16 --default': /400.*default/,
        'subnet pool create no --pool-prefix 10.1.0.0/16 --pool-prefix fd00::/48': /400.*IP version/,
        'subnet pool set bad --min-prefix-length 30': /400.*min_prefixlen/,
        'subnet create no --network bad-pool --subnet-pool bad --prefix-length 30': /400.*max_prefixlen is 28/,
        'subnet create no --network bad-pool --subnet-pool bad --prefix-length 24': /409.*default_quota of 256/,
        'subnet pool delete bad': /400.*subnets/,
        'address scope delete bad-scope': /409.*subnet pools/,
      };
      for (const [line, reason] of Object.entries(refusals)) expect(await admin.refused(line)).toMatch(reason);
      expect(await member.refused('subnet pool create no --pool-prefix 10.1.0.0/16 --share')).toMatch(/403.*policy/);
      await admin.ok('network delete bad-pool');
      await admin.ok('subnet pool delete bad');
      await admin.ok('address scope delete bad-scope');
    });
  });
};
