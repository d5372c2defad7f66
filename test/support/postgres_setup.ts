/**
 * The PostgreSQL that tests use, started once for a run: the embedded one in a temporary folder, or nothing at all when
 * NUCLEON_TEST_POSTGRES_URL names a server of somebody else's.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '#src/lib/log.ts';
import { nodeRuntime } from '#src/runtime/node/runtime.ts';
import { preparePostgres } from '#src/server/embedded/postgres.ts';
import { freePort } from './nucleon.ts';

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['NUCLEON_TEST_POSTGRES_URL'] !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'nucleon-postgres-'));
  const postgres = await preparePostgres({
    runtime: nodeRuntime(fileURLToPath(import.meta.url)),
    folder: join(folder, 'postgres'),
    port: await freePort(),
    maxConnections: 300,
    log: silentLogger,
  });
  const launched = await postgres.launch();
  await launched.ready;
  process.env['NUCLEON_TEST_POSTGRES_URL'] = postgres.url;
  return async () => {
    launched.stop();
    await launched.exited;
    await rm(folder, { recursive: true, force: true });
  };
}
