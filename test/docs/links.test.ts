/** Relative links in the documents lead to files that exist, and to headings that they have. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { anchors, document, documents, prose, ROOT } from './support/markdown.ts';

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

it('every relative link of every document leads somewhere', () => {
  const broken = documents().flatMap((from) =>
    [...prose(from).matchAll(LINK)]
      .map((match) => match[1]!)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const path = file === '' ? from.path : normalize(join(dirname(from.path), decodeURIComponent(file)));
        if (path.startsWith('..') || !existsSync(join(ROOT, path))) return true;
        return anchor !== undefined && path.endsWith('.md') && !anchors(document(path)).has(anchor);
      })
      .map((link) => `${from.path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

it('every document of docs/ can be reached from the README', () => {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path) || !existsSync(join(ROOT, path))) return;
    reached.add(path);
    if (!path.endsWith('.md')) return;
    for (const [, link = ''] of prose(document(path)).matchAll(LINK)) {
      if (!/^[a-z]+:/.test(link)) visit(normalize(join(dirname(path), link.split('#')[0]!)));
    }
  };
  visit('README.md');
  const lost = documents()
    .map(({ path }) => path)
    .filter((path) => path.startsWith('docs/') && !reached.has(path));
  expect(lost).toEqual([]);
});
