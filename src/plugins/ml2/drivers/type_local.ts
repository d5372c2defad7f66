/** Type driver `local`: traffic stays on one host; there is nothing to choose and nothing to run out of. */
import { InvalidInput } from '#src/lib/errors.ts';
import type { TypeDriver } from '#src/lib/ml2/type_driver.ts';

const LOCAL = {
  kind: 'exact',
  segment: { network_type: 'local', physical_network: null, segmentation_id: null },
} as const;

export function localTypeDriver(): TypeDriver {
  return {
    type: 'local',
    providerCandidates(request) {
      for (const [key, value] of Object.entries(request)) {
        if (key !== 'network_type' && value !== null && value !== undefined) {
          throw new InvalidInput(`${key} prohibited for local provider network`);
        }
      }
      return LOCAL;
    },
    tenantCandidates: () => LOCAL,
    inUse: () => new InvalidInput('local networks are never in use'),
    mtu: () => null,
  };
}
