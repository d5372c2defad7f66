/** The `nucleon` program on Node: the runtime, and the command line. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runCommand } from '#src/server/commands/mod.ts';
import { workerModules } from '#src/server/worker_modules.ts';
import { nodeRuntime } from './runtime.ts';

// bin/nucleon.mjs keeps a channel to us where it had to start another Node: should it be killed, we stop as if asked to.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

const runtime = nodeRuntime(fileURLToPath(import.meta.url));
process.exit(await runCommand(runtime, process.argv.slice(2), workerModules));
