/** The `nucleon` program on Deno: the runtime, and the command line. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runCommand } from '#src/server/commands/mod.ts';
import { workerModules } from '#src/server/worker_modules.ts';
import { denoRuntime } from './runtime.ts';

const runtime = denoRuntime(fileURLToPath(import.meta.url));
process.exit(await runCommand(runtime, process.argv.slice(2), workerModules));
