/**
 * A new user's first session, driven by the real `openstack` client. NUCLEON_TEST_OPENSTACK names the client's executable;
 * without one there is nothing to drive and the suite is skipped.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Nucleon, until } from '../support/nucleon.ts';

const client = process.env['NUCLEON_TEST_OPENSTACK'];
const run = promisify(execFile);

/** The `OS_*` variables that the client logs in with. */
export type Login = Readonly<Record<string, string>>;
type Row = Readonly<Record<string, unknown>>;

/** Runs the client and gives what it prints. */
export async function openstack(login: Login, line: string): Promise<string> {
  if (client === undefined) throw new Error('NUCLEON_TEST_OPENSTACK is not set: there is no client to run');
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('OS_')));
  const { stdout } = await run(client, line.split(' '), { env: { ...environment, ...login }, timeout: 60_000 });
  return stdout;
}

export interface Scene {
  readonly server: Nucleon;
  readonly admin: Login;
  stop(): Promise<void>;
}

/** The session, on a server whose database is empty and whose Identity has an administrator. */
export function openstackSession(name: string, start: () => Promise<Scene>): void {
  describe.skipIf(client === undefined)(`the openstack client, ${name}`, () => {
    let scene: Scene;
    let server: Nucleon;
    let admin: Login;
    const project = `tenant-${crypto.randomUUID().slice(0, 8)}`;
    const user = `u1-${project}`;

    beforeAll(async () => {
      scene = await start();
      ({ server, admin } = scene);
    });
    afterAll(() => scene?.stop());

    const json = async (line: string, env = admin) => JSON.parse(await openstack(env, `${line} -f json`));
    const one = (line: string, env = admin): Promise<Row> => json(line, env);
    const many = (line: string, env = admin): Promise<readonly Row[]> => json(line, env);
    const refused = async (line: string, env = admin): Promise<string> => {
      const error: { stderr?: string } = await openstack(env, line).then(
        () => ({}),
        (failure) => failure,
      );
      return error.stderr ?? 'it was not refused';
    };

    it('builds the first network: network, subnet, port', async () => {
      const network = await one('network create lan');
      expect(network).toMatchObject({ name: 'lan', status: 'ACTIVE', admin_state_up: true, shared: false });
      const subnet = await one('subnet create --network lan --subnet-range 10.0.0.0/24 lan4');
      expect(subnet).toMatchObject({
        name: 'lan4',
        network_id: network['id'],
        cidr: '10.0.0.0/24',
        gateway_ip: '10.0.0.1',
        enable_dhcp: true,
        allocation_pools: [{ start: '10.0.0.2', end: '10.0.0.254' }],
      });
      const port = await one('port create --network lan p1');
      expect(port).toMatchObject({ name: 'p1', network_id: network['id'], status: 'DOWN' });
      expect(port['fixed_ips']).toEqual([
        { subnet_id: subnet['id'], ip_address: expect.stringMatching(/^10\.0\.0\.\d+$/) },
      ]);
      expect(await many('network list --long')).toEqual([
        expect.objectContaining({ ID: network['id'], Name: 'lan', Status: 'ACTIVE', Subnets: [subnet['id']] }),
      ]);
      expect(await one('port show p1')).toEqual(port);
      expect(await many('port list --network lan')).toHaveLength(1);
    });

    it('lists the extensions that are served', async () => {
      const aliases = (await many('extension list --network')).map((row) => row['Alias']);
      expect(aliases).toEqual(expect.arrayContaining(['agent', 'binding', 'provider', 'external-net', 'quotas']));
    });

    it('changes and deletes what it made', async () => {
      await openstack(admin, 'network create other');
      await openstack(admin, 'network set --name renamed --description changed other');
      expect(await one('network show renamed')).toMatchObject({ name: 'renamed', description: 'changed' });
      expect(await refused('network delete lan')).toMatch(/ports still in use on the network/);
      await openstack(admin, 'network delete renamed');
      expect(await refused('network show renamed')).toMatch(/No Network found for renamed/);
    });

    it('makes a tenant who sees only what is its own', async () => {
      await openstack(admin, `project create ${project}`);
      await openstack(admin, `user create --project ${project} --password s3cret-of-u1 ${user}`);
      await openstack(admin, `role add --project ${project} --user ${user} member`);
      const tenant = {
        ...admin,
        OS_USERNAME: user,
        OS_PASSWORD: 's3cret-of-u1',
        OS_PROJECT_NAME: project,
      };
      expect(await many('network list', tenant)).toEqual([]);
      const network = await one('network create mine', tenant);
      expect(network['provider:network_type']).toBeNull();
      expect(await many('network list', tenant)).toHaveLength(1);
      expect(await refused('network show lan', tenant)).toMatch(/No Network found for lan/);
      expect(await refused('network create --share everybody', tenant)).toMatch(/disallowed by policy|403/);
      expect(await refused('project create more', tenant)).toMatch(/403|not authorized/i);
    });

    it('refuses a wrong password, and a token that was revoked', async () => {
      expect(await refused('network list', { ...admin, OS_PASSWORD: 'wrong' })).toMatch(/401/);
      const { id } = (await one('token issue')) as { id: string };
      const withToken = () => fetch(`${server.url}/v2.0/networks`, { headers: { 'X-Auth-Token': id } });
      expect((await withToken()).status).toBe(200);
      await openstack(admin, `token revoke ${id}`);
      // Other workers hear of it within moments.
      await until('the revocation', async () => (await withToken()).status === 401);
    });
  });
}
