/** Waiting that something can end: what is told while nobody waits ends the next wait. */

export class Wake {
  #told = false;
  #end: (() => void) | undefined;

  up(): void {
    this.#told = true;
    this.#end?.();
  }

  /** Resolves when told, or after the time. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#told) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#end = undefined;
    }
    this.#told = false;
  }
}
