/** docs/observability.md has every metric that the sources make, with its kind, and no other. */
import { expect, it } from 'vitest';
import { sources } from '../architecture/source.ts';
import { document, tableRows } from './support/markdown.ts';

const MADE = /\.(counter|gauge|histogram)\(\s*'(nucleon_\w+)'/g;

const made = new Map(
  sources('src')
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ text }) => [...text.matchAll(MADE)].map((match) => [match[2]!, match[1]!] as const)),
);
const told = new Map(
  tableRows(document('docs/observability.md').text)
    .filter(([name]) => /^`nucleon_\w+`$/.test(name ?? ''))
    .map(([name = '', kind = '']) => [name.slice(1, -1), kind] as const),
);

it('docs/observability.md names the metrics that there are', () => {
  expect(made.size).toBeGreaterThan(10);
  expect(Object.fromEntries([...told].sort())).toEqual(Object.fromEntries([...made].sort()));
});
