/**
 * The mechanism manager: loads the drivers of `[ml2] mechanism_drivers` and calls their hooks in that order
 * (neutron.plugins.ml2.managers.MechanismManager).
 */
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type { MechanismContext, MechanismDriver, PrecommitContext } from '#src/lib/ml2/mechanism_driver.ts';
import { loggerMechanismDriver } from '../drivers/mech_logger.ts';
import { ABSENT_MECHANISMS, namedDrivers } from './absent.ts';

type Operation = `${'create' | 'update' | 'delete'}_${'network' | 'subnet' | 'port'}`;

const DRIVERS: Readonly<Record<string, (log: Logger) => MechanismDriver>> = {
  logger: loggerMechanismDriver,
};

export interface MechanismManager {
  readonly drivers: readonly MechanismDriver[];
  /** Runs the drivers' precommit hooks; the first error ends it and the transaction. */
  precommit(operation: Operation, context: PrecommitContext): Promise<void>;
  /** Runs the drivers' postcommit hooks; an error is logged, the others still run. */
  postcommit(operation: Operation, context: MechanismContext): Promise<void>;
}

export function createMechanismManager(config: Config, log: Logger): MechanismManager {
  const named = config.list('ml2', 'mechanism_drivers');
  const drivers = namedDrivers(named, 'mechanism_drivers', DRIVERS, ABSENT_MECHANISMS, log).map(([name, create]) =>
    create(log.child({ driver: name })),
  );
  return {
    drivers,
    async precommit(operation, context) {
      for (const driver of drivers) await driver[`${operation}_precommit`]?.(context);
    },
    async postcommit(operation, context) {
      for (const driver of drivers) {
        try {
          await driver[`${operation}_postcommit`]?.(context);
        } catch (error) {
          log.error('mechanism driver failed after the commit', { driver: driver.name, operation, error });
        }
      }
    },
  };
}
