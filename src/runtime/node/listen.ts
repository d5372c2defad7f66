/** The one way a node:net or node:http server begins to listen. */
import type { Server } from 'node:net';
import type { ListenOptions } from '#src/lib/runtime.ts';

/** Resolves with the port; rejects with the system's error (`code`: EADDRINUSE, EACCES ...). */
export function listen(server: Server, { host, port, shared = false }: ListenOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  server.listen({ host, port, reusePort: shared, backlog: 1024 }, () => {
    server.off('error', reject);
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : port);
  });
  return promise;
}
