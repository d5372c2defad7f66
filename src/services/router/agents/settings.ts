/** The options of L3 scheduling, read once. */
import type { Config } from '#src/lib/config.ts';
import type { ChoiceMethod } from '#src/scheduler/mod.ts';

/** `router_scheduler_driver` by the name of its class, as configuration files have it. */
const METHODS: Readonly<Record<string, ChoiceMethod>> = {
  ChanceScheduler: 'chance',
  LeastRoutersScheduler: 'load',
  AZLeastRoutersScheduler: 'zones',
};

export interface L3Settings {
  /** Whether routers get agents without anybody asking. */
  readonly automatic: boolean;
  /** Whether dead agents lose their routers to others. */
  readonly failover: boolean;
  /** Of highly available routers; 0: as many as there are. */
  readonly agentsPerRouter: number;
  readonly method: ChoiceMethod;
  /** Zones of routers that name none. */
  readonly defaultZones: readonly string[];
  /** Seconds. */
  readonly downTime: number;
  /** Seconds that an agent whose process is lost has to come back before its routers move. */
  readonly grace: number;
}

/** Throws for a scheduler that does not exist. */
export function l3Settings(config: Config): L3Settings {
  const driver = config.string('DEFAULT', 'router_scheduler_driver');
  const method = METHODS[driver.slice(driver.lastIndexOf('.') + 1)];
  if (method === undefined) {
    throw new Error(
      `router_scheduler_driver = ${driver}: there is no such scheduler, there are ${Object.keys(METHODS).join(', ')}`,
    );
  }
  return {
    automatic: config.boolean('DEFAULT', 'router_auto_schedule'),
    failover: config.boolean('DEFAULT', 'allow_automatic_l3agent_failover'),
    agentsPerRouter: config.integer('DEFAULT', 'max_l3_agents_per_router'),
    method,
    defaultZones: config.list('DEFAULT', 'default_availability_zones'),
    downTime: config.integer('DEFAULT', 'agent_down_time'),
    grace: config.integer('agent_failover', 'lost_agent_grace'),
  };
}
