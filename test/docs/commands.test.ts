/** The commands that the documents tell people to run exist: npm scripts, deno tasks, the server's own, scripts of ours. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, documents, ROOT } from './support/markdown.ts';
import { runNucleon } from './support/run.ts';

const json = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const scripts = new Set(Object.keys(json('package.json').scripts));
const tasks = new Set(Object.keys(json('deno.json').tasks));
const ours = documents().filter(({ path }) => !path.startsWith('docs/release_notes/'));

/** What a document calls: in its shell blocks, and in `code` within its text. */
function calls(pattern: RegExp): readonly { readonly path: string; readonly name: string }[] {
  return ours.flatMap((from) => {
    const shell = codeBlocks(from)
      .filter(({ info }) => /^(sh|bash|text|)\b/.test(info))
      .map(({ code }) => code);
    const inline = [...from.text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
    return [...shell, ...inline]
      .flatMap((text) => [...text.matchAll(pattern)])
      .map((match) => ({ path: from.path, name: match[1]! }));
  });
}

describe('commands in the documents', () => {
  it('npm scripts are in package.json', () => {
    const run = calls(/\bnpm run (?:-s )?([\w:]+)/g);
    const short = calls(/\bnpm (start|test)\b/g);
    expect(run.length + short.length).toBeGreaterThan(0);
    expect([...run, ...short].filter(({ name }) => !scripts.has(name))).toEqual([]);
  });

  it('deno tasks are in deno.json', () => {
    expect(calls(/\bdeno task (\w+)/g).filter(({ name }) => !tasks.has(name))).toEqual([]);
  });

  it('commands of nucleon are in its help', async () => {
    const help = await runNucleon(['--help']);
    const [, list = ''] = /Commands:\n([\s\S]*?)\n\n/.exec(help) ?? [];
    const known = [...list.matchAll(/^ {2}(\S+(?: \S+)?)\s{2,}/gm)].map((match) => match[1]!);
    expect(known).toContain('server');
    const named = calls(
      /(?:^|[;&|(]\s*|bin\/)(?:OS_\w+=\S+\s+)*nucleon(?:\.mjs)? ((?:agent|db|config|policy|rpc) [a-z|]+|[a-z]+)\b/gm,
    );
    const unknown = named.flatMap(({ path, name }) => {
      const [group = '', choices] = name.split(' ');
      const full = choices === undefined ? [group] : choices.split('|').map((choice) => `${group} ${choice}`);
      return full.filter((command) => !known.includes(command)).map((command) => `${path}: nucleon ${command}`);
    });
    expect(named.length).toBeGreaterThan(0);
    expect(unknown).toEqual([]);
  });

  it('scripts of ours exist', () => {
    const named = calls(/(?:^|\s)((?:bin|bench|\.ci)\/[\w./-]+)/g);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ name }) => !existsSync(join(ROOT, name)))).toEqual([]);
  });
});
