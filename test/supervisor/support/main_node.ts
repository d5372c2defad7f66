/** The program on Node, with the workers of these tests. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { nodeRuntime } from '#src/runtime/node/runtime.ts';
import { runCommand } from '#src/server/commands/mod.ts';
import { testWorkers } from './workers.ts';

process.exit(await runCommand(nodeRuntime(fileURLToPath(import.meta.url)), process.argv.slice(2), testWorkers));
