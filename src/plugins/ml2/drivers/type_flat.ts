/** Type driver `flat`: the physical network itself, untagged; one network on each. */
import type { Config } from '#src/lib/config.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import type { TypeDriver } from '#src/lib/ml2/type_driver.ts';
import { FlatNetworkInUse } from '../errors.ts';
import { physicalMtu } from './physical_mtu.ts';

export function flatTypeDriver(config: Config): TypeDriver {
  const allowed = new Set(config.list('ml2_type_flat', 'flat_networks'));
  return {
    type: 'flat',
    providerCandidates(request) {
      const physical = request.physical_network;
      if (physical === null || physical === undefined || physical === '') {
        throw new InvalidInput('physical_network required for flat provider network');
      }
      if (allowed.size === 0) throw new InvalidInput('Flat provider networks are disabled');
      if (!allowed.has('*') && !allowed.has(physical)) {
        throw new InvalidInput(`physical_network '${physical}' unknown for flat provider network`);
      }
      if (request.segmentation_id !== null && request.segmentation_id !== undefined) {
        throw new InvalidInput('segmentation_id prohibited for flat provider network');
      }
      return {
        kind: 'exact',
        segment: { network_type: 'flat', physical_network: physical, segmentation_id: null },
      };
    },
    // Nobody gets a whole physical network without asking for it.
    tenantCandidates: () => ({ kind: 'ranges', network_type: 'flat', ranges: [] }),
    inUse: (segment) => new FlatNetworkInUse(segment.physical_network),
    mtu: physicalMtu(config),
  };
}
