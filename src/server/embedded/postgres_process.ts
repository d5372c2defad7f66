/** One life of the embedded PostgreSQL: its start, its log lines in our log, its end. */
import type { Logger } from '#src/lib/log.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { POSTGRES_TITLE } from '../supervisor/kinds.ts';
import { CannotWork, exitReason, type Launched } from '../supervisor/launched.ts';
import type { Privilege } from './privilege.ts';

export interface PostgresProcessOptions {
  readonly processes: ServerRuntime['processes'];
  readonly executable: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly privilege: Privilege;
  readonly log: Logger;
}

const NO_PORT = 'could not create any TCP/IP sockets';
const READY = 'database system is ready to accept connections';
/** An immediate shutdown that takes longer than this is cut short. */
const IMMEDIATE_MS = 5_000;

/** Its lines by severity; ERROR is the client's to report, DETAIL, HINT and STATEMENT may hold data. */
const LEVELS: Readonly<Record<string, 'debug' | 'warn' | 'error'>> = {
  LOG: 'debug',
  ERROR: 'debug',
  WARNING: 'warn',
  FATAL: 'warn',
  PANIC: 'error',
};

/** Starts it in a session of its own, so that a terminal's Ctrl-C does not end it before its clients. */
export async function launchPostgres(options: PostgresProcessOptions): Promise<Launched> {
  const { processes, executable, args, env, privilege, log } = options;
  const [command = executable, ...rest] = [...privilege.prefix, executable, ...args];
  const uid = privilege.uid === undefined ? {} : { uid: privilege.uid };
  const child = processes.command(command, rest, { title: POSTGRES_TITLE, env, detached: true, ...uid });
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let last = '';

  async function follow(): Promise<void> {
    for await (const line of child.lines) {
      const [, severity, text] = /^([A-Z]+): {2}(.*)$/.exec(line) ?? [];
      if (severity === undefined || text === undefined) {
        // Not of its own log: the loader's or the shell's complaint.
        if (!line.startsWith('\t')) last = line;
        continue;
      }
      if (text === READY) ready.resolve();
      if (text === NO_PORT)
        ready.reject(new CannotWork('the port of the embedded PostgreSQL was just taken: start again'));
      if (severity === 'FATAL' || severity === 'PANIC') last = text;
      if (text.includes('No space left on device')) {
        log.error('the disk that holds the database is full: free some space; nothing that was committed is lost', {
          text,
        });
        continue;
      }
      const level = LEVELS[severity];
      if (level !== undefined) log[level](`PostgreSQL: ${text}`);
    }
    const exit = await child.exited;
    ready.reject(new Error(`PostgreSQL ended while it started (${exitReason(exit)})${last === '' ? '' : `: ${last}`}`));
  }
  void follow();
  return {
    pid: child.pid,
    ready: ready.promise,
    exited: child.exited,
    stop: () => child.kill('SIGINT'),
    kill: () => {
      processes.signal(child.pid, 'SIGQUIT');
      const timer = setTimeout(() => child.kill('SIGKILL'), IMMEDIATE_MS);
      void child.exited.then(() => clearTimeout(timer));
    },
  };
}
