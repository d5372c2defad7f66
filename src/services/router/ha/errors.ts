/** The errors of highly available routers (neutron_lib.exceptions.l3_ext_ha_mode). */
import { defineError } from '#src/lib/errors.ts';

export const NoVRIDAvailable = defineError(
  'NoVRIDAvailable',
  409,
  (routerId: string) =>
    `No more Virtual Router Identifier (VRID) available when creating router ${routerId}. The limit of number of HA Routers per project is 254.`,
);
export const DuplicatedHANetwork = defineError(
  'DuplicatedHANetwork',
  409,
  (projectId: string) => `Project ${projectId} already has a HA network.`,
);
export const HaNetworkInUse = defineError(
  'NetworkInUse',
  409,
  (id: string) => `Unable to complete operation on network ${id}. Highly available routers hear of each other there.`,
);
