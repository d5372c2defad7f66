import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { convertValue, valueText } from '../values.ts';
import { allOptions } from './mod.ts';

const label = ({ group, name }: { group: string; name: string }) => `[${group}] ${name}`;

describe('the option tables', () => {
  test('declare each option once, under a name as it is compared', () => {
    const labels = allOptions.map(label);
    expect(labels.filter((one, index) => labels.indexOf(one) !== index)).toEqual([]);
    expect(
      allOptions.filter(({ name, group }) => /[^a-z0-9_]/.test(name) || /[^A-Za-z0-9_]/.test(group)).map(label),
    ).toEqual([]);
  });

  test('have defaults that their own types allow', () => {
    const wrong = allOptions.filter((spec) => {
      if (spec.default === null) return false;
      if (spec.type === 'multi') return !Array.isArray(spec.default);
      const converted = convertValue(spec, valueText(spec.default));
      return !('value' in converted) || JSON.stringify(converted.value) !== JSON.stringify(spec.default);
    });
    expect(wrong.map(label)).toEqual([]);
  });

  test('mark as secret what is named like a password', () => {
    const open = allOptions.filter(
      ({ name, type, secret }) => type === 'string' && !secret && /(password|secret|secret_key)$/.test(name),
    );
    expect(open.map(label)).toEqual([]);
  });

  test('have valid patterns and former names that are nobody else’s', () => {
    const current = new Set(allOptions.map(label));
    for (const { group, name, pattern, deprecated_names = [] } of allOptions) {
      if (pattern !== undefined) expect(() => new RegExp(pattern)).not.toThrow();
      for (const [formerGroup, formerName] of deprecated_names) {
        const former = label({ group: formerGroup ?? group, name: formerName ?? name });
        // keystoneauth declares tenant_name both as an option and as the former name of project_name.
        if (!/tenant_(id|name)$/.test(former)) expect([former, current.has(former)]).toEqual([former, false]);
      }
    }
  });

  test('declare with effect every option that the code reads by literal names', async () => {
    const root = new URL('../../', import.meta.url);
    const files = (await readdir(root, { recursive: true })).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
    );
    const reads = /config\s*\.(?:string|optionalString|integer|float|boolean|list|dict)\(\s*'([^']+)',\s*'([^']+)'/g;
    const effective = new Set(allOptions.filter((option) => option.effective).map(label));
    const missing: string[] = [];
    for (const file of files) {
      for (const [, group, name] of (await readFile(new URL(file, root), 'utf8')).matchAll(reads)) {
        if (!effective.has(label({ group: group!, name: name! })))
          missing.push(`${file}: ${label({ group: group!, name: name! })}`);
      }
    }
    expect(missing).toEqual([]);
  });
});
