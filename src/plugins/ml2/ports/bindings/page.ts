/** Filters, sorts and pages the bindings of one port: they are few, and read at once. */
import type { Json } from '#src/lib/api/attributes.ts';
import type { ListQuery } from '#src/lib/api/query.ts';
import type { Resource, ResourceList } from '#src/lib/plugin.ts';

/** A page of the items; `notFound` makes the error of a marker that names none of them. */
export function pageOf(
  items: readonly Resource[],
  key: string,
  query: ListQuery,
  notFound: (marker: string) => Error,
): ResourceList {
  const { filters, sorts, marker, limit, reverse } = query;
  const matching = items.filter((item) =>
    filters.every(({ attribute, values }) => !(attribute in item) || values.includes(item[attribute] as Json)),
  );
  const compare = (a: Resource, b: Resource): number => {
    for (const { attribute, direction } of sorts) {
      const [one, other] = [String(a[attribute]), String(b[attribute])];
      if (one !== other) return one < other === (direction === 'asc') ? -1 : 1;
    }
    return 0;
  };
  const sorted = matching.toSorted(compare);
  if (reverse) sorted.reverse();
  const at = marker === undefined ? undefined : items.find((item) => item[key] === marker);
  if (marker !== undefined && at === undefined) throw notFound(marker);
  const from = at === undefined ? sorted : sorted.filter((item) => compare(at, item) < 0 !== reverse && item !== at);
  const more = limit !== undefined && from.length > limit;
  const page = more ? from.slice(0, limit) : from;
  return { items: reverse ? page.toReversed() : page, more };
}
