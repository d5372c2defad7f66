/** The command line, read without help from a runtime: options by a table, then positionals. */
import { EXIT, StartError } from '../errors.ts';

/** An option of a command: `--config-file FILE`, several times if `many`; without `value` it is a switch. */
export interface OptionForm {
  readonly value?: string;
  readonly many?: boolean;
  readonly short?: string;
  readonly help: string;
}

export interface ArgumentForms {
  readonly options: Readonly<Record<string, OptionForm>>;
  /** Names for the usage line; a name in brackets may be left out. */
  readonly positionals: readonly string[];
}

export interface Arguments {
  readonly positionals: readonly string[];
  /** Every value that was given, in order. */
  values(option: string): readonly string[];
  /** The last value that was given. */
  value(option: string): string | undefined;
  has(option: string): boolean;
}

/** Reads the words behind the command's name; throws a StartError with exit code 2 for what does not fit. */
export function parseArguments(words: readonly string[], { options, positionals }: ArgumentForms): Arguments {
  const given = new Map<string, string[]>();
  const plain: string[] = [];
  let onlyPlain = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (onlyPlain || !word.startsWith('-') || word === '-') {
      plain.push(word);
      continue;
    }
    if (word === '--') {
      onlyPlain = true;
      continue;
    }
    const [, written = word, attached] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const name = optionName(written, options);
    const form = name === undefined ? undefined : options[name];
    if (name === undefined || form === undefined) throw misuse(`there is no option ${written}`);
    if (form.value === undefined) {
      if (attached !== undefined) throw misuse(`${written} takes no value`);
      given.set(name, []);
      continue;
    }
    if (attached === undefined) at += 1;
    const value = attached ?? words[at];
    if (value === undefined) throw misuse(`${written} needs a value: ${written} ${form.value}`);
    const before = given.get(name) ?? [];
    if (before.length > 0 && form.many !== true) throw misuse(`${written} is given twice`);
    given.set(name, [...before, value]);
  }
  const needed = positionals.filter((name) => !name.startsWith('['));
  const missing = needed[plain.length];
  if (missing !== undefined) throw misuse(`${missing} is missing`);
  const extra = plain[positionals.length];
  if (extra !== undefined) throw misuse(`"${extra}" is one word too many`);
  return {
    positionals: plain,
    values: (option) => given.get(option) ?? [],
    value: (option) => given.get(option)?.at(-1),
    has: (option) => given.has(option),
  };
}

function optionName(written: string, options: ArgumentForms['options']): string | undefined {
  if (written.startsWith('--')) {
    const name = written.slice(2);
    return Object.hasOwn(options, name) ? name : undefined;
  }
  return Object.entries(options).find(([, { short }]) => short === written.slice(1))?.[0];
}

function misuse(message: string): StartError {
  return new StartError(message, { exitCode: EXIT.usage });
}
