/** TCP through node:net, as the byte streams that `src/broker` reads. */
import net from 'node:net';
import tls from 'node:tls';
import type { Connection, Listening, StreamListenOptions } from '#src/lib/runtime.ts';
import { listen } from './listen.ts';
import { tlsSettings } from './tls.ts';

/** How long what was written before `close()` may take to reach a peer that does not read. */
const FLUSH_MS = 1000;

export async function listenTcp(
  options: StreamListenOptions,
  accept: (connection: Connection) => void,
): Promise<Listening> {
  const open = new Set<net.Socket>();
  const onSocket = (socket: net.Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    accept(tcpConnection(socket));
  };
  const server =
    options.tls === undefined
      ? net.createServer({ noDelay: true }, onSocket)
      : tls.createServer({ noDelay: true, ...tlsSettings(options.tls) }, onSocket);
  const port = await listen(server, options);
  return {
    port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) closeSocket(socket);
      await closed;
    },
  };
}

function tcpConnection(socket: net.Socket): Connection {
  const remote = `${socket.remoteAddress}:${socket.remotePort}`;
  // The close that follows an error is all that a reader needs to know.
  socket.on('error', () => {});
  return {
    remote,
    write: (bytes) => {
      if (socket.writable) socket.write(bytes);
    },
    get buffered() {
      return socket.writableLength;
    },
    close: () => closeSocket(socket),
    onData: (handler) => {
      socket.on('data', handler);
    },
    onClose: (handler) => {
      socket.on('close', handler);
    },
  };
}

function closeSocket(socket: net.Socket): void {
  const timer = setTimeout(() => socket.destroy(), FLUSH_MS);
  socket.on('close', () => clearTimeout(timer));
  socket.end(() => socket.destroy());
}
