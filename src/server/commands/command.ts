/** What a command is: the table of `mod.ts` holds one of these for each. */
import type { ServerRuntime } from '#src/lib/runtime.ts';
import type { WorkerModules } from '../supervisor/mod.ts';
import type { ArgumentForms, Arguments } from './arguments.ts';

export interface CommandContext {
  readonly runtime: ServerRuntime;
  /** The code of the worker processes. */
  readonly modules: WorkerModules;
}

export interface Command extends ArgumentForms {
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` says below the usage line. */
  readonly description: string;
  readonly examples?: readonly string[];
  /** Resolves with the exit code. */
  run(context: CommandContext, args: Arguments): Promise<number>;
}
