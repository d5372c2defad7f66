import { describe, expect, test } from 'vitest';
import type { OptionSpec } from '#src/lib/config.ts';
import { allOptions, checkConfig, configFrom, loadConfig } from './mod.ts';

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: readonly OptionSpec[];
}

function load({ files = {}, env = {}, options = allOptions }: Given) {
  const readFile = async (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  };
  return loadConfig({ files: Object.keys(files), env, readFile, options });
}

const findings = async (given: Given) =>
  (await load(given)).findings.map(({ kind, file, line, message }) => ({ kind, file, line, message }));

describe('loadConfig() takes values', () => {
  test('from later files over earlier ones, and from the environment over all', async () => {
    const files = {
      a: '[DEFAULT]\napi_workers = 1\nrpc_workers = 1\nbind_port = 1',
      b: '[DEFAULT]\nrpc_workers = 2\nbind_port = 2',
    };
    const { config } = await load({
      files,
      env: { OS_DEFAULT__BIND_PORT: '3', OS_ML2_TYPE_VLAN__NETWORK_VLAN_RANGES: 'p:1:2' },
    });
    expect(['api_workers', 'rpc_workers', 'bind_port'].map((name) => config.integer('DEFAULT', name))).toEqual([
      1, 2, 3,
    ]);
    expect(config.list('ml2_type_vlan', 'network_vlan_ranges')).toEqual(['p:1:2']);
  });

  test('from the last of several in one file, but all of a multi option over all files', async () => {
    const file = (letter: string) =>
      `[DEFAULT]\nbind_port = 1\nbind_port = 2\n[service_providers]\nservice_provider = ${letter}1\nservice_provider = ${letter}2`;
    const { config } = await load({ files: { a: file('a'), b: file('b') } });
    expect(config.integer('DEFAULT', 'bind_port')).toBe(2);
    expect(config.list('service_providers', 'service_provider')).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  test('with references and escaped dollar signs replaced, through several steps and in defaults', async () => {
    const files = {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is oslo.config's syntax
      a: '[DEFAULT]\nstate_path = /s\n[embedded]\nstate_dir = $state_path/${mqtt.username}/$$x/\\$y/$5\n[mqtt]\nusername = u$bind_port',
    };
    const { config } = await load({ files });
    expect(config.string('embedded', 'state_dir')).toBe('/s/u9696/$x/$y/$5');
    expect(config.string('DEFAULT', 'dhcp_confs')).toBe('/s/dhcp');
  });

  test('under names with dashes, sections in any case, and former names', async () => {
    const { config } = await load({ files: { a: '[Nova]\nauth-url = http://k\n[ML2]\ntenant_network_types = vxlan' } });
    expect(config.string('nova', 'auth_url')).toBe('http://k');
    expect(config.list('ml2', 'project_network_types')).toEqual(['vxlan']);
  });

  test('and leaves defaults where nothing is set', async () => {
    const { config } = await load({});
    expect(config.isSet('DEFAULT', 'bind_port')).toBe(false);
    expect(config.integer('DEFAULT', 'bind_port')).toBe(9696);
    expect(config.optionalString('database', 'connection')).toBeNull();
    expect(() => config.string('database', 'connection')).toThrow('[database] connection is not set');
    expect(() => config.string('DEFAULT', 'bind_port')).toThrow('declared as another type');
    expect(() => config.string('DEFAULT', 'nonsense')).toThrow('no option table declares it');
  });

  test('of undeclared sections as written', async () => {
    const loaded = await load({ files: { a: '[pipeline:api]\nuse = mine.ts' } });
    expect(loaded.config.section('pipeline:api')).toEqual({ use: 'mine.ts' });
    expect(loaded.config.section('absent')).toEqual({});
    expect(loaded.findings).toEqual([]);
  });

  test('of options that a plugin declares', async () => {
    const option: OptionSpec = { group: 'mine', name: 'size', type: 'integer', default: 1, effective: true };
    const { config, findings } = await load({ files: { a: '[mine]\nsize = 2' }, options: [...allOptions, option] });
    expect([config.integer('mine', 'size'), findings]).toEqual([2, []]);
  });
});

describe('loadConfig() reports', () => {
  test('a value that is not allowed, with file, line, group, option, value and what is allowed', async () => {
    const { config, findings } = await load({ files: { 'n.conf': '[DEFAULT]\n\nrpc_workers = many' } });
    expect(findings).toEqual([
      {
        kind: 'error',
        group: 'DEFAULT',
        name: 'rpc_workers',
        file: 'n.conf',
        line: 3,
        message: '[DEFAULT] rpc_workers: "many" is not allowed; it must be an integer of at least 0',
      },
    ]);
    expect(config.optionalString('DEFAULT', 'rpc_workers')).toBeNull();
  });

  test('a wrong value of the environment', async () => {
    expect(await findings({ env: { OS_DEFAULT__DEBUG: 'maybe' } })).toMatchObject([
      { kind: 'error', file: 'environment', line: null },
    ]);
  });

  test('a file that cannot be read, and a line that cannot', async () => {
    const readFile = async (path: string) => {
      if (path === 'gone') throw new Error('no such file');
      return 'x = 1';
    };
    const { findings } = await loadConfig({ files: ['gone', 'odd'], env: {}, readFile, options: allOptions });
    expect(findings.map(({ kind, file, line }) => [kind, file, line])).toEqual([
      ['error', 'gone', null],
      ['error', 'odd', 1],
    ]);
  });

  test.each([
    [
      'an unknown option, with the nearest of its group',
      '[DEFAULT]\napi_worker = 1',
      'there is no option api_worker in [DEFAULT]; did you mean api_workers?',
    ],
    [
      'an option in the wrong group',
      '[DEFAULT]\ntype_drivers = vlan',
      'there is no option type_drivers in [DEFAULT]; did you mean type_drivers in [ml2]?',
    ],
    ['an option like no other', '[ml2]\nqqqqqqqqqq = 1', 'there is no option qqqqqqqqqq in [ml2]'],
    [
      'an unknown section once',
      '[ml3]\na = 1\nb = 2',
      'no option is known in section [ml3] (a and what follows it there); did you mean [ml2]?',
    ],
    [
      'DEFAULT in small letters',
      '[default]\ndebug = 1',
      'no option is known in section [default] (debug and what follows it there); did you mean [DEFAULT]?',
    ],
  ])('%s', async (_, text, message) => {
    expect(await findings({ files: { f: text } })).toEqual([{ kind: 'unknown', file: 'f', line: 2, message }]);
  });

  test('an unknown variable, but not those of clients', async () => {
    const env = { OS_AUTH_URL: 'http://k', OS_USERNAME: 'u', OS_DEFAULT__BIND_PROT: '1' };
    expect((await load({ env })).findings.map(({ nearest }) => nearest)).toEqual(['bind_port']);
  });

  test('an option without effect once, and a former name', async () => {
    const files = {
      a: '[DEFAULT]\ntransport_url = rabbit://u:p@h/',
      b: '[DEFAULT]\ntransport_url = rabbit://u:p@h/\n[ml2]\ntenant_network_types = vlan',
    };
    expect(await findings({ files })).toEqual([
      {
        kind: 'deprecated',
        file: 'b',
        line: 4,
        message: '[ml2] tenant_network_types is the former name of [ml2] project_network_types; write that',
      },
      { kind: 'without-effect', file: 'b', line: 2, message: '[DEFAULT] transport_url has no effect in Nucleon' },
    ]);
  });

  test('the section of a library that is not used once, whatever it holds', async () => {
    expect(await findings({ files: { a: '[oslo_messaging_rabbit]\nssl = true\nrabbit_password = hunter2' } })).toEqual([
      { kind: 'without-effect', file: 'a', line: 2, message: '[oslo_messaging_rabbit] has no effect in Nucleon' },
    ]);
  });

  test('a reference to nothing, and a circle', async () => {
    const messages = (
      await findings({ files: { a: '[mqtt]\nusername = $nope\nca_file = $cert_file\ncert_file = $ca_file' } })
    ).map(({ message }) => message);
    expect(messages).toEqual([
      '[mqtt] username: it refers to "$nope", which does not exist; write "$$" for a dollar sign',
      '[mqtt] cert_file: its value refers back to itself through "$ca_file"',
    ]);
  });
});

describe('secrets', () => {
  const files = {
    a: '[mqtt]\npassword = hunter2$nope\nurl = mqtt://me:hunter2@b\n[database]\nconnection = mysql+pymysql://n:hunter2@h/n\n[nova]\npassword = hunter2',
  };
  test('stay out of findings and of what is printed', async () => {
    const loaded = await load({ files });
    const { ok, lines } = checkConfig(loaded);
    expect(ok).toBe(false);
    expect(lines.join('\n')).not.toContain('hunter2');
    expect(lines).toContain('[mqtt] url = mqtt://me:***@b (a:3)');
    expect(lines).toContain('[nova] password = *** (a:7)');
    expect(
      lines.find((line) => line.startsWith('a:5: error: [database] connection names a database of the kind "mysql"')),
    ).toBeDefined();
  });
});

test('checkConfig() sums up a sound configuration', async () => {
  const { ok, lines } = checkConfig(await load({ files: { a: '[DEFAULT]\nbind_port = 1' } }));
  expect([ok, lines]).toEqual([true, ['[DEFAULT] bind_port = 1 (a:2)', '1 option set, 0 errors, 0 warnings']]);
});

test('configFrom() gives values without files and refuses unknown names', () => {
  const config = configFrom(allOptions, { DEFAULT: { api_workers: 2 } });
  expect([config.integer('DEFAULT', 'api_workers'), config.isSet('DEFAULT', 'api_workers')]).toEqual([2, true]);
  expect(() => configFrom(allOptions, { DEFAULT: { no: 2 } })).toThrow('no option table declares it');
});

test('the files of an ordinary deployment load without an error and without an unknown option', async () => {
  const neutron = `
[DEFAULT]
core_plugin = ml2
service_plugins = router,qos
auth_strategy = keystone
transport_url = rabbit://openstack:RABBIT@controller:5672/
state_path = /var/lib/neutron
api_workers = 4
rpc_state_report_workers=2
log_dir = /var/log/neutron
use_syslog = false
dhcp_agents_per_network = 2
notify_nova_on_port_status_changes = true
[agent]
root_helper = sudo neutron-rootwrap /etc/neutron/rootwrap.conf
[database]
connection = postgresql+psycopg2://neutron:SECRET@controller/neutron
max_pool_size = 10
[keystone_authtoken]
www_authenticate_uri = http://controller:5000
auth_url = http://controller:5000
memcached_servers = controller:11211
auth_type = password
project_domain_name = Default
user_domain_name = Default
project_name = service
username = neutron
password = SECRET
[nova]
auth-url = http://controller:5000
auth_type = password
password = SECRET
region_name = RegionOne
[oslo_concurrency]
lock_path = $state_path/lock
[oslo_messaging_rabbit]
heartbeat_in_pthread = false
[oslo_messaging_notifications]
driver = messagingv2
[oslo_policy]
policy_file = /etc/neutron/policy.yaml
[quotas]
quota_network = 200`;
  const ml2 = `
[ml2]
type_drivers = flat,vlan,vxlan
tenant_network_types = vxlan
mechanism_drivers = openvswitch,l2population
extension_drivers = port_security
physical_network_mtus = physnet1:1500,physnet2:9000
[ml2_type_flat]
flat_networks = provider
[ml2_type_vlan]
network_vlan_ranges = physnet1:100:199,physnet2
[ml2_type_vxlan]
vni_ranges = 1:1000
[securitygroup]
enable_ipset = true
[ovs]
bridge_mappings = provider:br-ex`;
  const loaded = await load({ files: { 'neutron.conf': neutron, 'ml2_conf.ini': ml2 } });
  expect(loaded.findings.filter(({ kind }) => kind === 'error' || kind === 'unknown')).toEqual([]);
  expect(checkConfig(loaded).ok).toBe(true);
  expect(loaded.config.dict('ml2', 'physical_network_mtus')).toEqual({ physnet1: '1500', physnet2: '9000' });
  expect(loaded.config.list('ml2', 'project_network_types')).toEqual(['vxlan']);
});
