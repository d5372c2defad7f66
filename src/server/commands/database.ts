/** The database that a command works on: the configured one, or the embedded one, running or not. */

import { Lifetime } from '#src/lib/lifetime.ts';
import { silentLogger } from '#src/lib/log.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import {
  acceptConfiguration,
  type ConfigurationPaths,
  configurationOf,
  readConfiguration,
  withOptions,
} from '../configuration.ts';
import { claimPort, rememberedPort } from '../embedded/ports.ts';
import { postgresUrl, preparePostgres } from '../embedded/postgres.ts';
import { endSurvivor } from '../embedded/postgres_survivor.ts';
import { embeddedServices } from '../embedded/services.ts';
import { openStateDirectory, StateDirectoryInUse } from '../embedded/state_directory.ts';
import { StartError } from '../errors.ts';
import type { MigrationOptions } from '../migrations.ts';

/** Runs the work with a configuration whose `[database] connection` is set. */
export async function withConfiguredDatabase<Result>(
  runtime: ServerRuntime,
  paths: ConfigurationPaths,
  work: (options: MigrationOptions) => Promise<Result>,
): Promise<Result> {
  const configuration = await readConfiguration(runtime, paths);
  acceptConfiguration(configuration, silentLogger);
  const { config, snapshot } = configuration;
  const { files } = runtime;
  if (!embeddedServices(config).postgres) return work({ files, config, log: silentLogger });
  const folder = config.string('embedded', 'state_dir');
  if (!(await files.exists(`${folder}/postgres/data`))) {
    throw new StartError(
      `there is no embedded database in ${folder} yet: the server makes it at its first start. ` +
        'Name another state directory with [embedded] state_dir, or a database with [database] connection',
    );
  }
  const lifetime = new Lifetime();
  try {
    const value = await embeddedUrl(runtime, folder, lifetime);
    const complete = withOptions(snapshot, [{ group: 'database', name: 'connection', value }]);
    return await work({ files, config: await configurationOf(complete), log: silentLogger });
  } finally {
    await lifetime.stop();
  }
}

async function embeddedUrl(runtime: ServerRuntime, name: string, lifetime: Lifetime): Promise<string> {
  try {
    const state = await openStateDirectory(runtime, name);
    lifetime.onStop(() => state.release());
    const claim = await claimPort(runtime.network, { host: '127.0.0.1', port: 0, option: '[embedded] postgres_port' });
    await endSurvivor(runtime, `${state.file('postgres')}/data`, silentLogger);
    const folder = state.file('postgres');
    const postgres = await preparePostgres({
      runtime,
      folder,
      port: claim.port,
      maxConnections: 20,
      log: silentLogger,
    });
    await claim.release();
    const launched = await postgres.launch();
    lifetime.onStop(async () => {
      launched.stop();
      await launched.exited;
    });
    await launched.ready;
    return postgres.url;
  } catch (error) {
    if (!(error instanceof StateDirectoryInUse)) throw error;
    // A server runs on it: its database answers where the server said.
    const port = await rememberedPort(runtime.files, `${error.path}/ports.json`, 'postgres_port');
    if (port === undefined) throw error;
    return postgresUrl(runtime.files, `${error.path}/postgres`, port);
  }
}
