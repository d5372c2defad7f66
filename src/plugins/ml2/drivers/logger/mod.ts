/** Mechanism driver `logger`: says in the log what happens to networks, subnets and ports; for tests and for curiosity. */
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type { MechanismContext, MechanismDriver, MechanismHook } from '#src/lib/ml2/mechanism_driver.ts';

const RESOURCES = ['network', 'subnet', 'port'] as const;
const OPERATIONS = ['create', 'update', 'delete'] as const;
const PHASES = ['precommit', 'postcommit'] as const;

export function loggerMechanismDriver(_config: Config, log: Logger): MechanismDriver {
  const hooks: Partial<Record<MechanismHook, (told: MechanismContext) => void>> = {};
  for (const resource of RESOURCES) {
    for (const operation of OPERATIONS) {
      for (const phase of PHASES) {
        hooks[`${operation}_${resource}_${phase}`] = ({ current, original }) =>
          log.info('mechanism driver hook', { operation, resource, phase, current, original });
      }
    }
  }
  return {
    name: 'logger',
    ...hooks,
    bind_port({ port, host, segments, refuse }) {
      log.info('mechanism driver asked to bind', { port_id: port['id'], host, segments });
      refuse('the driver only writes to the log');
      return null;
    },
  };
}
