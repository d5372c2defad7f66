/** An embedded identity on a database of its own, and one behind a real port. */

import { scrypt } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { createEmbeddedIdentity, type EmbeddedIdentity, type IdentitySettings } from '#src/identity/mod.ts';
import type { Clock } from '#src/lib/clock.ts';
import { systemClock } from '#src/lib/clock.ts';
import type { Database } from '#src/lib/database.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { Runtime } from '#src/lib/runtime.ts';

const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

export const nodeScrypt: Runtime['scrypt'] = (password, salt, { logN, r, p, length }) =>
  derive(password, salt, length, { N: 2 ** logN, r, p, maxmem: 2 ** 28 });

export const ADMIN_PASSWORD = 'the administrator has a password';

/** As a deployment's, but for hashes that take no time. */
export const SETTINGS: IdentitySettings = {
  tokenSeconds: 3600,
  lockoutAttempts: 5,
  lockoutSeconds: 300,
  passwordHashCost: 10,
  adminUsername: 'admin',
  adminProject: 'admin',
  region: 'RegionOne',
  publicEndpoint: null,
};

export interface IdentityOptions {
  readonly clock?: Clock;
  readonly settings?: Partial<IdentitySettings>;
}

/** One process's worth of embedded identity over the database. */
export function openIdentity(db: Database, options: IdentityOptions = {}): EmbeddedIdentity {
  return createEmbeddedIdentity({
    db,
    clock: options.clock ?? systemClock,
    scrypt: nodeScrypt,
    settings: { ...SETTINGS, ...options.settings },
    log: silentLogger,
    metrics: silentMetrics,
    fallbackEndpoint: 'http://127.0.0.1:9696',
  });
}

export interface Served {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Serves the handler on a free port of loopback. */
export async function serve(handle: (request: Request) => Promise<Response>, port = 0): Promise<Served> {
  const server = createServer(getRequestListener(handle));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${bound}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
