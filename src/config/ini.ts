/**
 * Reads the text of an INI file as oslo.config does: sections, `key = value` or `key: value` (whichever sign comes
 * first), comments with `#` and `;`, continuation lines (indented), one pair of quotes around a value taken off. It knows
 * no option; it keeps every assignment with its line, so that later complaints can point at it.
 */

/** One assignment of a file, in the order written. */
export interface IniEntry {
  readonly section: string;
  readonly key: string;
  readonly value: string;
  readonly line: number;
}

/** A line that cannot be read. */
export interface IniProblem {
  readonly line: number;
  readonly message: string;
}

export interface IniFile {
  readonly entries: readonly IniEntry[];
  readonly problems: readonly IniProblem[];
}

/** Reads INI text; lines that cannot be read are reported and skipped. */
export function parseIni(text: string): IniFile {
  const entries: IniEntry[] = [];
  const problems: IniProblem[] = [];
  let section: string | undefined;
  let open: { key: string; values: string[]; line: number } | undefined;

  const flush = () => {
    if (open && section !== undefined)
      entries.push({ section, key: open.key, value: open.values.join('\n'), line: open.line });
    open = undefined;
  };

  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (const [index, written] of lines.entries()) {
    const line = index + 1;
    const content = written.trimEnd();
    const problem = (message: string) => problems.push({ line, message });

    if (content !== '' && /^[ \t]/.test(content)) {
      if (open) open.values.push(content.trimStart());
      else problem('this line is indented, which continues a value, but no value stands before it');
      continue;
    }
    flush();
    if (content === '' || content.startsWith('#') || content.startsWith(';')) continue;
    if (content.startsWith('[')) {
      if (!content.endsWith(']')) problem('a section must end with "]"');
      else if (content.length === 2) problem('a section needs a name between "[" and "]"');
      else section = content.slice(1, -1);
      continue;
    }
    const assignment = splitAssignment(content);
    if (!assignment) problem('neither a section, a comment nor "option = value"');
    else if (assignment.key === '') problem('an option needs a name before "="');
    else if (section === undefined)
      problem(`"${assignment.key}" stands before the first section; write [DEFAULT] above it`);
    else open = { key: assignment.key, values: [assignment.value], line };
  }
  flush();
  return { entries, problems };
}

function splitAssignment(line: string): { key: string; value: string } | undefined {
  const at = line.search(/[=:]/);
  if (at < 0) return undefined;
  return { key: line.slice(0, at).trim(), value: unquote(line.slice(at + 1).trim()) };
}

function unquote(value: string): string {
  const quote = value[0];
  const quoted = (quote === '"' || quote === "'") && value.length > 1 && value.endsWith(quote);
  return quoted ? value.slice(1, -1) : value;
}
