/**
 * Quotas: how many objects of a kind a project may have. `charge` in the creating transaction is the arbiter, exact however
 * many create at once; `check` is the early hint of the API. `quotaApi` is the quotas API, for the core plugin to include.
 */
export { type QuotaApi, quotaApi } from './api.ts';
export { QuotaMissingTenant, TenantQuotaNotFound } from './errors.ts';
export { createQuota, type Limits, type QuotaDetail, type QuotaEngine, type QuotaOptions } from './quota.ts';
