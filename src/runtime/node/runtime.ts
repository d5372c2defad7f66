/** The Runtime on Node 24. */
import os from 'node:os';
import process from 'node:process';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { nodeFiles } from './files.ts';
import { holdListener } from './held_listener.ts';
import { nodeProcesses } from './processes.ts';
import { scrypt } from './scrypt.ts';

/** The runtime of this process; `main` is the path of the program's main module, for `spawnSelf`. */
export function nodeRuntime(main: string): ServerRuntime {
  return {
    name: 'node',
    version: process.versions.node,
    arch: process.arch,
    env: process.env,
    cpus: os.availableParallelism(),
    hostname: os.hostname(),
    files: nodeFiles,
    processes: nodeProcesses({ executable: process.execPath, args: [...process.execArgv, main], holdListener }),
    network: {
      // Loaded when first used: most processes listen on nothing, or on one of these.
      serveHttp: async (options) => (await import('./http.ts')).serveHttp(options),
      listenTcp: async (options, accept) => (await import('./tcp.ts')).listenTcp(options, accept),
      listenWebSocket: async (options, accept) => (await import('./websocket.ts')).listenWebSocket(options, accept),
    },
    scrypt,
  };
}
