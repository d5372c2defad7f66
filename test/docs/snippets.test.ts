/**
 * Code that a document shows as being from a file (```ts file=src/lib/plugin.ts) stands in that file. A line `// ...` (or
 * `-- ...`, `# ...`) in it means that something is left out there: the pieces around it stand in the file in this order.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codeBlocks, documents, ROOT } from './support/markdown.ts';

const FILE = /\bfile=(\S+)/;
const LEFT_OUT = /^\s*(?:\/\/|--|#) \.\.\.$/m;

/** Without indentation: a piece may stand deeper in its file. */
const plain = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

const quoted = documents().flatMap((from) =>
  codeBlocks(from).flatMap(({ info, code, line }) => {
    const file = FILE.exec(info)?.[1];
    return file === undefined ? [] : [{ place: `${from.path}:${line}`, file, code }];
  }),
);

it('documents quote files', () => {
  expect(quoted.length).toBeGreaterThan(20);
});

it.each(quoted)('$place quotes $file as it is', ({ file, code }) => {
  expect(existsSync(join(ROOT, file)), `${file} exists`).toBe(true);
  const text = plain(readFileSync(join(ROOT, file), 'utf8'));
  let at = 0;
  for (const piece of code.split(LEFT_OUT).map(plain)) {
    const found = text.indexOf(piece, at);
    expect(found, `not in ${file} (or not there): ${piece}`).toBeGreaterThanOrEqual(0);
    at = found + piece.length;
  }
});
