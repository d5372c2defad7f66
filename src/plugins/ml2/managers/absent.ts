/**
 * Drivers of Neutron's that this release does not have. Naming one starts the server without it, so that an existing
 * ml2_conf.ini works for the rest; the log says what is absent. A name that nobody knows is an error.
 */
import type { Logger } from '#src/lib/log.ts';

export const ABSENT_MECHANISMS: ReadonlySet<string> = new Set(['ovn']);

export const ABSENT_EXTENSIONS: ReadonlySet<string> = new Set(['qos']);

/** The drivers that an option names, in order; `table` has those of this release. */
export function namedDrivers<Driver>(
  named: readonly string[],
  option: string,
  table: Readonly<Record<string, Driver>>,
  absent: ReadonlySet<string>,
  log: Logger,
): readonly (readonly [name: string, driver: Driver])[] {
  return named.flatMap((name) => {
    const driver = Object.hasOwn(table, name) ? table[name] : undefined;
    if (driver !== undefined) return [[name, driver] as const];
    if (!absent.has(name)) {
      throw new Error(`[ml2] ${option}: there is no driver '${name}'; there are ${Object.keys(table).join(', ')}`);
    }
    log.warn('a driver is named that this release does not have; the server starts without it', {
      option,
      driver: name,
    });
    return [];
  });
}
