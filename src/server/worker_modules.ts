/** Where the code of each process is: loaded by the process that runs it, and by no other. */
import type { WorkerModules } from './supervisor/kinds.ts';

export const workerModules: WorkerModules = {
  api: () => import('./workers/api.ts'),
  rpc: () => import('./workers/rpc.ts'),
  reports: () => import('./workers/reports.ts'),
  relay: () => import('./workers/relay.ts'),
  periodic: () => import('./workers/periodic.ts'),
  broker: () => import('./embedded/broker.ts'),
};
