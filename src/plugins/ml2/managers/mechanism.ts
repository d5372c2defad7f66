/**
 * The mechanism manager: loads the drivers of `[ml2] mechanism_drivers` and calls their hooks in that order
 * (neutron.plugins.ml2.managers.MechanismManager).
 */
import { sqlState } from '#src/db/mod.ts';
import type { Config } from '#src/lib/config.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type {
  HostAgent,
  MechanismContext,
  MechanismDriver,
  MechanismHook,
  PrecommitContext,
} from '#src/lib/ml2/mechanism_driver.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { isUnavailable } from '#src/lib/unavailable.ts';
import { l2populationMechanismDriver } from '../drivers/l2population/mod.ts';
import { linuxbridgeMechanismDriver } from '../drivers/linuxbridge/mod.ts';
import { loggerMechanismDriver } from '../drivers/logger/mod.ts';
import { macvtapMechanismDriver } from '../drivers/macvtap/mod.ts';
import { openvswitchMechanismDriver } from '../drivers/openvswitch/mod.ts';
import { sriovnicswitchMechanismDriver } from '../drivers/sriovnicswitch/mod.ts';
import { MechanismDriverError, VlanQinqDriverError, VlanTransparencyDriverError } from '../errors.ts';
import type { VlanTagSupport } from '../extensions/vlan_tags.ts';
import { ABSENT_MECHANISMS, namedDrivers } from './absent.ts';

type Operation = `${'create' | 'update' | 'delete'}_${'network' | 'subnet' | 'port'}`;

const DRIVERS: Readonly<Record<string, (config: Config, log: Logger) => MechanismDriver>> = {
  l2population: l2populationMechanismDriver,
  linuxbridge: linuxbridgeMechanismDriver,
  logger: loggerMechanismDriver,
  macvtap: macvtapMechanismDriver,
  openvswitch: openvswitchMechanismDriver,
  sriovnicswitch: sriovnicswitchMechanismDriver,
};

const TAG_ERRORS = { vlan_transparent: VlanTransparencyDriverError, qinq: VlanQinqDriverError };

export interface MechanismManager {
  readonly drivers: readonly MechanismDriver[];
  /** What the drivers together say of VLAN tags of tenants. */
  readonly vlanTags: VlanTagSupport;
  /** Refuses a network of a kind that a driver cannot make, or that none says it can. */
  checkNetwork(body: Resource): void;
  /** Whether a driver has a precommit hook for it. */
  hasPrecommit(operation: Operation): boolean;
  /** Runs the drivers' precommit hooks; the first error ends it and the transaction. */
  precommit(operation: Operation, context: PrecommitContext): Promise<void>;
  /**
   * Runs the drivers' postcommit hooks. Errors are logged; what is to be thrown for a client to be told of them is the answer.
   * After an error of a creation no other driver is called: it is undone.
   */
  postcommit(operation: Operation, context: MechanismContext): Promise<Error | undefined>;
  /**
   * The hosts that have access to one of the segments, by a driver's word for the agents of each; a host of which no driver
   * has anything to say is among them.
   */
  hostsWithAccess(
    agentsByHost: ReadonlyMap<string, readonly HostAgent[]>,
    segments: readonly Segment[],
  ): readonly string[];
}

/** The manager over the drivers that the configuration names. */
export function createMechanismManager(config: Config, log: Logger): MechanismManager {
  const named = config.list('ml2', 'mechanism_drivers');
  const drivers = namedDrivers(named, 'mechanism_drivers', DRIVERS, ABSENT_MECHANISMS, log).map(([name, create]) =>
    create(config, log.child({ driver: name })),
  );
  return manageMechanisms(drivers, log);
}

/** The manager over drivers, in their order. */
export function manageMechanisms(drivers: readonly MechanismDriver[], log: Logger): MechanismManager {
  const all = (kind: 'vlan_transparent' | 'qinq') =>
    drivers.length > 0 && drivers.every((driver) => driver[kind] === true);
  const reversed = drivers.toReversed();
  /** What was bound last is taken down first. */
  const inOrder = (operation: Operation) => (operation === 'delete_port' ? reversed : drivers);
  /** What a client is told: what a driver throws on purpose, but no text of a defect. */
  const failed = (driver: MechanismDriver, hook: MechanismHook, error: unknown): NeutronError => {
    log.error('a mechanism driver failed', { driver: driver.name, hook, error });
    return error instanceof NeutronError ? error : new MechanismDriverError(hook);
  };
  return {
    drivers,
    vlanTags: {
      all: { vlan_transparent: all('vlan_transparent'), qinq: all('qinq') },
      excluded: new Set(drivers.flatMap(({ excludes }) => excludes ?? [])),
    },
    checkNetwork(body) {
      for (const kind of ['vlan_transparent', 'qinq'] as const) {
        if (body[kind] !== true || drivers.length === 0) continue;
        const against = drivers.filter((driver) => driver[kind] === false);
        const silent = drivers.some((driver) => driver[kind] === true) ? [] : drivers;
        const [refusing] = [...against, ...silent];
        if (refusing !== undefined) throw new TAG_ERRORS[kind](refusing.name);
      }
    },
    hasPrecommit: (operation) => drivers.some((driver) => driver[`${operation}_precommit`] !== undefined),
    async precommit(operation, context) {
      const hook = `${operation}_precommit` as const;
      for (const driver of inOrder(operation)) {
        try {
          await driver[hook]?.(context);
        } catch (error) {
          // PostgreSQL's belong to the transaction, which may run again; a NeutronError is an answer.
          if (sqlState(error) !== undefined || isUnavailable(error) || error instanceof NeutronError) throw error;
          throw failed(driver, hook, error);
        }
      }
    },
    async postcommit(operation, context) {
      const hook = `${operation}_postcommit` as const;
      const errors: NeutronError[] = [];
      for (const driver of inOrder(operation)) {
        try {
          await driver[hook]?.(context);
        } catch (error) {
          errors.push(failed(driver, hook, error));
          if (operation.startsWith('create_')) break;
        }
      }
      return errors.length > 1 ? new AggregateError(errors, `${hook} failed`) : errors[0];
    },
    hostsWithAccess(agentsByHost, segments) {
      const hosts = [...agentsByHost].filter(([, agents]) => {
        const words = drivers.map((driver) => driver.host_has_segment?.(agents, segments));
        return words.includes(true) || !words.includes(false);
      });
      return hosts.map(([host]) => host);
    },
  };
}
