/** Work on many things, some at a time. */

/** Does the work for each item, at most so many at once; the first failure ends it, when what runs has ended. */
export async function inParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of waiting) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker));
  for (const outcome of workers) if (outcome.status === 'rejected') throw outcome.reason;
}
