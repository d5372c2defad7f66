/** Flavors: what operators offer of a service by name, and the providers behind it (neutron.services.flavors). */
import type { PluginModule } from '#src/lib/plugin.ts';
import { FLAVOR_EXTENSIONS } from './definition.ts';
import { flavorPolicies } from './policy.ts';
import { providerVerbs } from './provider_verbs.ts';
import { serviceProviders } from './providers.ts';
import { flavorVerbs } from './service.ts';

export default {
  create(host) {
    const providers = serviceProviders(host.config, host.log);
    return {
      type: 'FLAVORS',
      extensions: FLAVOR_EXTENSIONS,
      verbs: { ...flavorVerbs(host, providers), ...providerVerbs(host, providers) },
      policies: flavorPolicies,
    };
  },
} satisfies PluginModule;
