/** Which extensions each driver of `[ml2] extension_drivers` serves, and in which order. */
import { expect, test } from 'vitest';
import { inOrder, serveExtensions } from '#src/api/router/extensions.ts';
import { allOptions, configFrom, loadConfig } from '#src/config/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import type { Config } from '#src/lib/config.ts';
import type { Database } from '#src/lib/database.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { assemble } from '#src/server/assembly.ts';
import { loadModules } from '#src/server/registry.ts';

/** Plugins say what they serve without asking the database. */
const noDatabase = {} as Database;

async function served(config: Config) {
  const base = { config, log: silentLogger };
  const modules = await loadModules(base);
  const { plugins } = await assemble({ ...base, modules, db: noDatabase, metrics: silentMetrics, clock: systemClock });
  return serveExtensions(plugins);
}
const withDrivers = (...extension_drivers: string[]) => served(configFrom(allOptions, { ml2: { extension_drivers } }));

const NUMA = ['port-numa-affinity-policy', 'port-numa-affinity-policy-socket'];
const DNS = ['dns-integration', 'dns-domain-ports', 'subnet-dns-publish-fixed-ip', 'dns-integration-domain-keywords'];

test.each<[string, string[]]>([
  ['port_security', ['port-security']],
  ['data_plane_status', ['data-plane-status']],
  ['dns', DNS.slice(0, 1)],
  ['dns_domain_ports', DNS.slice(0, 2)],
  ['subnet_dns_publish_fixed_ip', DNS.slice(0, 3)],
  ['dns_domain_keywords', DNS],
  ['port_device_profile', ['port-device-profile']],
  ['port_hardware_offload_type', ['port-hardware-offload-type']],
  ['port_hints', ['port-hints']],
  ['port_numa_affinity_policy', NUMA],
  ['port_trusted', ['port-trusted-vif']],
  ['tag_ports_during_bulk_creation', ['tag-ports-during-bulk-creation']],
  ['uplink_status_propagation', ['uplink-status-propagation']],
])('%s serves %j', async (driver, aliases) => {
  const without = await withDrivers();
  const added = [...(await withDrivers(driver)).keys()].filter((alias) => !without.has(alias));
  expect(added.toSorted()).toEqual(aliases.toSorted());
});

test.each([
  ['uplink_status_propagation_updatable', 'uplink-status-propagation'],
  ['port_hint_ovs_tx_steering', 'port-hints'],
])('%s alone does not start: %s is missing', async (driver, missing) => {
  await expect(withDrivers(driver)).rejects.toThrow(`Extensions not found: '${missing}'`);
});

test('several drivers of DNS serve each extension once', async () => {
  const aliases = [...(await withDrivers('dns', 'dns_domain_keywords', 'dns_domain_ports')).keys()];
  expect(aliases.filter((alias) => alias === 'dns-integration')).toHaveLength(1);
});

test('an extension stands behind those that it builds on, whatever was configured first', async () => {
  const drivers = [
    'uplink_status_propagation_updatable',
    'port_hint_ovs_tx_steering',
    'uplink_status_propagation',
    'port_hints',
  ];
  const aliases = inOrder(await withDrivers(...drivers)).map(({ definition }) => definition.alias);
  const place = (alias: string) => aliases.indexOf(alias);
  expect(place('uplink-status-propagation-updatable')).toBeGreaterThan(place('uplink-status-propagation'));
  expect(place('port-hint-ovs-tx-steering')).toBeGreaterThan(place('port-hints'));
});

test('without a configuration file all drivers are loaded, unless the environment names some', async () => {
  const load = async (env: Readonly<Record<string, string>>, files: readonly string[] = []) => {
    const { config } = await loadConfig({ files, env, readFile: async () => '', options: allOptions });
    return config.list('ml2', 'extension_drivers');
  };
  const all = await withDrivers(...(await load({})));
  for (const alias of ['port-security', 'port-hint-ovs-tx-steering', ...DNS, ...NUMA])
    expect(all.has(alias)).toBe(true);
  expect(await load({ OS_ML2__EXTENSION_DRIVERS: 'dns' })).toEqual(['dns']);
  expect(await load({}, ['neutron.conf'])).toEqual([]);
});
