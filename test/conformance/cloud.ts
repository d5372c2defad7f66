/** The cloud that the suites are run against: a server with its embedded services, simulated agents on two hosts, `public`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { COMMANDS, type Nucleon, startNucleon, until } from '../support/nucleon.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOSTS = ['host1', 'host2'];
/** On each host: L2, DHCP, L3 and metadata. */
const AGENTS = HOSTS.length * 4;

/** What the suites expect of a cloud: all type drivers, two physical networks, the drivers that keep what clients say. */
const OPTIONS = {
  OS_DEFAULT__API_WORKERS: '2',
  OS_DEFAULT__DNS_DOMAIN: 'openstack.example.',
  // Classes of tests keep what they make to their end.
  OS_QUOTAS__QUOTA_ROUTER: '50',
  OS_ML2__TYPE_DRIVERS: 'flat,vlan,vxlan,gre,geneve,local',
  OS_ML2__TENANT_NETWORK_TYPES: 'vxlan',
  OS_ML2_TYPE_VLAN__NETWORK_VLAN_RANGES: 'foo:1:4000,public',
  OS_ML2_TYPE_FLAT__FLAT_NETWORKS: '*',
  OS_ML2_TYPE_VXLAN__VNI_RANGES: '1:100000',
  OS_ML2_TYPE_GRE__TUNNEL_ID_RANGES: '1:100000',
  OS_ML2_TYPE_GENEVE__VNI_RANGES: '1:100000',
} as const;

export interface Cloud {
  /** `http://127.0.0.1:<port>/identity/v3` */
  readonly authUrl: string;
  readonly username: string;
  readonly password: string;
  readonly project: string;
  readonly region: string;
  readonly publicNetwork: string;
  /** Aliases of the extensions that are served. */
  readonly aliases: readonly string[];
  stop(): Promise<void>;
}

/** A caller of the API as the cloud's administrator. */
class Administrator {
  readonly #url: string;
  readonly #token: string;

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  static async of(server: Nucleon, openrc: Readonly<Record<string, string>>): Promise<Administrator> {
    const domain = { name: 'Default' };
    const user = { name: openrc['OS_USERNAME'], password: openrc['OS_PASSWORD'], domain };
    const auth = {
      identity: { methods: ['password'], password: { user } },
      scope: { project: { name: openrc['OS_PROJECT_NAME'], domain } },
    };
    const answer = await fetch(`${openrc['OS_AUTH_URL']}/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ auth }),
    });
    const token = answer.headers.get('X-Subject-Token');
    if (token === null) throw new Error(`no token from ${server.url}: ${answer.status} ${await answer.text()}`);
    return new Administrator(server.url, token);
  }

  async call(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(`${this.#url}/v2.0/${path}`, {
      method,
      headers: { 'X-Auth-Token': this.#token, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }
}

/** Starts it in a state directory of its own, removed at the end. */
export async function startCloud(extra: Readonly<Record<string, string>> = {}): Promise<Cloud> {
  const env = { ...OPTIONS, ...extra };
  const server = await startNucleon({ env, patienceMs: 60_000 });
  const agents: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all(agents.map(ended));
    await server.stop();
  };
  try {
    const openrc = await server.openrc();
    for (const host of HOSTS) agents.push(simulated({ ...env, OS_EMBEDDED__STATE_DIR: server.stateDir }, host));
    const administrator = await Administrator.of(server, openrc);
    await until(
      'the agents',
      async () => {
        const { agents: known } = (await administrator.call('GET', 'agents?alive=true')) as {
          agents: readonly unknown[];
        };
        return known.length >= AGENTS;
      },
      120_000,
    );
    const { extensions } = (await administrator.call('GET', 'extensions')) as {
      extensions: readonly { readonly alias: string }[];
    };
    return {
      authUrl: openrc['OS_AUTH_URL'] ?? '',
      username: openrc['OS_USERNAME'] ?? '',
      password: openrc['OS_PASSWORD'] ?? '',
      project: openrc['OS_PROJECT_NAME'] ?? '',
      region: openrc['OS_REGION_NAME'] ?? '',
      publicNetwork: await makePublic(administrator),
      aliases: extensions.map(({ alias }) => alias),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function makePublic(administrator: Administrator): Promise<string> {
  const { network } = (await administrator.call('POST', 'networks', {
    network: {
      name: 'public',
      'router:external': true,
      'provider:network_type': 'flat',
      'provider:physical_network': 'public',
    },
  })) as { network: { readonly id: string } };
  const common = { network_id: network.id, enable_dhcp: false };
  const ipv4 = { ip_version: 4, cidr: '172.24.0.0/20', gateway_ip: '172.24.0.1' };
  const ipv6 = { ip_version: 6, cidr: '2001:db8::/64', gateway_ip: '2001:db8::2' };
  for (const subnet of [ipv4, ipv6]) await administrator.call('POST', 'subnets', { subnet: { ...common, ...subnet } });
  return network.id;
}

function simulated(env: Readonly<Record<string, string>>, host: string): ChildProcess {
  const [command, ...first] = COMMANDS.node;
  const networks = ['public:br-ex', 'foo:br-foo'].flatMap((one) => ['--physical-network', one]);
  const args = [...first, 'agent', 'simulated', '--host', host, ...networks];
  return spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: 'ignore' });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await end;
}
