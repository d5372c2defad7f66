/** A PostgreSQL that outlived its supervisor is ended in order before the next one starts on the same data. */
import type { Logger } from '#src/lib/log.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { StartError } from '../errors.ts';

const FAST_MS = 10_000;
const IMMEDIATE_MS = 5_000;
const POLL_MS = 25;

/**
 * Only called by who holds the state directory's lock, so that no other supervisor can want the process that
 * postmaster.pid names. It is ours to end if it works in the data directory. If another program has that process id by
 * now (in containers ids repeat), the file is stale and PostgreSQL would take it for a running server: it goes.
 */
export async function endSurvivor(
  { files, processes }: Pick<ServerRuntime, 'files' | 'processes'>,
  data: string,
  log: Logger,
): Promise<void> {
  const file = `${data}/postmaster.pid`;
  if (!(await files.exists(file))) return;
  const pid = Number((await files.read(file)).split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const folder = await processes.workingDirectory(pid);
  if (folder === null) return;
  if (folder !== data) {
    await files.remove(file);
    return;
  }
  log.warn('a PostgreSQL of a supervisor that is gone still runs and is ended', { pid });
  const gone = async (milliseconds: number) => {
    for (const end = Date.now() + milliseconds; Date.now() < end; ) {
      if ((await processes.workingDirectory(pid)) !== data) return true;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return false;
  };
  processes.signal(pid, 'SIGINT');
  if (await gone(FAST_MS)) return;
  processes.signal(pid, 'SIGQUIT');
  if (await gone(IMMEDIATE_MS)) return;
  throw new StartError(
    `a PostgreSQL that still runs on ${data} (process ${pid}) does not end: end it by hand and start again`,
  );
}
