/** The verbs of providers: what there is, and which of them serves a flavor. */
import type { PluginHost, Resource, ResourceList, Verb } from '#src/lib/plugin.ts';
import {
  FlavorDisabled,
  FlavorNotFound,
  FlavorServiceProfileBindingNotFound,
  ServiceProfileDisabled,
  ServiceProfileDriverNotFound,
} from './errors.ts';
import type { ServiceProvider } from './providers.ts';
import { offerOf } from './store.ts';

type Host = Pick<PluginHost, 'db' | 'plugins'>;

export function providerVerbs(host: Host, providers: readonly ServiceProvider[]): Readonly<Record<string, Verb>> {
  return {
    async get_service_providers(_context, { query = { filters: [], sorts: [], reverse: false } }) {
      const served = providers.filter(({ service_type }) => host.plugins.get(service_type) !== undefined);
      const items: Resource[] = served.map(({ driver: _, ...shown }) => shown);
      const found = items.filter((item) =>
        query.filters.every(({ attribute, values }) => values.some((value) => value === item[attribute])),
      );
      return { items: found, more: false } satisfies ResourceList;
    },

    /** Which provider something new of the flavor is served by. Not served by itself: for the plugins whose things have flavors. */
    async get_flavor_next_provider(_context, { id = '' }) {
      const offer = await offerOf(host.db.sql, id);
      if (offer === undefined) throw new FlavorNotFound(id);
      const { service_type, flavor_enabled, driver, profile_enabled } = offer;
      if (!flavor_enabled) throw new FlavorDisabled();
      if (driver === null) throw new FlavorServiceProfileBindingNotFound('', id);
      if (profile_enabled === false) throw new ServiceProfileDisabled();
      const provider = providers.find((one) => one.service_type === service_type && one.driver === driver);
      if (provider === undefined) throw new ServiceProfileDriverNotFound(driver);
      return { driver, provider: provider.name };
    },
  };
}
