/** The program on Deno, with the workers of these tests. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { denoRuntime } from '#src/runtime/deno/runtime.ts';
import { runCommand } from '#src/server/commands/mod.ts';
import { testWorkers } from './workers.ts';

process.exit(await runCommand(denoRuntime(fileURLToPath(import.meta.url)), process.argv.slice(2), testWorkers));
