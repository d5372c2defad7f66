import { expect, it } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { dhcpSettings } from './settings.ts';

const settings = (options: Readonly<Record<string, string | boolean>>) =>
  dhcpSettings(configFrom(allOptions, { DEFAULT: options }));

it.each([
  ['neutron.scheduler.dhcp_agent_scheduler.WeightScheduler', 'load'],
  ['neutron.scheduler.dhcp_agent_scheduler.AZAwareWeightScheduler', 'zones'],
  ['neutron.scheduler.dhcp_agent_scheduler.ChanceScheduler', 'chance'],
])('network_scheduler_driver = %s chooses by %s', (network_scheduler_driver, method) => {
  expect(settings({ network_scheduler_driver }).method).toBe(method);
});

it('a scheduler that does not exist is refused', () => {
  expect(() => settings({ network_scheduler_driver: 'theirs.Scheduler' })).toThrow(
    'network_scheduler_driver = theirs.Scheduler: there is no such scheduler, there are ChanceScheduler,',
  );
});

it('without traditional DHCP nothing is scheduled, moved or told', () => {
  const { automatic, failover, notify } = settings({ enable_traditional_dhcp: false });
  expect([automatic, failover, notify]).toEqual([false, false, false]);
});
