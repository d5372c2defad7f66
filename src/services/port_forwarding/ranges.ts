/** Ranges of ports, in the ways that callers write them: `external_port` as a number, `external_port_range` as `N` or `N:M`. */
import type { Resource } from '#src/lib/plugin.ts';
import { refusal } from './errors.ts';

export interface PortRange {
  readonly start: number;
  readonly end: number;
}

export type Side = 'external' | 'internal';

/** A value that the rules of the attributes let pass. */
export function rangeOf(value: unknown): PortRange {
  const [start, end = start] = String(value).split(':').map(Number) as [number, number?];
  return { start, end };
}

export const rangeText = ({ start, end }: PortRange): string => `${start}:${end}`;

/** What the body says of one side; undefined: nothing. */
function asked(body: Resource, side: Side): PortRange | undefined {
  const [port, range] = [body[`${side}_port`] ?? undefined, body[`${side}_port_range`] ?? undefined];
  // Numbers may come as text, and with a fraction, which Python's int() leaves out.
  const one = port === undefined ? undefined : rangeOf(Math.trunc(Number(port)));
  const whole = range === undefined ? undefined : rangeOf(range);
  if (one !== undefined && whole !== undefined && rangeText(one) !== rangeText(whole)) {
    throw refusal(`${side}_port ${one.start} and ${side}_port_range ${rangeText(whole)} are different ports`);
  }
  return whole ?? one;
}

/** Both sides as they are to be. Throws where they do not go together: as many ports on both sides, or one inside. */
export function rangesOf(body: Resource, current: Readonly<Partial<Record<Side, PortRange>>> = {}) {
  const of = (side: Side): PortRange => {
    const range = asked(body, side) ?? current[side];
    if (range === undefined) throw refusal(`${side}_port or ${side}_port_range must be specified`);
    return range;
  };
  const [external, internal] = [of('external'), of('internal')];
  const length = internal.end - internal.start;
  if (length > 0 && length !== external.end - external.start) {
    throw refusal(
      'Invalid ranges of internal and/or external ports. The relation between internal and external ports must be N-N or 1-N',
    );
  }
  return { external, internal };
}
