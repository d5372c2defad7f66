/** The kinds of process that run our own code, with the names that `ps` shows. */
import type { WorkerKind, WorkerModule } from '../worker_contract.ts';

/** The workers, and the broker where it is embedded. */
export type ProcessKind = WorkerKind | 'broker';

export const TITLES: Readonly<Record<ProcessKind, string>> = {
  api: 'nucleon: api worker',
  rpc: 'nucleon: rpc worker',
  reports: 'nucleon: rpc reports worker',
  relay: 'nucleon: outbox relay',
  periodic: 'nucleon: periodic worker',
  broker: 'nucleon: mqtt broker',
};

export const SUPERVISOR_TITLE = 'nucleon: server';
export const POSTGRES_TITLE = 'nucleon: postgres';

/** How the code of a kind is loaded: by the process of that kind alone. */
export type WorkerModules = Readonly<Record<ProcessKind, () => Promise<WorkerModule>>>;

export function isProcessKind(name: string | undefined): name is ProcessKind {
  return name !== undefined && Object.hasOwn(TITLES, name);
}
