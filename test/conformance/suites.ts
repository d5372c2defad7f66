/** The upstream suites: installed from PyPI into a virtual environment, told of the cloud, run by stestr, and their outcomes. */
import { type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cloud } from './cloud.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const REQUIREMENTS = join(HERE, 'requirements.txt');

/** The API tests of Neutron. */
export const ALL = '^(tempest\\.api\\.network\\.|neutron_tempest_plugin\\.api\\.)';

export interface Outcome {
  readonly id: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** The last lines of why it failed or was skipped. */
  readonly reason: string;
}

/** Where the suites are installed; what they write while they run is below it, too. */
export interface Suites {
  readonly folder: string;
  readonly python: string;
  readonly versions: string;
}

/** Installs what `requirements.txt` names, once. */
export async function install(folder: string, say: (line: string) => void): Promise<Suites> {
  const wanted = await readFile(REQUIREMENTS, 'utf8');
  const python = join(folder, 'venv', 'bin', 'python');
  const mark = join(folder, 'installed.txt');
  const versions = wanted.trim().split('\n').join(', ');
  if (existsSync(mark) && (await readFile(mark, 'utf8')) === wanted) return { folder, python, versions };
  say(`installing ${versions} into ${folder}`);
  await mkdir(folder, { recursive: true });
  await run('python3', ['-m', 'venv', '--clear', join(folder, 'venv')]);
  await run(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '-r', REQUIREMENTS]);
  await writeFile(mark, wanted);
  return { folder, python, versions };
}

/** What tempest is told of the cloud. */
function configuration(cloud: Cloud, folder: string): string {
  const sections: Readonly<Record<string, Readonly<Record<string, string | boolean | number>>>> = {
    DEFAULT: { log_dir: folder, log_file: 'tempest.log', use_stderr: false },
    oslo_concurrency: { lock_path: join(folder, 'lock') },
    auth: {
      ...{ use_dynamic_credentials: true, create_isolated_networks: false, tempest_roles: 'member' },
      ...{ admin_username: cloud.username, admin_password: cloud.password },
      ...{ admin_project_name: cloud.project, admin_domain_name: 'Default' },
    },
    identity: { uri_v3: cloud.authUrl, auth_version: 'v3', region: cloud.region, v3_endpoint_type: 'public' },
    'identity-feature-enabled': { api_v2: false },
    service_available: { neutron: true, nova: false, glance: false, cinder: false, swift: false, horizon: false },
    network: {
      ...{ region: cloud.region, endpoint_type: 'public', build_timeout: 60 },
      ...{ public_network_id: cloud.publicNetwork, floating_network_name: 'public' },
    },
    'network-feature-enabled': {
      ...{ ipv6: true, ipv6_subnet_attributes: true, floating_ips: true, port_security: true },
      ...{ port_admin_state_change: true, available_features: 'ipv6_metadata' },
      api_extensions: cloud.aliases.join(','),
    },
    validation: { run_validation: false },
    neutron_plugin_options: {
      ...{ provider_vlans: 'foo,', agent_availability_zone: 'nova', provider_net_base_segm_id: 1 },
      ...{ available_type_drivers: 'flat,geneve,vlan,gre,local,vxlan', q_agent: 'ovs' },
      ...{ firewall_driver: 'openvswitch', create_shared_resources: true },
    },
  };
  return Object.entries(sections)
    .map(
      ([name, options]) =>
        `[${name}]\n${Object.entries(options)
          .map((option) => option.join(' = '))
          .join('\n')}\n`,
    )
    .join('\n');
}

export interface Selection {
  /** A regular expression: those of the suites' API tests whose id it finds. */
  readonly only: string;
  /** Ids of tests; all that the expression finds unless told. */
  readonly among?: ReadonlySet<string>;
  readonly concurrency: number;
}

/** Runs the tests and gives an outcome for each. */
export async function runSuites(
  suites: Suites,
  cloud: Cloud,
  { only, among, concurrency }: Selection,
  say: (line: string) => void,
): Promise<readonly Outcome[]> {
  const work = join(suites.folder, 'run');
  await rm(work, { recursive: true, force: true });
  await mkdir(join(work, 'lock'), { recursive: true });
  await writeFile(join(work, 'tempest.conf'), configuration(cloud, work));
  const discovery = await run(suites.python, [
    '-c',
    'import os, tempest.test_discover as t; print(os.path.dirname(t.__file__))',
  ]);
  const tests = discovery.trim();
  const top = join(tests, '..', '..');
  // Tests of one class stay in one process: they share what its set-up has made.
  await writeFile(
    join(work, '.stestr.conf'),
    `[DEFAULT]\ntest_path=${tests}\ntop_dir=${top}\ngroup_regex=([^\\.]*\\.)*\n`,
  );
  const options = {
    cwd: work,
    env: {
      ...process.env,
      PYTHON: suites.python,
      PYTHONPATH: join(HERE, 'site'),
      PATH: `${join(suites.folder, 'venv', 'bin')}:${process.env['PATH']}`,
      TEMPEST_CONFIG_DIR: work,
      TEMPEST_CONFIG: 'tempest.conf',
      OS_TEST_TIMEOUT: '300',
    },
  };
  const stestr = (...args: readonly string[]) => run('stestr', args, options);
  await stestr('init');
  const listed = (await stestr('list', ALL)).split('\n').filter((line) => /^[\w.]+\.test_\w+/.test(line));
  const matching = new RegExp(only);
  const chosen = listed.filter((line) => matching.test(line) && (among?.has(idOf(line)) ?? true));
  say(`${chosen.length} tests, ${concurrency} at a time`);
  await writeFile(join(work, 'tests.txt'), `${chosen.join('\n')}\n`);
  await stestr('run', '--concurrency', String(concurrency), '--load-list', 'tests.txt').catch(() => {});
  const stream = join(work, 'last.subunit');
  await run('sh', ['-c', 'stestr last --subunit > last.subunit || true'], options);
  const told = await run('sh', ['-c', `"${suites.python}" "${join(HERE, 'outcomes.py')}" < "${stream}"`], options);
  return outcomesOf(chosen.map(idOf), told);
}

const idOf = (line: string): string => line.replace(/\[.*/, '').trim();

interface Told extends Outcome {
  readonly class: boolean;
}

/** A class that could not be set up stands for each of its tests. */
function outcomesOf(ids: readonly string[], told: string): readonly Outcome[] {
  const all = told
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told);
  const tests = new Map(all.filter((one) => !one.class).map((one) => [one.id, one]));
  const classes = new Map(all.filter((one) => one.class && one.status !== 'passed').map((one) => [one.id, one]));
  return ids.map((id) => {
    const { status, reason } = tests.get(id) ??
      classes.get(id.slice(0, id.lastIndexOf('.'))) ?? { status: 'failed', reason: 'it was not run' };
    return { id, status, reason };
  });
}

/** Runs a command to its end and gives what it writes; throws with what it complained of. */
async function run(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: exit ${code}\n${err.slice(-2000)}${out.slice(-2000)}`);
  return out;
}
