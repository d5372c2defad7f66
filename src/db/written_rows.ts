/** Rows read as JSON text that goes to the client as it is, with a few values beside it. */
import type { Queryable } from '#src/lib/database.ts';
import { type Resource, type ResourceList, WrittenItem } from '#src/lib/plugin.ts';

/** The name of the text's column: no attribute's name begins with a colon. */
export const TEXT = ':text';

/** Reads rows that have the text and the values. */
export async function readWritten(
  db: Queryable,
  text: string,
  parameters: readonly unknown[],
  options: { readonly prepare: boolean },
): Promise<readonly WrittenItem[]> {
  const rows = await db.unsafe<Resource[]>(text, parameters as never[], options);
  return rows.map((values) => new WrittenItem(String(values[TEXT]), values));
}

/** A list of texts that can still be read as one of objects. */
export function writtenList(written: readonly WrittenItem[], more: boolean): ResourceList {
  const list = {
    more,
    get items(): readonly Resource[] {
      return written.map(({ text, values: { [TEXT]: _, ...values } }) => ({ ...values, ...JSON.parse(text) }));
    },
  };
  return Object.defineProperty(list, 'written', { value: written });
}
