/** The text of `--help`. */
import type { Command } from './command.ts';

const GENERAL: readonly (readonly [string, string])[] = [
  ['--help', 'this list, or behind a command its own'],
  ['--version', 'the release, and the runtime that runs it'],
];

/** All commands, one line each. */
export async function generalHelp(commands: Readonly<Record<string, () => Promise<Command>>>): Promise<string> {
  const rows = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => [name, (await load()).summary] as const),
  );
  return [
    'Usage: nucleon COMMAND [OPTIONS]',
    '',
    'OpenStack Networking: the API, RPC to the agents, and what they need, in one command.',
    '',
    'Commands:',
    ...table(rows),
    '',
    'Options:',
    ...table(GENERAL),
    '',
    'Exit codes: 0 done, 1 failed, 2 the command line is wrong, 78 the configuration is wrong.',
  ].join('\n');
}

/** One command. */
export function commandHelp(name: string, command: Command): string {
  const options = Object.entries(command.options);
  const usage = ['nucleon', name, ...(options.length > 0 ? ['[OPTIONS]'] : []), ...command.positionals].join(' ');
  const rows = options.map(
    ([option, { value, help }]) => [`--${option}${value === undefined ? '' : ` ${value}`}`, help] as const,
  );
  const examples = command.examples ?? [];
  return [
    `Usage: ${usage}`,
    '',
    command.description,
    ...(rows.length > 0 ? ['', 'Options:', ...table(rows)] : []),
    ...(examples.length > 0 ? ['', 'Examples:', ...examples.map((example) => `  ${example}`)] : []),
  ].join('\n');
}

function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
