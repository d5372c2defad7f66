/** Work on a list of which some may fail: what is wrong with one is not the others' failure. */
import { isUnavailable } from '#src/lib/unavailable.ts';

/**
 * Does the work for all at once; where that fails, for each half by itself, down to those that fail alone, which are given with
 * their errors, in their order. So the work must be harmless to do again. When the database is away, all have failed at once.
 */
export async function thoseThatFail<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<void>,
): Promise<readonly { readonly item: Item; readonly error: unknown }[]> {
  if (items.length === 0) return [];
  try {
    await work(items);
    return [];
  } catch (error) {
    if (items.length === 1 || isUnavailable(error)) return items.map((item) => ({ item, error }));
    const middle = items.length >> 1;
    const first = await thoseThatFail(items.slice(0, middle), work);
    return [...first, ...(await thoseThatFail(items.slice(middle), work))];
  }
}
