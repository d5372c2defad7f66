/** Background work that a plugin contributes (neutron_lib.worker.BaseWorker); the supervisor gives it a process. */
import type { Stoppable } from './lifetime.ts';

export interface PluginWorker {
  /** Said in logs, metrics and the process title: `agent liveness`. */
  readonly name: string;
  /** Processes of its own; 0 (usual): it shares the `periodic worker` process with others. */
  readonly processes: number;
  start(): Promise<Stoppable>;
}
