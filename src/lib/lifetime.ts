/** Whatever starts has a stop; stops are called in the reverse order of the starts. */
export interface Stoppable {
  stop(): Promise<void>;
}

/** Collects what was started and stops it backwards; a stop that fails does not keep the others from running. */
export class Lifetime implements Stoppable {
  readonly #stops: (() => Promise<void> | void)[] = [];
  #stopping: Promise<void> | undefined;

  /** Remembers a stop and returns what was started. */
  add<Started extends Stoppable>(started: Started): Started {
    this.#stops.push(() => started.stop());
    return started;
  }

  onStop(stop: () => Promise<void> | void): void {
    this.#stops.push(stop);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.#stops.toReversed()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'something did not stop cleanly');
  }
}
