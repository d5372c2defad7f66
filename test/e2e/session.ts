/** A new user's first session with the client, for whatever the server stands on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Nucleon, until } from '../support/nucleon.ts';
import { Client, executable, type Login, openstack } from './client.ts';

export interface Scene {
  readonly server: Nucleon;
  readonly admin: Login;
  stop(): Promise<void>;
}

/** The session, on a server whose database is empty and whose Identity has an administrator. */
export function openstackSession(name: string, start: () => Promise<Scene>): void {
  describe.skipIf(executable === undefined)(`the openstack client, ${name}`, () => {
    let scene: Scene;
    let admin: Client;
    const clients: Client[] = [];
    const project = `tenant-${crypto.randomUUID().slice(0, 8)}`;
    const user = `u1-${project}`;

    const login = (as: Login): Client => {
      const client = new Client(as);
      clients.push(client);
      return client;
    };

    beforeAll(async () => {
      scene = await start();
      admin = login(scene.admin);
    });
    afterAll(async () => {
      await Promise.all(clients.map((client) => client.stop()));
      await scene?.stop();
    });

    it('builds the first network: network, subnet, port', async () => {
      // As a person does it, not through our loop of commands.
      const network = JSON.parse(await openstack(scene.admin, 'network create lan -f json'));
      expect(network).toMatchObject({ name: 'lan', status: 'ACTIVE', admin_state_up: true, shared: false });
      const subnet = await admin.one('subnet create --network lan --subnet-range 10.0.0.0/24 lan4');
      expect(subnet).toMatchObject({
        name: 'lan4',
        network_id: network.id,
        cidr: '10.0.0.0/24',
        gateway_ip: '10.0.0.1',
        enable_dhcp: true,
        allocation_pools: [{ start: '10.0.0.2', end: '10.0.0.254' }],
      });
      const port = await admin.one('port create --network lan p1');
      expect(port).toMatchObject({ name: 'p1', network_id: network.id, status: 'DOWN' });
      expect(port['fixed_ips']).toEqual([
        { subnet_id: subnet['id'], ip_address: expect.stringMatching(/^10\.0\.0\.\d+$/) },
      ]);
      expect(await admin.many('network list --long')).toEqual([
        expect.objectContaining({ ID: network.id, Name: 'lan', Status: 'ACTIVE', Subnets: [subnet['id']] }),
      ]);
      expect(await admin.one('port show p1')).toEqual(port);
      expect(await admin.many('port list --network lan')).toHaveLength(1);
    });

    it('lists the extensions that are served', async () => {
      const aliases = await admin.column('extension list --network', 'Alias');
      expect(aliases).toEqual(expect.arrayContaining(['agent', 'binding', 'provider', 'external-net', 'quotas']));
    });

    it('changes and deletes what it made', async () => {
      await admin.ok('network create other');
      await admin.ok('network set --name renamed --description changed other');
      expect(await admin.one('network show renamed')).toMatchObject({ name: 'renamed', description: 'changed' });
      expect(await admin.refused('network delete lan')).toMatch(/ports still in use on the network/);
      await admin.ok('network delete renamed');
      expect(await admin.refused('network show renamed')).toMatch(/No Network found for renamed/);
    });

    it('makes a tenant who sees only what is its own', async () => {
      await admin.ok(`project create ${project}`);
      await admin.ok(`user create --project ${project} --password s3cret-of-u1 ${user}`);
      await admin.ok(`role add --project ${project} --user ${user} member`);
      const tenant = login({
        ...scene.admin,
        OS_USERNAME: user,
        OS_PASSWORD: 's3cret-of-u1',
        OS_PROJECT_NAME: project,
      });
      expect(await tenant.many('network list')).toEqual([]);
      const network = await tenant.one('network create mine');
      expect(network['provider:network_type']).toBeNull();
      expect(await tenant.many('network list')).toHaveLength(1);
      expect(await tenant.refused('network show lan')).toMatch(/No Network found for lan/);
      expect(await tenant.refused('network create --share everybody')).toMatch(/disallowed by policy|403/);
      expect(await tenant.refused('project create more')).toMatch(/403|not authorized/i);
    });

    it('refuses a wrong password, and a token that was revoked', async () => {
      const stranger = login({ ...scene.admin, OS_PASSWORD: 'wrong' });
      expect(await stranger.refused('network list')).toMatch(/401/);
      const { id } = (await admin.one('token issue')) as { id: string };
      const withToken = () => fetch(`${scene.server.url}/v2.0/networks`, { headers: { 'X-Auth-Token': id } });
      expect((await withToken()).status).toBe(200);
      // Not with the process whose own token it is.
      await openstack(scene.admin, `token revoke ${id}`);
      // Other workers hear of it within moments.
      await until('the revocation', async () => (await withToken()).status === 401);
    });
  });
}
