/** MQTT over WebSocket through `ws`: the binary messages joined to a byte stream. */
import http from 'node:http';
import https from 'node:https';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Connection, Listening, StreamListenOptions } from '#src/lib/runtime.ts';
import { listen } from './listen.ts';
import { tlsSettings } from './tls.ts';

export interface WebSocketOptions extends StreamListenOptions {
  readonly path: string;
  readonly protocol: string;
}

/** No message of MQTT's is longer here; the broker has its own, smaller limit. */
const MAX_PAYLOAD = 4 * 1024 * 1024;

export async function listenWebSocket(
  options: WebSocketOptions,
  accept: (connection: Connection) => void,
): Promise<Listening> {
  const onRequest: http.RequestListener = (_, response) => {
    response.writeHead(426, { upgrade: 'websocket' }).end();
  };
  const server =
    options.tls === undefined ? http.createServer(onRequest) : https.createServer(tlsSettings(options.tls), onRequest);
  const sockets = new WebSocketServer({
    server,
    path: options.path,
    maxPayload: MAX_PAYLOAD,
    handleProtocols: (offered) => (offered.has(options.protocol) ? options.protocol : false),
  });
  // It repeats the server's errors, which `listen` reports; unheard they would end the process.
  sockets.on('error', () => {});
  sockets.on('connection', (socket, request) => {
    const { remoteAddress, remotePort } = request.socket;
    accept(webSocketConnection(socket, `${remoteAddress}:${remotePort}`));
  });
  const port = await listen(server, options);
  return {
    port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets.clients) socket.close(1001);
      sockets.close();
      const timer = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, 1000);
      await closed;
      clearTimeout(timer);
    },
  };
}

function webSocketConnection(socket: WebSocket, remote: string): Connection {
  socket.on('error', () => {});
  return {
    remote,
    write: (bytes) => {
      if (socket.readyState === socket.OPEN) socket.send(bytes);
    },
    get buffered() {
      return socket.bufferedAmount;
    },
    close: () => socket.close(),
    onData: (handler) => {
      socket.on('message', (data: Uint8Array | ArrayBuffer | Uint8Array[]) => {
        for (const part of Array.isArray(data) ? data : [data])
          handler(part instanceof Uint8Array ? part : new Uint8Array(part));
      });
    },
    onClose: (handler) => {
      socket.on('close', handler);
    },
  };
}
