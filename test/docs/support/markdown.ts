/** Reads the project's documents for the tests that hold them to the code. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Folders that hold nothing of ours. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git', '.nucleon', 'dist', 'coverage']);

export interface Document {
  /** From the project's root: `docs/errors.md`. */
  readonly path: string;
  readonly text: string;
}

function* below(folder: string): Iterable<string> {
  for (const name of readdirSync(folder).sort()) {
    if (SKIPPED.has(name)) continue;
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* below(path);
    else if (name.endsWith('.md')) yield path;
  }
}

export function document(path: string): Document {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

/** Every *.md file of the project. */
export function documents(): readonly Document[] {
  return [...below(ROOT)].map((path) => document(relative(ROOT, path)));
}

export interface CodeBlock {
  /** What stands behind the opening fence: `ts file=examples/a.ts`. */
  readonly info: string;
  readonly code: string;
  readonly line: number;
}

const FENCE = /^```(.*)$/;

export function codeBlocks({ text }: Document): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { readonly info: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = FENCE.exec(line);
    if (fence !== null && open === undefined) open = { info: fence[1]!.trim(), line: index + 1, lines: [] };
    else if (fence !== null && open !== undefined) {
      blocks.push({ info: open.info, code: open.lines.join('\n'), line: open.line });
      open = undefined;
    } else open?.lines.push(line);
  }
  return blocks;
}

/** The text without its code blocks. */
export function prose({ text }: Document): string {
  return text.replaceAll(/^```.*$[\s\S]*?^```$/gm, '');
}

/** The anchors that headings make, as GitHub makes them. */
export function anchors(document: Document): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of prose(document).matchAll(/^#{1,6} +(.+)$/gm)) {
    const anchor = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    found.add(anchor);
  }
  return found;
}

/** Rows of all tables, cell by cell, without headings and rules. */
export function tableRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('|') || isRule(line) || isRule(lines[index + 1] ?? '')) continue;
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    rows.push(cells.map((cell) => cell.trim()));
  }
  return rows;
}

const isRule = (line: string): boolean => /^\|(\s*:?-+:?\s*\|)+$/.test(line.trim());
