/**
 * The mechanism manager: loads the drivers of `[ml2] mechanism_drivers` and calls their hooks in that order
 * (neutron.plugins.ml2.managers.MechanismManager).
 */
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type { MechanismContext, MechanismDriver, PrecommitContext } from '#src/lib/ml2/mechanism_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { loggerMechanismDriver } from '../drivers/mech_logger.ts';
import { VlanQinqDriverError, VlanTransparencyDriverError } from '../errors.ts';
import type { VlanTagSupport } from '../extensions/vlan_tags.ts';
import { ABSENT_EXCLUDE, ABSENT_MECHANISMS, namedDrivers } from './absent.ts';

type Operation = `${'create' | 'update' | 'delete'}_${'network' | 'subnet' | 'port'}`;

const DRIVERS: Readonly<Record<string, (log: Logger) => MechanismDriver>> = {
  logger: loggerMechanismDriver,
};

export interface MechanismManager {
  readonly drivers: readonly MechanismDriver[];
  /** What the drivers together say of VLAN tags of tenants. */
  readonly vlanTags: VlanTagSupport;
  /** Refuses a network of a kind that a driver cannot make. */
  checkNetwork(body: Resource): void;
  /** Whether a driver has a precommit hook for it. */
  hasPrecommit(operation: Operation): boolean;
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
  const all = (kind: 'vlan_transparent' | 'qinq') =>
    drivers.length > 0 && drivers.every((driver) => driver[kind] === true);
  return {
    drivers,
    vlanTags: {
      all: { vlan_transparent: all('vlan_transparent'), qinq: all('qinq') },
      excluded: new Set([
        ...named.flatMap((name) => ABSENT_EXCLUDE[name] ?? []),
        ...drivers.flatMap(({ excludes }) => excludes ?? []),
      ]),
    },
    checkNetwork(body) {
      for (const driver of drivers) {
        if (body['vlan_transparent'] === true && driver.vlan_transparent !== true) {
          throw new VlanTransparencyDriverError(driver.name);
        }
        if (body['qinq'] === true && driver.qinq !== true) throw new VlanQinqDriverError(driver.name);
      }
    },
    hasPrecommit: (operation) => drivers.some((driver) => driver[`${operation}_precommit`] !== undefined),
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
