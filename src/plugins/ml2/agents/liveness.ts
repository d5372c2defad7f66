/** The periodic look at the agents' health: says which enabled agents are dead, so that somebody finds out from the log. */
import type { Database } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { PluginWorker } from '#src/lib/worker.ts';
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
  const gauge = metrics.gauge('nucleon_agents', 'Agents by state', ['state']);
  async function look(): Promise<void> {
    try {
      const { total, dead } = await agentHealth(db.sql, downTime);
      gauge.set(dead.length, { state: 'dead' });
      gauge.set(total - dead.length, { state: 'alive' });
      if (dead.length > 0) log.warn('agents are dead', { dead: dead.length, total, agents: dead });
      else log.debug('agents are alive', { total });
    } catch (error) {
      log.error("the agents' health is not known", { error });
    }
  }
  return {
    name: 'agent liveness',
    processes: 0,
    async start() {
      let looking = look();
      const timer = setInterval(() => {
        looking = looking.then(look);
      }, downTime * 500);
      return {
        stop: async () => {
          clearInterval(timer);
          await looking;
        },
      };
    },
  };
}
