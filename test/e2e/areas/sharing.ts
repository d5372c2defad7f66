/** `openstack network rbac`: what one project lets others use; and what a member sees and may do. */
import { describe, expect, it } from 'vitest';
import type { Area } from '../scene.ts';

export const sharing: Area = (cloud) => {
  describe('network rbac', () => {
    it('shares every kind of object', async () => {
      const { admin, member, acme } = cloud();
      await admin.ok('address scope create shared-scope');
      await admin.ok('subnet pool create shared-pool --pool-prefix 10.7.0.0/16 --address-scope shared-scope');
      const kinds: Readonly<Record<string, readonly [create: string, show: string]>> = {
        network: ['network create shared', 'network show shared'],
        security_group: ['security group create shared', 'security group show shared'],
        address_group: ['address group create shared', 'address group show shared'],
        address_scope: ['address scope show shared-scope', 'address scope show shared-scope'],
        subnetpool: ['subnet pool show shared-pool', 'subnet pool show shared-pool'],
      };
      const policies: unknown[] = [];
      for (const [type, [create, show]] of Object.entries(kinds)) {
        const { id, name } = await admin.one(create);
        expect(await member.refused(show)).toMatch(/No \w+ found for/);
        const policy = await admin.one(
          `network rbac create --type ${type} --action access_as_shared --target-project acme ${name}`,
        );
        expect(policy).toMatchObject({ object_type: type, object_id: id, target_project_id: acme });
        expect(await member.one(show)).toMatchObject({ id });
        expect(await member.refused(show.replace(' show ', ' set --name mine-now '))).toMatch(
          // Of an address group Neutron says then that it is not there.
          type === 'address_group' ? /404/ : /403.*disallowed by policy/,
        );
        policies.push(policy['id']);
      }
      expect(await member.column('network list --share')).toEqual(['shared']);
      expect(await member.column('security group list --share')).toEqual(['shared']);
      for (const id of policies) await admin.ok(`network rbac delete ${id}`);
      for (const [, show] of Object.values(kinds)) expect(await member.refused(show)).toMatch(/No \w+ found for/);
      await admin.ok('network delete shared');
      await admin.ok('security group delete shared');
      await admin.ok('address group delete shared');
      await admin.ok('subnet pool delete shared-pool');
      await admin.ok('address scope delete shared-scope');
    });

    it('is found, shown, turned to another project, and deleted', async () => {
      const { admin, acme } = cloud();
      const network = await admin.one('network create policed');
      const { id: other } = await admin.one('project create other');
      const create = 'network rbac create --type network policed';
      const shared = await admin.one(`${create} --action access_as_shared --target-project acme`);
      const external = await admin.one(`${create} --action access_as_external --target-all-projects`);
      expect(external).toMatchObject({ action: 'access_as_external', target_project_id: '*' });
      expect(await admin.one('network show policed')).toMatchObject({ 'router:external': true, shared: false });
      const ids = (filter: string) => admin.column(`network rbac list ${filter}`, 'ID');
      expect(await ids('')).toEqual([shared['id'], external['id']].sort());
      expect(await ids('--type network')).toHaveLength(2);
      expect(await ids('--type security_group')).toEqual([]);
      expect(await ids('--action access_as_external')).toEqual([external['id']]);
      expect(await ids('--target-project acme')).toEqual([shared['id']]);
      expect(await admin.many(`network rbac list --long --target-project acme`)).toEqual([
        { ID: shared['id'], 'Object Type': 'network', 'Object ID': network['id'], Action: 'access_as_shared' },
      ]);
      await admin.ok(`network rbac set ${shared['id']} --target-project other`);
      expect(await admin.one(`network rbac show ${shared['id']}`)).toEqual({ ...shared, target_project_id: other });
      expect(await ids(`--target-project ${acme}`)).toEqual([]);
      await admin.ok(`network rbac delete ${shared['id']} ${external['id']}`);
      await admin.ok('network delete policed');
      await admin.ok('project delete other');
    });

    it('is refused with a reason', async () => {
      const { admin, member } = cloud();
      await admin.ok('network create guarded');
      await admin.ok('subnet create gu4 --network guarded --subnet-range 10.0.0.0/24');
      const create = 'network rbac create --type network --action access_as_shared';
      const { id } = await admin.one(`${create} --target-project acme guarded`);
      expect(await admin.refused(`${create} --target-project acme guarded`)).toMatch(/409.*already exists/);
      // Somebody relies on it.
      await member.ok('port create on-it --network guarded');
      expect(await admin.refused(`network rbac delete ${id}`)).toMatch(/409/);
      await member.ok('port delete on-it');
      await admin.ok(`network rbac delete ${id}`);
      await member.ok('network create own');
      expect(await member.refused(`${create} --target-all-projects own`)).toMatch(/403.*disallowed by policy/);
      expect(await member.refused(`${create} --target-project nobody own`)).toMatch(/400.*'nobody'/);
      await member.ok('network delete own');
      await admin.ok('network delete guarded');
    });
  });

  describe('a member', () => {
    it('uses what is shared, within the rules', async () => {
      const { admin, member } = cloud();
      await admin.ok('network create common --share');
      await admin.ok('subnet create co4 --network common --subnet-range 10.0.0.0/24');
      expect(await member.column('subnet list --network common')).toEqual(['co4']);
      expect(await member.one('port create mine --network common')).toMatchObject({ fixed_ips: [expect.anything()] });
      const create = 'port create no --network common';
      const refused = [
        `${create} --fixed-ip subnet=co4,ip-address=10.0.0.77`,
        `${create} --mac-address fa:16:3e:99:99:99`,
        `${create} --host compute1`,
        `${create} --device-owner network:dhcp`,
        `${create} --disable-port-security`,
        'subnet create no --network common --subnet-range 10.1.0.0/24',
        'network set common --name mine',
        'network set common --tag mine',
        'network create no --share',
        'network create no --external',
        'network create no --default',
        'network delete common',
      ];
      for (const line of refused)
        expect([line, await member.refused(line)]).toEqual([line, expect.stringMatching(/403/)]);
      await member.ok('port delete mine');
      await admin.ok('network delete common');
    });

    it('sees nothing that is for administrators', async () => {
      const { member } = cloud();
      expect(await member.many('network agent list')).toEqual([]);
      expect(await member.many('ip availability list')).toEqual([]);
      await member.ok('network create seen');
      const seen = await member.one('network show seen');
      expect(seen).toMatchObject({ 'provider:network_type': null, 'provider:segmentation_id': null });
      await member.ok('network delete seen');
    });
  });
};
