/**
 * The command line: a table of commands, help for each, exit codes. The runtime's main module calls `runCommand` and exits with
 * what it resolves with. What a command needs is imported when it runs: a worker process loads nothing of the others.
 */

import { nearest } from '#src/lib/nearest.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { EXIT, messageOf, StartError } from '../errors.ts';
import { isProcessKind, TITLES, type WorkerModules } from '../supervisor/kinds.ts';
import { parseArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { commandHelp, generalHelp } from './help.ts';

/** By name; the words of a name are the words of the command line. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  server: async () => (await import('./server.ts')).serverCommand,
  'db upgrade': async () => (await import('./db.ts')).dbUpgradeCommand,
  'db current': async () => (await import('./db.ts')).dbCurrentCommand,
  'db check': async () => (await import('./db.ts')).dbCheckCommand,
  'config check': async () => (await import('./config.ts')).configCheckCommand,
  'policy explain': async () => (await import('./policy.ts')).policyExplainCommand,
  'agent simulated': async () => (await import('./agent.ts')).agentSimulatedCommand,
  'rpc call': async () => (await import('./rpc.ts')).rpcCallCommand,
  openrc: async () => (await import('./openrc.ts')).openrcCommand,
};

/** Runs the command that the words name; resolves with the exit code. */
export async function runCommand(
  runtime: ServerRuntime,
  words: readonly string[],
  modules: WorkerModules,
): Promise<number> {
  const { processes } = runtime;
  try {
    return await dispatch(runtime, words, modules);
  } catch (error) {
    const known = error instanceof StartError;
    // A StartError has put its cause into words already.
    processes.printError(`nucleon: ${known ? error.message : messageOf(error)}`);
    if (known && error.exitCode === EXIT.usage) processes.printError('Try "nucleon --help".');
    if (!known && error instanceof Error && error.stack !== undefined) processes.printError(error.stack);
    return known ? error.exitCode : EXIT.failure;
  }
}

async function dispatch(runtime: ServerRuntime, words: readonly string[], modules: WorkerModules): Promise<number> {
  const [first, second] = words;
  if (first === 'worker' && isProcessKind(second)) {
    runtime.processes.setTitle(TITLES[second]);
    const { runWorker } = await import('../supervisor/worker_main.ts');
    return runWorker(runtime, second, modules);
  }
  if (first === '--version' || first === '-V') {
    runtime.processes.print(`nucleon ${await version(runtime)} (${runtime.name} ${runtime.version})`);
    return EXIT.ok;
  }
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    runtime.processes.print(await generalHelp(COMMANDS));
    return first === undefined ? EXIT.usage : EXIT.ok;
  }
  const name = Object.hasOwn(COMMANDS, `${first} ${second}`) ? `${first} ${second}` : first;
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) throw new StartError(unknownCommand(first, second), { exitCode: EXIT.usage });
  const command = await load();
  const rest = words.slice(name.split(' ').length);
  if (rest.some((word) => word === '--help' || word === '-h')) {
    runtime.processes.print(commandHelp(name, command));
    return EXIT.ok;
  }
  return command.run({ runtime, modules }, parseArguments(rest, command));
}

function unknownCommand(first: string, second: string | undefined): string {
  const names = Object.keys(COMMANDS);
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length > 0) return `"${first}" needs one of: ${group.map((name) => name.split(' ')[1]).join(', ')}`;
  const near = nearest(second === undefined ? first : `${first} ${second}`, names) ?? nearest(first, names);
  return `there is no command "${first}"${near === undefined ? '' : `; did you mean "${near}"?`}`;
}

async function version({ files }: ServerRuntime): Promise<string> {
  const text = await files.read(decodeURIComponent(new URL('../../../package.json', import.meta.url).pathname));
  const manifest: { readonly version: string } = JSON.parse(text);
  return manifest.version;
}
