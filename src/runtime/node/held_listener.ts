/**
 * A place to listen that outlives the process which accepts there. The supervisor binds a socket and hands it down to a worker
 * as descriptor 3; when the worker is renewed its successor gets the same socket, so that connections which the kernel has
 * completed but nobody has accepted yet are not reset when the predecessor closes its copy.
 *
 * Node binds without listening only by `net._createServerHandle`, which node:cluster is made of but the manual does not name.
 * Where it is missing there is no such listener, and each worker binds for itself (SO_REUSEPORT).
 */
import net from 'node:net';
import type { HeldListener } from '#src/lib/runtime.ts';

/** The descriptor that a worker finds it at, said in its environment. */
export const LISTENER_VARIABLE = 'NUCLEON_LISTEN_FD';
export const LISTENER_DESCRIPTOR = 3;

interface Handle {
  readonly fd: number;
  close(): void;
}

type CreateHandle = (host: string, port: number, family: 4 | 6, fd: -1, flags: number) => Handle | number;

/** libuv's flag for SO_REUSEPORT. */
const REUSE_PORT = 2;
const handles = new WeakMap<HeldListener, Handle>();

/** Binds; undefined where that cannot be done this way. */
export function holdListener(host: string, port: number): HeldListener | undefined {
  const create = (net as { readonly _createServerHandle?: CreateHandle })._createServerHandle;
  const family = net.isIP(host);
  if (create === undefined || (family !== 4 && family !== 6)) return undefined;
  const handle = create(host, port, family, -1, REUSE_PORT);
  // A number is the system's error: the worker will meet it too, and say it.
  if (typeof handle === 'number') return undefined;
  const listener: HeldListener = { close: () => handle.close() };
  handles.set(listener, handle);
  return listener;
}

/** The descriptor to hand down. */
export function descriptorOf(listener: HeldListener): number | undefined {
  return handles.get(listener)?.fd;
}
