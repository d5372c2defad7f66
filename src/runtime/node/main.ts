/** The `nucleon` program on Node: the runtime, and the command line. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startCompileCache, writingCompileCache } from './compile_cache.ts';

const words = process.argv.slice(2);
startCompileCache(words);
const { nodeRuntime } = await import('./runtime.ts');
const { runCommand } = await import('#src/server/commands/mod.ts');
const { workerModules } = await import('#src/server/worker_modules.ts');

// bin/nucleon.mjs keeps a channel to us where it had to start another Node: should it be killed, we stop as if asked to.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

const runtime = nodeRuntime(fileURLToPath(import.meta.url));
process.exit(await runCommand(runtime, words, writingCompileCache(workerModules)));
