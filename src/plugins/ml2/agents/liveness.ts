/** The periodic look at the agents' health: says which enabled agents are dead, so that somebody finds out from the log. */
import type { Database } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { PluginWorker } from '#src/lib/worker.ts';
import { periodic } from '#src/scheduler/mod.ts';
import { agentHealth } from './store.ts';

export interface LivenessOptions {
  readonly db: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Seconds. */
  readonly downTime: number;
}

/** The worker; looks twice in each down time, as Neutron's health check does. */
export function livenessWorker({ db, log, metrics, downTime }: LivenessOptions): PluginWorker {
  const gauge = metrics.gauge('nucleon_agents', 'Agents by state, as the machine that looked last has seen them', [
    'state',
  ]);
  return periodic({
    db,
    name: 'agent liveness',
    seconds: downTime / 2,
    log,
    async run() {
      const { total, dead } = await agentHealth(db.sql, downTime);
      gauge.set(dead.length, { state: 'dead' });
      gauge.set(total - dead.length, { state: 'alive' });
      if (dead.length > 0) log.warn('agents are dead', { dead: dead.length, total, agents: dead });
      else log.debug('agents are alive', { total });
    },
    // Another machine looks now; two that show a number would be added up.
    idle: () => {
      gauge.set(0, { state: 'dead' });
      gauge.set(0, { state: 'alive' });
    },
  });
}
