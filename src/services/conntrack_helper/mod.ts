/**
 * Service plugin `conntrack_helper`: routers follow protocols that open further connections, as FTP and TFTP do
 * (neutron.services.conntrack_helper).
 */
import type { PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { CONNTRACK_HELPER_EXTENSIONS } from './definition.ts';
import { conntrackHelperObject } from './objects.ts';
import { conntrackHelperPolicies } from './policy.ts';
import { routerAttributes } from './reading.ts';
import { conntrackHelperVerbs } from './service.ts';

export default {
  attributes: () => ({ routers: routerAttributes }),
  create: (host: PluginHost) => ({
    type: 'CONNTRACKHELPER',
    extensions: CONNTRACK_HELPER_EXTENSIONS,
    verbs: conntrackHelperVerbs(host),
    policies: conntrackHelperPolicies,
    objects: [conntrackHelperObject(host)],
  }),
} satisfies PluginModule;
