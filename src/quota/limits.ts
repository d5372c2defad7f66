/** Default limits, from configuration. */
import type { Config } from '#src/lib/config.ts';
import type { QuotaResource } from '#src/lib/quota.ts';

const GROUP = 'quotas';

/**
 * The limit of a project for which none is set: `[quotas] quota_<name>`, else what the resource declares; `default_quota`
 * takes the place of "unlimited" there.
 */
export function defaultLimit(config: Config, resource: QuotaResource): number {
  const option = `quota_${resource.name}`;
  // A plugin's resource may have no declared option; then the file's text is all there is.
  const written = config.section(GROUP)[option];
  if (written !== undefined) return parseLimit(option, written);
  if (config.isSet(GROUP, option)) return config.integer(GROUP, option);
  return resource.default_limit < 0 ? config.integer(GROUP, 'default_quota') : resource.default_limit;
}

function parseLimit(option: string, text: string): number {
  const limit = Number(text.trim());
  if (!Number.isInteger(limit) || text.trim() === '') {
    throw new RangeError(`Option [${GROUP}] ${option} is '${text}'; give a whole number, -1 for unlimited.`);
  }
  return limit;
}
