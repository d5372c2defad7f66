/** Reads the project's own sources for the tests that check rules about them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface SourceFile {
  /** From the project's root: `src/api/mod.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** As written: `#src/lib/errors.ts`, `postgres`, `node:fs`. */
  readonly specifier: string;
  /** The file of ours that it names, or undefined. */
  readonly path: string | undefined;
  readonly typeOnly: boolean;
}

const IMPORT = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

function target(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('#src/')) return specifier.replace('#src/', 'src/');
  if (specifier.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(from), specifier));
  return undefined;
}

function parse(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const imports = [...code.matchAll(IMPORT)].map((match) => {
    const specifier = (match[2] ?? match[3])!;
    return { specifier, path: target(specifier, path), typeOnly: match[1] !== undefined };
  });
  return { path, text, imports };
}

/** Every TypeScript file below a folder of the project. */
export function sources(folder: string): readonly SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts') && statSync(join(ROOT, path)).isFile())
    .sort()
    .map(parse);
}
