/** A TCP proxy that can be cut: how a client loses the broker while others keep it. */
import net from 'node:net';

export async function startProxy(target: number) {
  const sockets = new Set<net.Socket>();
  let open = true;
  const server = net.createServer((socket) => {
    const upstream = net.connect(target, '127.0.0.1');
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    if (!open) {
      socket.destroy();
      upstream.destroy();
      return;
    }
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const cut = () => {
    open = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut,
    mend: () => {
      open = true;
    },
    async stop() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
