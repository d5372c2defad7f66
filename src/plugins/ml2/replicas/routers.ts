/** Which hosts a router concerns: the router plugin says it, by its audience `router`. */
import type { Queryable } from '#src/lib/database.ts';
import type { PluginDirectory } from '#src/lib/plugin.ts';

/** The hosts of each router; none where nobody knows of routers. */
export async function hostsOfRouters(
  sql: Queryable,
  plugins: PluginDirectory,
  router_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (router_ids.length === 0) return new Map();
  const audience = plugins.all().flatMap(({ audiences }) => audiences?.['router'] ?? [])[0];
  return (await audience?.(sql, router_ids)) ?? new Map();
}
