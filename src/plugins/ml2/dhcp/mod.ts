/**
 * DHCP: which agents serve a network, what they are told, what they ask, and what becomes of the networks of those that die
 * (neutron.db.agentschedulers_db, neutron.api.rpc.handlers.dhcp_rpc).
 */
import type { Config } from '#src/lib/config.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { MechanismManager } from '../managers/mechanism.ts';
import type { PortStatuses } from '../status/mod.ts';
import { dhcpAudiences } from './audience.ts';
import { DHCP_AGENT_SCHEDULER } from './definition.ts';
import { failoverWorker } from './failover.ts';
import { createHooks, type DhcpHooks } from './hooks.ts';
import { listen } from './notifier.ts';
import { agentPorts } from './ports.ts';
import { dhcpEndpoint } from './rpc.ts';
import { createScheduling, type DhcpScheduling } from './scheduling.ts';
import { dhcpVerbs } from './service.ts';
import { type DhcpSettings, dhcpSettings } from './settings.ts';
import { createSweep } from './sweep.ts';

export type { DhcpHooks } from './hooks.ts';
export type { DhcpWords } from './scheduling.ts';

/** DHCP as the rest of ML2 knows it. */
export interface Dhcp extends DhcpHooks {
  readonly settings: DhcpSettings;
  readonly scheduling: DhcpScheduling;
}

export function createDhcp(config: Config, mechanisms: MechanismManager): Dhcp {
  const settings = dhcpSettings(config);
  const scheduling = createScheduling(settings, mechanisms);
  return { settings, scheduling, ...createHooks(settings, scheduling) };
}

/** What DHCP's part of the plugin leans on. */
export interface DhcpHost extends PluginHost {
  readonly mechanisms: MechanismManager;
  readonly statuses: PortStatuses;
  readonly dhcp: Dhcp;
}

/** DHCP's part of the plugin; it listens to networks, subnets and ports from now on. */
export function dhcp(host: DhcpHost): PluginPart {
  const { settings, scheduling } = host.dhcp;
  if (!settings.enabled) return { audiences: dhcpAudiences(settings.disabledServe) };
  const ports = agentPorts(host);
  const sweep = createSweep(host, scheduling);
  listen(host, settings, sweep);
  return {
    audiences: dhcpAudiences(settings.disabledServe),
    extensions: [DHCP_AGENT_SCHEDULER],
    verbs: dhcpVerbs(host, ports),
    rpcListeners: () => [{ topic: 'q-plugin', endpoints: [dhcpEndpoint(host, ports, sweep)] }],
    workers: () => (settings.failover ? [failoverWorker(host, ports)] : []),
  };
}
