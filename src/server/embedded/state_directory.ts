/**
 * The state directory of a server with embedded services. One supervisor at a time: the kernel holds its lock, so that a
 * killed supervisor leaves none behind. The format has a version; what a newer release wrote is not touched.
 *
 *   version         the format, `1`
 *   lock            held while a supervisor runs
 *   supervisor.pid  who holds it; still there at the next start if the last one did not end by itself
 *   ports.json      the ports of the embedded services, kept from start to start
 *   postgres/       data, password, configuration
 *   mqtt/           users and passwords of the broker
 *   compile-cache/  compiled code of the workers
 *   openrc, clouds.yaml, admin_password
 */
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { attempt, StartError } from '../errors.ts';

const FORMAT = 1;
/** Below this PostgreSQL could not even finish a checkpoint. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;

export interface StateDirectory {
  /** Absolute, links resolved. */
  readonly path: string;
  /** Whether the supervisor before us was killed: its processes may still be ending. */
  readonly afterCrash: boolean;
  /** The absolute path of a file in it. */
  file(name: string): string;
  /** Gives the lock back; the last thing a supervisor does. */
  release(): Promise<void>;
}

/** Another supervisor has it. */
export class StateDirectoryInUse extends StartError {
  readonly path: string;

  constructor(path: string, holder: string) {
    super(
      `the state directory ${path} is in use by another nucleon server${holder}: ` +
        'stop that one, or give this one a directory of its own with [embedded] state_dir',
    );
    this.path = path;
  }
}

/** Opens (and makes) the directory, for this process alone. */
export async function openStateDirectory(
  { files, processes }: Pick<ServerRuntime, 'files' | 'processes'>,
  name: string,
): Promise<StateDirectory> {
  // Others may pass through (PostgreSQL may have to run as another user), not look around; every file guards itself.
  await attempt(`the state directory ${name} cannot be made`, () => files.makeDirectory(name, 0o711));
  const path = await attempt(`the state directory ${name} cannot be used`, () => files.realPath(name));
  const file = (entry: string) => `${path}/${entry}`;
  const pidFile = file('supervisor.pid');

  const lock = await attempt(`the state directory ${path} cannot be written`, () => files.lock(file('lock')));
  if (lock === null) {
    const holder = await files.read(pidFile).then(
      (text) => ` (process ${text.trim()})`,
      () => '',
    );
    throw new StateDirectoryInUse(path, holder);
  }
  try {
    await checkFormat(files, path, file('version'));
    await checkSpace(files, path);
    const afterCrash = await files.exists(pidFile);
    await attempt(`the state directory ${path} cannot be written`, () => files.write(pidFile, `${processes.pid}\n`));
    return {
      path,
      afterCrash,
      file,
      async release() {
        await files.remove(pidFile);
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function checkFormat(files: ServerRuntime['files'], path: string, versionFile: string): Promise<void> {
  if (!(await files.exists(versionFile))) {
    return attempt(`the state directory ${path} cannot be written`, () => files.write(versionFile, `${FORMAT}\n`));
  }
  const text = (await attempt(`${versionFile} cannot be read`, () => files.read(versionFile))).trim();
  const format = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (format === FORMAT) return;
  if (format > FORMAT) {
    throw new StartError(
      `the state directory ${path} was written by a newer Nucleon (format ${format}; this release knows ${FORMAT}): ` +
        'start that release, or name another directory with [embedded] state_dir. Nothing was changed.',
    );
  }
  throw new StartError(
    `${versionFile} holds ${JSON.stringify(text)}, not a format number: this does not look like a state directory of ` +
      'Nucleon. Name another one with [embedded] state_dir. Nothing was changed.',
  );
}

async function checkSpace(files: ServerRuntime['files'], path: string): Promise<void> {
  const free = await files.freeSpace(path);
  if (free >= LEAST_FREE_BYTES) return;
  throw new StartError(
    `no space is left for the state directory ${path} (${Math.floor(free / 1024 / 1024)} MiB free, ` +
      `${LEAST_FREE_BYTES / 1024 / 1024} MiB are needed to start): free some and start again, nothing was lost`,
  );
}
