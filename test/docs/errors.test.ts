/** docs/errors.md has every error that the sources declare, with its status and what it means, and no other. */
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { sources } from '../architecture/source.ts';
import { document, ROOT, tableRows } from './support/markdown.ts';

interface Declared {
  readonly type: string;
  readonly status: number;
  readonly where: string;
}

const DECLARATION = /\bdefineError\(\s*'(\w+)',\s*(\d{3}),/g;

/** What the text of the sources declares, exported or not. */
function declaredInText(): readonly Declared[] {
  return sources('src')
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(DECLARATION)].map((match) => ({ type: match[1]!, status: Number(match[2]), where: path })),
    );
}

/** What the modules named errors.ts export. */
async function declaredByModules(): Promise<readonly Declared[]> {
  const found: Declared[] = [];
  for (const { path } of sources('src').filter(({ path: file }) => file.endsWith('/errors.ts'))) {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(`${ROOT}/${path}`).href);
    for (const value of Object.values(module)) {
      if (typeof value !== 'function' || !('type' in value) || !('status' in value)) continue;
      found.push({ type: String(value.type), status: Number(value.status), where: relative(ROOT, `${ROOT}/${path}`) });
    }
  }
  return found;
}

describe('docs/errors.md', () => {
  const rows = tableRows(document('docs/errors.md').text)
    .filter(([type]) => /^`\w+`$/.test(type ?? ''))
    .map(([type = '', status = '', meaning = '']) => ({ type: type.slice(1, -1), status: Number(status), meaning }));
  let declared: readonly Declared[];

  beforeAll(async () => {
    declared = [...(await declaredByModules()), ...declaredInText()];
  });

  it('is checked against what is really declared', () => {
    expect(declared.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['NetworkNotFound', 'OverQuota', 'ForeignHost']),
    );
  });

  it('has every declared error with its status', () => {
    const absent = declared.filter(
      ({ type, status }) => !rows.some((row) => row.type === type && row.status === status),
    );
    expect(absent.map(({ type, status, where }) => `${type} ${status} (${where})`)).toEqual([]);
  });

  it('says what each means', () => {
    expect(rows.filter(({ meaning }) => meaning.length < 10)).toEqual([]);
  });

  it('has no error that nothing declares, and none twice', () => {
    const unknown = rows.filter(
      ({ type, status }) => !declared.some((one) => one.type === type && one.status === status),
    );
    const keys = rows.map(({ type, status }) => `${type} ${status}`);
    expect(unknown.map(({ type }) => type)).toEqual([]);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });
});
