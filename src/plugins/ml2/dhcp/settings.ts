/** The options of DHCP scheduling, read once. */
import type { Config } from '#src/lib/config.ts';
import type { ChoiceMethod } from '#src/scheduler/mod.ts';

/** `network_scheduler_driver` by the name of its class, as configuration files have it. */
const METHODS: Readonly<Record<string, ChoiceMethod>> = {
  ChanceScheduler: 'chance',
  WeightScheduler: 'load',
  AZAwareWeightScheduler: 'zones',
};

export interface DhcpSettings {
  /** `enable_traditional_dhcp`: false where something else than agents serves DHCP. */
  readonly enabled: boolean;
  /** Whether networks get agents without anybody asking. */
  readonly automatic: boolean;
  /** Whether dead agents lose their networks to others. */
  readonly failover: boolean;
  /** Whether agents are told of changes. */
  readonly notify: boolean;
  readonly agentsPerNetwork: number;
  readonly method: ChoiceMethod;
  /** Zones of networks that name none. */
  readonly defaultZones: readonly string[];
  /** Whether disabled agents go on serving what they have. */
  readonly disabledServe: boolean;
  /** Seconds. */
  readonly downTime: number;
  /** Seconds that an agent whose process is lost has to come back before its networks move. */
  readonly grace: number;
}

/** Throws for a scheduler that does not exist. */
export function dhcpSettings(config: Config): DhcpSettings {
  const driver = config.string('DEFAULT', 'network_scheduler_driver');
  const method = METHODS[driver.slice(driver.lastIndexOf('.') + 1)];
  if (method === undefined) {
    throw new Error(
      `network_scheduler_driver = ${driver}: there is no such scheduler, there are ${Object.keys(METHODS).join(', ')}`,
    );
  }
  const enabled = config.boolean('DEFAULT', 'enable_traditional_dhcp');
  return {
    enabled,
    automatic: enabled && config.boolean('DEFAULT', 'network_auto_schedule'),
    failover: enabled && config.boolean('DEFAULT', 'allow_automatic_dhcp_failover'),
    notify: enabled && config.boolean('DEFAULT', 'dhcp_agent_notification'),
    agentsPerNetwork: config.integer('DEFAULT', 'dhcp_agents_per_network'),
    method,
    defaultZones: config.list('DEFAULT', 'default_availability_zones'),
    disabledServe: config.boolean('DEFAULT', 'enable_services_on_agents_with_admin_state_down'),
    downTime: config.integer('DEFAULT', 'agent_down_time'),
    grace: config.integer('agent_failover', 'lost_agent_grace'),
  };
}
