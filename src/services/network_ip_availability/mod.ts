/**
 * Service plugin `network_ip_availability`: how many addresses networks and their subnets have, and how many are in use
 * (neutron.services.network_ip_availability).
 */
import type { PluginModule } from '#src/lib/plugin.ts';
import { ADMIN_OR_SERVICE, projectPolicies } from '#src/policy/mod.ts';
import { availabilityExtensions } from './definition.ts';
import { availabilityVerbs } from './service.ts';

export default {
  create: (host) => ({
    type: 'network-ip-availability',
    extensions: availabilityExtensions,
    verbs: availabilityVerbs(host),
    policies: projectPolicies({ get_network_ip_availability: ADMIN_OR_SERVICE }),
  }),
} satisfies PluginModule;
