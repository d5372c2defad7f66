/** The README's list of extensions is what a server without configuration serves. */
import { expect, it } from 'vitest';
import { allOptions, loadConfig } from '#src/config/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import type { Database } from '#src/lib/database.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { assemble } from '#src/server/assembly.ts';
import { loadModules } from '#src/server/registry.ts';
import { codeBlocks, document } from './support/markdown.ts';

/** Plugins say what they serve without asking the database. */
const noDatabase = {} as Database;

it('the README lists the extensions that are served', async () => {
  const { config } = await loadConfig({ files: [], env: {}, readFile: async () => '', options: allOptions });
  const base = { config, log: silentLogger };
  const modules = await loadModules(base);
  const { plugins } = await assemble({ ...base, modules, db: noDatabase, metrics: silentMetrics, clock: systemClock });
  const served = plugins.flatMap(({ extensions }) => extensions.map(({ alias }) => alias));
  const listed = codeBlocks(document('README.md')).find(({ info }) => info === 'text aliases');
  expect(listed?.code.split(/\s+/).sort()).toEqual([...new Set(served)].sort());
});
