/**
 * Where values come from: files, of which later ones win, and the environment, which wins over all files. Every value
 * keeps its origin. Names are compared as oslo.config does: groups in any case (but DEFAULT only as such), `-` and `_`
 * alike in options.
 */

import type { Finding } from './finding.ts';
import { parseIni } from './ini.ts';

/** A value as written, and where. */
export interface Setting {
  /** As written: `Ml2`, `tls-min-version`. */
  readonly group: string;
  readonly name: string;
  readonly text: string;
  readonly file: string;
  readonly line: number | null;
}

/** The settings of one file, or of the environment. */
export interface Source {
  readonly settings: readonly Setting[];
}

/** A group as it is compared. */
export function groupKey(group: string): string {
  return group === 'DEFAULT' ? group : group.toLowerCase();
}

/** A group and an option as they are compared. */
export function settingKey(group: string, name: string): string {
  return `${groupKey(group)}.${name.replaceAll('-', '_')}`;
}

/** Reads one file; a file that cannot be read is an error finding. */
export async function fileSource(
  file: string,
  readFile: (path: string) => Promise<string>,
): Promise<{ source: Source; findings: readonly Finding[] }> {
  const failure = (line: number | null, message: string): Finding => ({
    kind: 'error',
    group: '',
    name: null,
    file,
    line,
    message,
  });
  let text: string;
  try {
    text = await readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { source: { settings: [] }, findings: [failure(null, `the configuration file cannot be read: ${reason}`)] };
  }
  const { entries, problems } = parseIni(text);
  const settings = entries.map(({ section, key, value, line }) => ({
    group: section,
    name: key,
    text: value,
    file,
    line,
  }));
  return { source: { settings }, findings: problems.map(({ line, message }) => failure(line, message)) };
}

const VARIABLE = /^OS_([A-Za-z0-9_]+?)__([A-Za-z0-9_]+)$/;

/** Reads `OS_<GROUP>__<OPTION>`; variables of another form (`OS_AUTH_URL`) are somebody else's. */
export function environmentSource(env: Readonly<Record<string, string | undefined>>): Source {
  const settings: Setting[] = [];
  for (const [variable, text] of Object.entries(env)) {
    const [, group, name] = VARIABLE.exec(variable) ?? [];
    if (group === undefined || name === undefined || text === undefined) continue;
    const upper = group.toUpperCase() === 'DEFAULT';
    settings.push({
      group: upper ? 'DEFAULT' : group.toLowerCase(),
      name: name.toLowerCase(),
      text,
      file: 'environment',
      line: null,
    });
  }
  return { settings };
}
