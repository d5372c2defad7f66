/** The errors of flavors (neutron_lib.exceptions.flavors). */
import { defineError } from '#src/lib/errors.ts';

export const FlavorNotFound = defineError('FlavorNotFound', 404, (id: string) => `Flavor ${id} could not be found.`);
export const FlavorInUse = defineError(
  'FlavorInUse',
  409,
  (id: string) => `Flavor ${id} is used by some service instance.`,
);
export const FlavorDisabled = defineError('FlavorDisabled', 503, () => 'Flavor is not enabled.');
export const ServiceProfileNotFound = defineError(
  'ServiceProfileNotFound',
  404,
  (id: string) => `Service Profile ${id} could not be found.`,
);
export const ServiceProfileInUse = defineError(
  'ServiceProfileInUse',
  409,
  (id: string) => `Service Profile ${id} is used by some service instance.`,
);
export const ServiceProfileDisabled = defineError(
  'ServiceProfileDisabled',
  503,
  () => 'Service Profile is not enabled.',
);
export const ServiceProfileEmpty = defineError(
  'ServiceProfileEmpty',
  400,
  () => 'Service Profile needs either a driver or metainfo.',
);
export const ServiceProfileDriverNotFound = defineError(
  'ServiceProfileDriverNotFound',
  404,
  (driver: string) => `Service Profile driver ${driver} could not be found.`,
);
export const FlavorServiceProfileBindingExists = defineError(
  'FlavorServiceProfileBindingExists',
  409,
  (profile: string, flavor: string) => `Service Profile ${profile} is already associated with flavor ${flavor}.`,
);
export const FlavorServiceProfileBindingNotFound = defineError(
  'FlavorServiceProfileBindingNotFound',
  404,
  (profile: string, flavor: string) => `Service Profile ${profile} is not associated with flavor ${flavor}.`,
);
