/** Which ports (by device_owner) or networks (by name) the driver fails at, once it has let so many pass. */
interface Failure {
  at: string | undefined;
  left: number;
}

const PLACE = Symbol.for('nucleon test: where a mechanism driver fails');
const places = globalThis as unknown as Record<symbol, Failure | undefined>;

export function failure(): Failure {
  places[PLACE] ??= { at: undefined, left: 0 };
  return places[PLACE];
}
