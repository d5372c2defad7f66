/**
 * The extension manager: loads the drivers of `[ml2] extension_drivers` and the attribute extensions that ML2 always has, and
 * joins what they add to each resource into one reading and one set of columns
 * (neutron.plugins.ml2.managers.ExtensionManager).
 */
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type {
  AttributeExtension,
  AttributeReading,
  ColumnValues,
  ExtensionDriver,
} from '#src/lib/ml2/extension_driver.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import { allowedAddressPairs } from '../extensions/allowed_address_pairs.ts';
import { extraDhcpOpts } from '../extensions/extra_dhcp_opts.ts';
import { portSecurity } from '../extensions/port_security.ts';
import { ABSENT_EXTENSIONS, namedDrivers } from './absent.ts';

const DRIVERS: Readonly<Record<string, ExtensionDriver>> = {
  port_security: portSecurity,
};
const ALWAYS: readonly ExtensionDriver[] = [allowedAddressPairs, extraDhcpOpts];

/** What all drivers together add to one resource. */
export interface ResourceExtensions {
  readonly attributes: Readonly<Record<string, AttributeReading>>;
  /** Appended to the reading's `from`. */
  readonly joins: string;
  /** Columns of the row beside the core's, with their SQL types. */
  readonly columns: Readonly<Record<string, string>>;
  readonly notifies: readonly string[];
  create(input: Parameters<NonNullable<AttributeExtension['create']>>[0]): ColumnValues;
  update(input: Parameters<NonNullable<AttributeExtension['update']>>[0]): ColumnValues;
  /** Whether `store` does anything. */
  readonly stores: boolean;
  store: NonNullable<AttributeExtension['store']>;
}

export interface ExtensionManager {
  readonly definitions: readonly ExtensionDefinition[];
  readonly networks: ResourceExtensions;
  readonly subnets: ResourceExtensions;
  readonly ports: ResourceExtensions;
}

/** `others`: what other plugins add to a collection of ML2's. */
export function createExtensionManager(
  config: Config,
  log: Logger,
  others: PluginHost['attributeExtensions'],
): ExtensionManager {
  const named = config.list('ml2', 'extension_drivers');
  const configured = namedDrivers(named, 'extension_drivers', DRIVERS, ABSENT_EXTENSIONS, log);
  const drivers = [...configured.map(([, driver]) => driver), ...ALWAYS];
  return {
    definitions: drivers.flatMap(({ extensions }) => extensions),
    networks: join([...drivers.map(({ networks }) => networks), ...others('networks')]),
    subnets: join([...drivers.map(({ subnets }) => subnets), ...others('subnets')]),
    ports: join([...drivers.map(({ ports }) => ports), ...others('ports')]),
  };
}

function join(given: readonly (AttributeExtension | undefined)[]): ResourceExtensions {
  const extensions = given.filter((extension) => extension !== undefined);
  const stores = extensions.filter(({ store }) => store !== undefined);
  return {
    attributes: Object.assign({}, ...extensions.map(({ attributes }) => attributes)),
    joins: extensions.map((extension) => (extension.join === undefined ? '' : ` ${extension.join}`)).join(''),
    columns: Object.assign({}, ...extensions.map(({ columns }) => columns ?? {})),
    notifies: extensions.flatMap(({ notifies }) => notifies ?? []),
    create: (input) => Object.assign({}, ...extensions.map((extension) => extension.create?.(input) ?? {})),
    update: (input) => Object.assign({}, ...extensions.map((extension) => extension.update?.(input) ?? {})),
    stores: stores.length > 0,
    async store(tx, context, written) {
      // All are called before any is waited for: their first statements are sent at once.
      const outcomes = await Promise.all(stores.map(({ store }) => store?.(tx, context, written)));
      return !outcomes.includes(false);
    },
  };
}
