/**
 * Service plugin `segments`: the segments of networks as resources of their own, and subnets that are on one of them
 * (neutron.services.segments).
 */
import type { PluginModule } from '#src/lib/plugin.ts';
import { segmentExtensions } from './definition.ts';
import { policies } from './policy.ts';
import { segmentVerbs } from './service.ts';
import { adjacencyOfNetworks, segmentsOfSubnets } from './subnets.ts';

export default {
  attributes: () => ({ networks: adjacencyOfNetworks, subnets: segmentsOfSubnets }),
  create: (host) => ({
    type: 'segments',
    extensions: segmentExtensions,
    verbs: segmentVerbs(host),
    policies,
  }),
} satisfies PluginModule;
