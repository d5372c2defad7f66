/** The Runtime on Node 24. */
import os from 'node:os';
import process from 'node:process';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { nodeFiles } from './files.ts';
import { holdListener } from './held_listener.ts';
import { nodeProcesses } from './processes.ts';
import { scrypt } from './scrypt.ts';

/**
 * MiB in which V8 keeps new objects; its own choice of 16 makes each worker tens of MiB larger and none of them faster. Who starts
 * Node with a flag of the same name decides.
 */
const SMALL_NURSERY = ['--max-semi-space-size=4'];

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
    processes: nodeProcesses({
      executable: process.execPath,
      args: [...SMALL_NURSERY, ...process.execArgv, main],
      holdListener,
    }),
    network: {
      // Loaded when first used: most processes listen on nothing, or on one of these.
      serveHttp: async (options) => (await import('./http.ts')).serveHttp(options),
      listenTcp: async (options, accept) => (await import('./tcp.ts')).listenTcp(options, accept),
      listenWebSocket: async (options, accept) => (await import('./websocket.ts')).listenWebSocket(options, accept),
    },
    scrypt,
  };
}
