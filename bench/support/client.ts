/** A client that costs little: kept connections, answers parsed only when somebody wants them. */
import http from 'node:http';

export interface Client {
  /** Answers the body as text; fails on anything but success. */
  send(method: string, path: string, body?: unknown): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  json(method: string, path: string, body?: unknown): Promise<any>;
  close(): void;
}

/** `headers`: who asks, as `auth_strategy = noauth` believes it, or a token. */
export function createClient(url: string, headers: Readonly<Record<string, string>>): Client {
  const { hostname, port, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256, maxFreeSockets: 256 });

  function send(method: string, path: string, body?: unknown): Promise<string> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = text === undefined ? headers : { ...headers, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const request = http.request(
        { agent, hostname, port, method, path: prefix + path, headers: sent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const answer = Buffer.concat(chunks).toString();
            const status = response.statusCode ?? 0;
            if (status < 300) resolve(answer);
            else reject(new Error(`${method} ${path}: ${status} ${answer.slice(0, 300)}`));
          });
        },
      );
      request.on('error', reject);
      request.end(text);
    });
  }
  return {
    send,
    json: async (method, path, body) => JSON.parse(await send(method, path, body)),
    close: () => agent.destroy(),
  };
}
