/**
 * Does what is asked for one by one together: what comes while a batch is under way makes the next one, so that thousands of
 * single calls a second cost hundreds of statements. Nobody waits when nothing is under way.
 */

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Items at most in one batch. */
const MOST = 100;

/**
 * `work` answers items in their order; items are only put together with those of the same key. When it fails for several, each is
 * tried by itself: what is wrong with one is not the others' failure. So it must be harmless to do again.
 */
export function together<Item, Answer>(
  keyOf: (item: Item) => string,
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  const waiting = new Map<string, Waiting<Item, Answer>[]>();

  const settle = async (batch: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!);
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error);
      else for (const one of batch) await settle([one]);
    }
  };

  const run = async (key: string): Promise<void> => {
    const queue = waiting.get(key) ?? [];
    while (queue.length > 0) await settle(queue.splice(0, MOST));
    waiting.delete(key);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item);
      const queue = waiting.get(key);
      const one = { item, resolve, reject };
      if (queue !== undefined) {
        queue.push(one);
        return;
      }
      waiting.set(key, [one]);
      void run(key);
    });
}
