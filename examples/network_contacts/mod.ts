/**
 * Network contacts: whom to call about a network. A small complete plugin that lives outside of Nucleon's sources; the server
 * loads it with `service_plugins = <absolute path of this file>`. docs/adding_a_plugin.md walks through it.
 */
import type { PluginHost, PluginModule } from '#src/plugin_api/mod.ts';
import { networkContactExtension } from './definition.ts';
import { keepNetworksWithContacts } from './networks.ts';
import { GROUP, options } from './options.ts';
import { policies } from './policy.ts';
import { purgeWorker } from './purge.ts';
import { contactListener } from './rpc.ts';
import { contactVerbs } from './service.ts';

export default {
  migrations: { name: 'network_contacts', folder: new URL('./drizzle/', import.meta.url) },
  options,
  create(host: PluginHost) {
    keepNetworksWithContacts(host);
    return {
      type: 'NETWORK_CONTACTS',
      extensions: [networkContactExtension(host.config.list(GROUP, 'email_domains'))],
      verbs: contactVerbs(host),
      policies,
      quotas: [{ name: 'network_contact', default_limit: 50, table: 'network_contacts' }],
      rpcListeners: () => [contactListener(host.db)],
      workers: () => [purgeWorker(host)],
    };
  },
} satisfies PluginModule;
