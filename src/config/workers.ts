/** How many workers of each kind a supervisor starts. */
import type { Config } from '#src/lib/config.ts';

export interface WorkerCounts {
  readonly api: number;
  readonly rpc: number;
  readonly reports: number;
}

/** As configured; unset: an API worker for each core, half as many RPC workers but at least one. 0 means none here. */
export function workerCounts(config: Config, cpus: number): WorkerCounts {
  const api = config.isSet('DEFAULT', 'api_workers') ? config.integer('DEFAULT', 'api_workers') : cpus;
  // A machine without API workers is there for RPC: its share follows the cores.
  const half = Math.max(1, Math.floor((api === 0 ? cpus : api) / 2));
  const rpc = config.isSet('DEFAULT', 'rpc_workers') ? config.integer('DEFAULT', 'rpc_workers') : half;
  return { api, rpc, reports: config.integer('DEFAULT', 'rpc_state_report_workers') };
}
