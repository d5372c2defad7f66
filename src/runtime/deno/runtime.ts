/** The Runtime on Deno 2: HTTP is Deno's own, the rest is Node's implementation through Deno's `node:` modules. */
import os from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { nodeFiles } from '../node/files.ts';
import { nodeProcesses } from '../node/processes.ts';
import { scrypt } from '../node/scrypt.ts';
import { deno } from './deno.ts';

/** `unstable: net` (SO_REUSEPORT) and the place of node_modules stand in the project's deno.json. */
const CONFIG = fileURLToPath(new URL('../../../deno.json', import.meta.url));

/** The runtime of this process; `main` is the path of the program's main module, for `spawnSelf`. */
export function denoRuntime(main: string): ServerRuntime {
  return {
    name: 'deno',
    version: deno.version.deno,
    arch: process.arch,
    env: process.env,
    cpus: os.availableParallelism(),
    hostname: os.hostname(),
    files: nodeFiles,
    processes: nodeProcesses({
      executable: process.execPath,
      args: ['run', '--allow-all', '--config', CONFIG, main],
      // Deno.serve binds for itself; ./steer.ts does for a roll what a held socket does on Node.
    }),
    network: {
      serveHttp: async (options) => (await import('./http.ts')).serveHttp(options),
      listenTcp: async (options, accept) => (await import('../node/tcp.ts')).listenTcp(options, accept),
      listenWebSocket: async (options, accept) =>
        (await import('../node/websocket.ts')).listenWebSocket(options, accept),
    },
    scrypt,
  };
}
