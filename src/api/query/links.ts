/**
 * `{collection}_links` of a page: next and previous, with all other parameters of the query kept. As in Neutron a full page
 * has a next one even if that turns out empty, which clients that walk back from the end rely on.
 */
import type { Resource } from '#src/lib/plugin.ts';
import type { Page } from './page.ts';

export interface Link {
  readonly rel: 'next' | 'previous';
  readonly href: string;
}

function href(url: string, params: URLSearchParams, marker: unknown, reverse: boolean): string {
  const next = new URLSearchParams(params);
  next.delete('marker');
  next.delete('page_reverse');
  if (typeof marker === 'string') next.append('marker', marker);
  if (reverse) next.append('page_reverse', 'True');
  return `${url}?${next.toString()}`;
}

/** The links of a page that holds these items, or none where the list is not paged. */
export function pageLinks(
  url: string,
  params: URLSearchParams,
  page: Page,
  items: readonly Resource[],
  key: string,
): readonly Link[] {
  if (page.limit === undefined) return [];
  const short = items.length < page.limit;
  const links: Link[] = [];
  if (!short || page.reverse) links.push({ rel: 'next', href: href(url, params, items.at(-1)?.[key], false) });
  if (!short || !page.reverse) links.push({ rel: 'previous', href: href(url, params, items[0]?.[key], true) });
  return links;
}
