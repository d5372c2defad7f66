/**
 * Puts the server's parts together: one host for all plugins, the plugins, and what is built from their declarations. Every
 * process that needs plugins assembles them the same way; what it does with them is its worker's business.
 */
import { createCallbacks } from '#src/callbacks/mod.ts';
import type { Clock } from '#src/lib/clock.ts';
import type { Config } from '#src/lib/config.ts';
import type { Database } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { Plugin, PluginHost } from '#src/lib/plugin.ts';
import type { Quota, QuotaResource } from '#src/lib/quota.ts';
import { createOutbox } from '#src/outbox/mod.ts';
import { createQuota, quotaApi } from '#src/quota/mod.ts';
import type { LoadedModule } from './registry.ts';

export interface AssemblyOptions {
  /** In the order of configuration, the core plugin first. */
  readonly modules: readonly LoadedModule[];
  readonly config: Config;
  readonly db: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

export interface Assembly {
  readonly plugins: readonly Plugin[];
  readonly quota: Quota;
}

/** Creates the plugins. Two that claim one type are an error that names both. */
export async function assemble(options: AssemblyOptions): Promise<Assembly> {
  const { modules, config, db, log, metrics, clock } = options;
  const byType = new Map<string, { readonly name: string; readonly plugin: Plugin }>();
  // Known when all plugins are there; counting begins later still.
  const counted: QuotaResource[] = [];
  const quota = createQuota({ resources: counted, config, db, log });
  const callbacks = createCallbacks({ log });
  const extended = modules.map(({ module }) => module.attributes?.({ config, log, quota, callbacks }) ?? {});
  const host: PluginHost = {
    attributeExtensions: (collection) =>
      extended.map((added) => added[collection]).filter((added) => added !== undefined),
    config,
    db,
    log,
    metrics,
    clock,
    quota,
    callbacks,
    outbox: createOutbox(),
    plugins: {
      get: (type) => byType.get(type)?.plugin,
      all: () => [...byType.values()].map(({ plugin }) => plugin),
    },
  };
  for (const { name, module } of modules) {
    const plugin = await module.create({ ...host, log: log.child({ plugin: name }) });
    const other = byType.get(plugin.type);
    if (other !== undefined) {
      throw new Error(
        `the plugins '${other.name}' and '${name}' are both of type ${plugin.type}: configure one of them`,
      );
    }
    byType.set(plugin.type, { name, plugin });
    counted.push(...(plugin.quotas ?? []));
  }
  // The quota engine serves its own API, whatever is counted.
  const quotas: Plugin = { type: 'QUOTAS', ...quotaApi(quota) };
  return { plugins: [...host.plugins.all(), quotas], quota };
}
