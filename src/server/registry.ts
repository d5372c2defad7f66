/**
 * From the names in `core_plugin` and `service_plugins` to plugins. Ours go by Neutron's short names (and by the class
 * paths that old configurations carry); anything else is a module of somebody else's: a package, or an absolute path.
 * Only what is configured is imported.
 */
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import { nearest } from '#src/lib/nearest.ts';
import type { PluginModule } from '#src/lib/plugin.ts';

type Load = () => Promise<PluginModule>;

const CORE_PLUGINS: Readonly<Record<string, Load>> = {
  ml2: async () => (await import('#src/plugins/ml2/mod.ts')).default,
};

/**
 * Loaded with every core plugin: what Neutron's core plugins inherit (security groups, subnet pools, ...), and its default
 * service plugins. They may be named in `service_plugins`, too.
 */
const ALWAYS: Readonly<Record<string, Load>> = {
  address_groups: async () => (await import('#src/services/address_groups/mod.ts')).default,
  address_scopes: async () => (await import('#src/services/address_scopes/mod.ts')).default,
  auto_allocate: async () => (await import('#src/services/auto_allocate/mod.ts')).default,
  flavors: async () => (await import('#src/services/flavors/mod.ts')).default,
  network_ip_availability: async () => (await import('#src/services/network_ip_availability/mod.ts')).default,
  nova_notifier: async () => (await import('#src/services/nova_notifier/mod.ts')).default,
  rbac: async () => (await import('#src/services/rbac/mod.ts')).default,
  security_groups: async () => (await import('#src/services/security_groups/mod.ts')).default,
  subnet_pools: async () => (await import('#src/services/subnet_pools/mod.ts')).default,
  tag: async () => (await import('#src/services/tag/mod.ts')).default,
};

const SERVICE_PLUGINS: Readonly<Record<string, Load>> = {
  conntrack_helper: async () => (await import('#src/services/conntrack_helper/mod.ts')).default,
  ndp_proxy: async () => (await import('#src/services/ndp_proxy/mod.ts')).default,
  port_forwarding: async () => (await import('#src/services/port_forwarding/mod.ts')).default,
  router: async () => (await import('#src/services/router/mod.ts')).default,
  segments: async () => (await import('#src/services/segments/mod.ts')).default,
};

/** Class paths of the reference implementation that stand in existing configuration files. */
const CLASS_PATHS: Readonly<Record<string, string>> = {
  'neutron.services.auto_allocate.plugin.Plugin': 'auto_allocate',
  'neutron.services.flavors.flavors_plugin.FlavorsPlugin': 'flavors',
  'neutron.plugins.ml2.plugin.Ml2Plugin': 'ml2',
  'neutron.services.conntrack_helper.plugin.Plugin': 'conntrack_helper',
  'neutron.services.l3_router.l3_router_plugin.L3RouterPlugin': 'router',
  'neutron.services.ndp_proxy.plugin.NDPProxyPlugin': 'ndp_proxy',
  'neutron.services.network_ip_availability.plugin.NetworkIPAvailabilityPlugin': 'network_ip_availability',
  'neutron.services.portforwarding.pf_plugin.PortForwardingPlugin': 'port_forwarding',
  'neutron.services.segments.plugin.Plugin': 'segments',
};

/** Service plugins of Neutron's whose API the core plugin serves here. */
const IN_THE_CORE: ReadonlySet<string> = new Set(['revisions', 'timestamp']);

/**
 * Service plugins of Neutron's that this release does not have. Naming one starts the server without it, so that an
 * existing neutron.conf works for the rest; the log says what is absent.
 */
// biome-ignore format: a table of names
const ABSENT: ReadonlySet<string> = new Set([
  'bgp', 'bgpvpn', 'evpn', 'firewall_v2', 'flow_classifier', 'l2gw',
  'local_ip', 'log', 'metering', 'network_segment_range', 'ovn-router', 'placement',
  'pvlan', 'qos', 'sfc', 'taas', 'tapmirror', 'trunk', 'vpnaas',
]);
/** The same by their Python classes: `neutron.services.l3_router.l3_router_plugin.L3RouterPlugin`. */
const PYTHON_CLASS = /^(neutron|networking)[a-z_]*(\.\w+)+$/;
const isAbsent = (name: string): boolean => ABSENT.has(name) || PYTHON_CLASS.test(name);

export interface RegistryOptions {
  /** `[DEFAULT] core_plugin` and `service_plugins` are read. */
  readonly config: Config;
  readonly log: Logger;
}

/** A module that was named in the configuration, and the name it goes by in logs. */
export interface LoadedModule {
  readonly name: string;
  readonly module: PluginModule;
}

/** Whether a name can be a package or a path; ours and Neutron's short names cannot. */
function isSpecifier(name: string): boolean {
  return /[/.:@-]/.test(name) && !isAbsent(name);
}

async function loadForeign(name: string): Promise<PluginModule> {
  const specifier = name.startsWith('/') ? new URL(`file://${name}`).href : name;
  let loaded: { readonly default?: unknown };
  try {
    loaded = await import(specifier);
  } catch (error) {
    throw new Error(
      `the plugin module '${name}' cannot be loaded: name an installed package or give an absolute path to its module`,
      { cause: error },
    );
  }
  const module = loaded.default as Partial<PluginModule> | undefined;
  if (typeof module?.create !== 'function') {
    throw new Error(`the plugin module '${name}' has no default export with a create(host) function`);
  }
  return module as PluginModule;
}

async function load(kind: string, known: Readonly<Record<string, Load>>, name: string): Promise<LoadedModule> {
  const short = CLASS_PATHS[name] ?? name;
  const own = Object.hasOwn(known, short) ? known[short] : undefined;
  if (own !== undefined) return { name: short, module: await own() };
  if (isSpecifier(short)) return { name: short, module: await loadForeign(short) };
  const near = nearest(short, Object.keys(known));
  throw new Error(
    `${kind} '${name}' is unknown${near === undefined ? '' : `, did you mean '${near}'?`} ` +
      `Known: ${Object.keys(known).join(', ') || 'none'}; or name a package or an absolute path to a module.`,
  );
}

/** Imports only those configured modules that are somebody else's: who migrates needs no more. */
export async function loadForeignModules({
  config,
}: Pick<RegistryOptions, 'config'>): Promise<readonly LoadedModule[]> {
  const names = [config.string('DEFAULT', 'core_plugin'), ...config.list('DEFAULT', 'service_plugins')];
  const foreign = [...new Set(names)].filter((name) => !Object.hasOwn(CLASS_PATHS, name) && isSpecifier(name));
  return Promise.all(foreign.map(async (name) => ({ name, module: await loadForeign(name) })));
}

/** Imports the configured plugins' modules, the core plugin first. */
export async function loadModules({ config, log }: RegistryOptions): Promise<readonly LoadedModule[]> {
  const modules = [await load('core_plugin', CORE_PLUGINS, config.string('DEFAULT', 'core_plugin'))];
  for (const name of Object.keys(ALWAYS)) modules.push(await load('part of the core', ALWAYS, name));
  const named = config.list('DEFAULT', 'service_plugins').map((name) => CLASS_PATHS[name] ?? name);
  for (const name of new Set(named)) {
    if (IN_THE_CORE.has(name) || Object.hasOwn(ALWAYS, name)) continue;
    if (!Object.hasOwn(SERVICE_PLUGINS, name) && isAbsent(name)) {
      log.warn('service plugin is not part of this release: its API is absent', { plugin: name });
      continue;
    }
    modules.push(await load('service plugin', SERVICE_PLUGINS, name));
  }
  return modules;
}
