/**
 * The providers of services: those that `[service_providers] service_provider` names, `type:name:driver[:default]`, then those that
 * are there by themselves (neutron.services.provider_configuration, .l3_router.service_providers).
 */
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';

export interface ServiceProvider {
  readonly service_type: string;
  readonly name: string;
  readonly driver: string;
  readonly default: boolean;
}

const ROUTERS = 'L3_ROUTER_NAT';
const OF_ROUTERS = 'neutron.services.l3_router.service_providers';

/** By service type, the providers that this server has; a configuration may give them other names. */
const BUILT_IN: Readonly<Record<string, readonly Pick<ServiceProvider, 'name' | 'driver'>[]>> = {
  [ROUTERS]: [
    { name: 'dvrha', driver: `${OF_ROUTERS}.dvrha.DvrHaDriver` },
    { name: 'dvr', driver: `${OF_ROUTERS}.dvr.DvrDriver` },
    { name: 'ha', driver: `${OF_ROUTERS}.ha.HaDriver` },
    { name: 'single_node', driver: `${OF_ROUTERS}.single_node.SingleNodeDriver` },
  ],
};

function parse(text: string): ServiceProvider {
  const [service_type, name, driver, last = '', ...more] = text.split(':');
  if (!service_type || !name || !driver || more.length > 0 || (last !== '' && last !== 'default')) {
    throw new Error(
      `[service_providers] service_provider = ${text}: it is to be type:name:driver or type:name:driver:default`,
    );
  }
  if (name.length > 255) throw new Error(`[service_providers] service_provider = ${text}: its name is too long`);
  return { service_type, name: name.toLowerCase(), driver, default: last === 'default' };
}

function configured(config: Config, log: Logger): readonly ServiceProvider[] {
  const providers: ServiceProvider[] = [];
  for (const provider of config.list('service_providers', 'service_provider').map(parse)) {
    const { service_type, name, driver } = provider;
    const known = BUILT_IN[service_type];
    if (known === undefined) continue;
    if (!known.some((one) => one.driver === driver)) {
      log.warn('a service provider is not part of this release: it is left out', { service_type, name, driver });
      continue;
    }
    const twice = providers.find(
      (one) =>
        one.driver === driver ||
        (one.service_type === service_type && (one.name === name || (one.default && provider.default))),
    );
    if (twice !== undefined) {
      throw new Error(
        `[service_providers] service_provider: '${name}' of ${service_type} has the name or the driver of '${twice.name}', or is the default as it is: change one of them`,
      );
    }
    providers.push(provider);
  }
  return providers;
}

/** All providers, in the order that lists have. */
export function serviceProviders(config: Config, log: Logger): readonly ServiceProvider[] {
  const named = configured(config, log);
  const free = Object.entries(BUILT_IN).flatMap(([service_type, known]) =>
    known
      .filter(({ name, driver }) => !named.some((one) => one.driver === driver || one.name === name))
      .map(({ name, driver }) => ({ service_type, name, driver, default: false })),
  );
  return [...named, ...free];
}
