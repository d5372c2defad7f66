/** Errors of the quotas API. */
import { defineError } from '#src/lib/errors.ts';

export const TenantQuotaNotFound = defineError(
  'TenantQuotaNotFound',
  404,
  (project: string) => `Quota for tenant ${project} could not be found.`,
);
export const QuotaMissingTenant = defineError(
  'QuotaMissingTenant',
  400,
  () => 'Tenant-id was missing from quota request.',
);
