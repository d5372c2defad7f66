/**
 * Extension driver `tag_ports_during_bulk_creation`: ports are created with their tags, one or many at a time. The attribute is
 * that of `standard-attr-tag`, which is there without this driver, too: what it is given is then not kept, as in Neutron.
 */
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';

export const tagPortsDuringBulkCreation: ExtensionDriver = {
  name: 'tag_ports_during_bulk_creation',
  extensions: [
    {
      alias: 'tag-ports-during-bulk-creation',
      name: 'Tag Ports During Bulk Creation',
      description: 'Ports are created with tags',
      updated: '2019-12-29T19:00:00-00:00',
    },
  ],
  ports: {
    // Read as all standard attributes are.
    attributes: {},
    columns: { tags: 'text[]' },
    create: ({ body }) => ({ tags: ((body['tags'] ?? []) as readonly string[]).toSorted(byCodePoint) }),
  },
};

/** JavaScript compares halves of characters beyond U+FFFF; the column is in the order of whole ones. */
function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}
