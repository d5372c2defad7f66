/** What the listener has heard. Modules may be loaded twice, by the test and by the server: it is kept beside them. */
interface Hearing {
  readonly heard: string[];
  /** The event that is refused. */
  refuse: string | undefined;
  /** Whether messages are left at precommit events. */
  notify: boolean;
}

const PLACE = Symbol.for('nucleon test: what a listener has heard');
const places = globalThis as unknown as Record<symbol, Hearing | undefined>;

export function hearing(): Hearing {
  places[PLACE] ??= { heard: [], refuse: undefined, notify: false };
  return places[PLACE];
}
