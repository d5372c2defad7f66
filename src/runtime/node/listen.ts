/** The one way a node:net or node:http server begins to listen. */
import type { Server } from 'node:net';
import process from 'node:process';
import type { ListenOptions } from '#src/lib/runtime.ts';
import { LISTENER_VARIABLE } from './held_listener.ts';

/** Resolves with the port; rejects with the system's error (`code`: EADDRINUSE, EACCES ...). */
export function listen(server: Server, { host, port, shared = false }: ListenOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  const held = shared ? process.env[LISTENER_VARIABLE] : undefined;
  const where = held === undefined ? { host, port, reusePort: shared } : { fd: Number(held) };
  server.listen({ ...where, backlog: 1024 }, () => {
    server.off('error', reject);
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : port);
  });
  return promise;
}
