import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { OptionSpec } from '#src/lib/config.ts';
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

  test('declare with effect every option that the code reads, and no other', async () => {
    const code = await productCode();
    const effective = allOptions.filter((option) => option.effective);
    const labels = new Set(effective.map(label));
    const reads = /config\s*\.(?:string|optionalString|integer|float|boolean|list|dict)\(\s*'([^']+)',\s*'([^']+)'/g;
    const read = [...code.matchAll(reads)].map(([, group, name]) => label({ group: group!, name: name! }));
    expect([...new Set(read)].filter((one) => !labels.has(one))).toEqual([]);
    const unread = effective.filter((option) => !code.includes(`'${option.name}'`) && !COMPUTED.test(label(option)));
    expect(unread.map(label)).toEqual([]);
  });

  test('explain every option that has an effect, as docs/configuration_options.md shows (vitest -u writes it)', async () => {
    expect(allOptions.filter(({ effective, help }) => effective && !help).map(label)).toEqual([]);
    await expect(reference()).toMatchFileSnapshot(fileURLToPath(new URL('docs/configuration_options.md', root)));
  });
});

const root = new URL('../../../', import.meta.url);

/** Options whose names the code puts together. */
const COMPUTED = /^\[quotas\] quota_|^\[(keystone_authtoken|nova)\] (user|project)_domain_(id|name)$/;

/** All that is neither a test nor a declaration of options. */
async function productCode(): Promise<string> {
  const source = new URL('src/', root);
  const names = (await readdir(source, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !/^config\/options\/|(^|\/)options\.ts$/.test(name),
  );
  return (await Promise.all(names.map((name) => readFile(new URL(name, source), 'utf8')))).join('\n');
}

/** The options with effect, a table for each group. */
function reference(): string {
  const groups = Map.groupBy(
    allOptions.filter((option) => option.effective),
    (option) => option.group,
  );
  const tables = [...groups].map(([group, options]) => {
    const rows = options.map(
      (option) => `| \`${option.name}\` | ${kind(option)} | ${shownDefault(option)} | ${cell(option.help ?? '')} |`,
    );
    return [
      `## [${group}]`,
      '',
      '| option | type | default | meaning |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
    ].join('\n');
  });
  return [
    '# Options that have an effect',
    '',
    'Written from the option tables in `src/config/options`; how files are read is in [configuration.md](configuration.md).',
    '',
    ...tables,
  ].join('\n');
}

function kind({ type, choices, min, max }: OptionSpec): string {
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (min !== undefined && max !== undefined) return `${type}, ${min} to ${max}`;
  if (min !== undefined) return `${type}, at least ${min}`;
  return max === undefined ? type : `${type}, at most ${max}`;
}

function shownDefault(option: OptionSpec): string {
  const text = valueText(option.default);
  return text === '' ? 'unset' : `\`${cell(text)}\``;
}

const cell = (text: string) => text.replaceAll('|', '\\|');
