/**
 * A server with what a cloud's administrator configures: physical networks, tunnels, segments, agents that have reported. The
 * areas are told by `areas/`; each uses names of its own.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EXTENSION_DRIVERS } from '#src/config/options/without_files.ts';
import type { Lifetime } from '#src/lib/lifetime.ts';
import { ROOT } from '../docs/support/markdown.ts';
import { type Nucleon, startNucleon, until } from '../support/nucleon.ts';
import { Client, type Login } from './client.ts';

const NEUTRON_CONF = `
[DEFAULT]
core_plugin = ml2
service_plugins = segments,router,port_forwarding,conntrack_helper,ndp_proxy
dns_domain = cloud.example.
vlan_transparent = true
agent_down_time = 3600
`;

const ML2_CONF = `
[ml2]
type_drivers = local,flat,vlan,gre,vxlan,geneve
project_network_types = vxlan
extension_drivers = ${EXTENSION_DRIVERS.join(',')}
[ml2_type_flat]
flat_networks = physnet1,physnet2
[ml2_type_vlan]
network_vlan_ranges = physnet1:100:199,physnet2
[ml2_type_gre]
tunnel_id_ranges = 1:1000
[ml2_type_vxlan]
vni_ranges = 1:1000
[ml2_type_geneve]
vni_ranges = 1:1000
`;

const AGENTS = [
  ['Open vSwitch agent', 'neutron-openvswitch-agent', 'compute1', 'N/A', { bridge_mappings: { physnet1: 'br-ex' } }],
  ['DHCP agent', 'neutron-dhcp-agent', 'network1', 'dhcp_agent', { networks: 0 }],
] as const;

/** What an area drives, and what it needs to know. */
export interface Cloud {
  readonly server: Nucleon;
  readonly admin: Client;
  /** A member of the project `acme`. */
  readonly member: Client;
  readonly adminLogin: Login;
  readonly adminProject: string;
  readonly acme: string;
}

/** Declares the tests of an area; the cloud is there when they run. */
export type Area = (cloud: () => Cloud) => void;

const run = promisify(execFile);

/** Has an agent report itself, with the command for debugging RPC. */
async function report(server: Nucleon, [agent_type, binary, host, topic, configurations]: (typeof AGENTS)[number]) {
  const agent = { agent_type, binary, host, topic, configurations, availability_zone: 'nova', start_flag: true };
  const args = { time: new Date().toISOString().replace('Z', '000'), agent_state: { agent_state: agent } };
  const call = ['rpc', 'call', 'q-reports-plugin', 'report_state', JSON.stringify(args), '--host', host];
  await run('node', ['bin/nucleon.mjs', ...call, '--version', '1.2'], {
    cwd: ROOT,
    env: { ...process.env, OS_EMBEDDED__STATE_DIR: server.stateDir },
    timeout: 30_000,
  });
}

/** Starts everything; `life` stops it. */
export async function startCloud(life: Lifetime): Promise<Cloud> {
  const folder = await mkdtemp(join(tmpdir(), 'nucleon-e2e-'));
  life.onStop(() => rm(folder, { recursive: true, force: true }));
  const files = { 'neutron.conf': NEUTRON_CONF, 'ml2_conf.ini': ML2_CONF };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const server = life.add(
    await startNucleon({
      args: Object.keys(files).flatMap((name) => ['--config-file', join(folder, name)]),
      env: { OS_DEFAULT__API_WORKERS: '1', OS_DEFAULT__RPC_WORKERS: '1' },
    }),
  );
  const adminLogin = await server.openrc();
  const admin = life.add(new Client(adminLogin));
  const adminProject = String((await admin.one('project show admin'))['id']);
  const acme = String((await admin.one('project create acme'))['id']);
  await admin.ok('user create --project acme --password of-wile wile');
  await admin.ok('role add --project acme --user wile member');
  const login = { ...adminLogin, OS_USERNAME: 'wile', OS_PASSWORD: 'of-wile', OS_PROJECT_NAME: 'acme' };
  const member = life.add(new Client(login));
  await until('all workers', async () => server.output().includes('all workers are ready'));
  for (const agent of AGENTS) await report(server, agent);
  return { server, admin, member, adminLogin, adminProject, acme };
}
