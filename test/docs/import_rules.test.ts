/** The table of import rules in docs/architecture.md says what test/architecture enforces. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { document, ROOT, tableRows } from './support/markdown.ts';

type Rules = Readonly<Record<string, readonly string[]>>;

/** The rules as the test has them: its literals, evaluated. */
function enforced(): Rules {
  const text = readFileSync(join(ROOT, 'test/architecture/imports.test.ts'), 'utf8');
  const literals = /^const BASE =[\s\S]*?^const MAY[\s\S]*?^};$/m.exec(text)?.[0] ?? '';
  const script = literals.replaceAll(/^(const \w+): [^=]+=/gm, '$1 =');
  return new Function(`${script}\nreturn MAY;`)();
}

const names = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!).sort();

it('docs/architecture.md has the import rules that are enforced', () => {
  const [, section = ''] = document('docs/architecture.md').text.split('## Who may import whom');
  const told: Record<string, readonly string[]> = {};
  for (const [who = '', may = ''] of tableRows(section.split('\n## ')[0]!)) {
    for (const name of names(who)) told[name] = names(may);
  }
  const rules = Object.entries(enforced()).map(([name, may]) => [name, [...may].sort()] as const);
  expect(rules.length).toBeGreaterThan(10);
  expect(told).toEqual(Object.fromEntries(rules));
});
