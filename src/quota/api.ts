/** The verbs of the quotas API. */
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import type { Context } from '#src/lib/context.ts';
import { HttpBadRequest } from '#src/lib/errors.ts';
import type { Call, Resource, ResourceList, Verb } from '#src/lib/plugin.ts';
import type { PolicyDefault } from '#src/lib/policy.ts';
import { quotaExtensions, quotaPolicies } from './definition.ts';
import { QuotaMissingTenant } from './errors.ts';
import type { Limits, QuotaEngine } from './quota.ts';

const LONGEST_PROJECT = 255;

/** What a plugin spreads into its own extensions, verbs and policies to serve the quotas API. */
export interface QuotaApi {
  readonly extensions: readonly ExtensionDefinition[];
  readonly verbs: Readonly<Record<string, Verb>>;
  readonly policies: readonly PolicyDefault[];
}

/** The quotas API over an engine. */
export function quotaApi(quota: QuotaEngine): QuotaApi {
  const ownProject = (context: Context): string => {
    if (context.project_id === null) throw new QuotaMissingTenant();
    return context.project_id;
  };

  async function refuseBelowUsage(project_id: string, limits: Limits): Promise<void> {
    const details = await quota.details(project_id);
    for (const [resource, limit] of Object.entries(limits)) {
      const used = details[resource]!.used;
      if (limit >= 0 && used > limit) {
        throw new HttpBadRequest(
          `Quota limit ${limit} for ${resource} must be greater than or equal to already used ${used}`,
        );
      }
    }
  }

  const verbs: Readonly<Record<string, Verb>> = {
    async get_quotas(): Promise<ResourceList> {
      const projects = await quota.listQuotas();
      const items = projects.map(({ project_id, limits }) => ({ ...limits, project_id, tenant_id: project_id }));
      return { items, more: false };
    },
    get_quota: (_context, call): Promise<Resource> => quota.getQuota(projectOf(call)),
    async update_quota(_context, call): Promise<Resource> {
      const project_id = projectOf(call);
      if (project_id.length > LONGEST_PROJECT) {
        throw new HttpBadRequest(`'${project_id}' is no project id: it is longer than ${LONGEST_PROJECT} characters`);
      }
      const { check_limit: _, force, ...named } = call.body ?? {};
      const limits = named as Limits;
      if (force !== true) await refuseBelowUsage(project_id, limits);
      await quota.setQuota(project_id, limits);
      return quota.getQuota(project_id);
    },
    delete_quota: (_context, call) => quota.deleteQuota(projectOf(call)),
    get_default_quota: async () => ({ quota: quota.defaults() }),
    get_quota_details: async (_context, call) => ({ quota: await quota.details(projectOf(call)) }),
    get_quota_tenant: async (context) => ({ tenant: { tenant_id: ownProject(context) } }),
    get_quota_project: async (context) => ({ project: { project_id: ownProject(context) } }),
  };
  return { extensions: quotaExtensions(() => quota.resourceNames()), verbs, policies: quotaPolicies };
}

function projectOf(call: Call): string {
  if (call.id === undefined) throw new TypeError('a verb of one quota was called without a project id');
  return call.id;
}
