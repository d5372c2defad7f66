/** A first-in first-out list whose `shift` does not move the rest. */
export class Deque<Item> {
  #items: (Item | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head];
    if (this.length === 0) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Keeps only the items that pass, in their order. */
  retain(keep: (item: Item) => boolean): void {
    const items = this.#items.slice(this.#head) as Item[];
    this.#items = items.filter(keep);
    this.#head = 0;
  }
}
