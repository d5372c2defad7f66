/** Clients that ask without a pause, some over kept connections, some over a new one each time; every failure is counted. */
import http from 'node:http';

export interface Load {
  /** Stops asking; what was answered, and why what was not. */
  stop(): Promise<{ readonly answers: number; readonly failures: readonly string[] }>;
  readonly answers: () => number;
}

export function startLoad(url: string, clients: { readonly kept: number; readonly fresh: number }): Load {
  let running = true;
  let answers = 0;
  const failures: string[] = [];
  const agent = new http.Agent({ keepAlive: true });
  const ask = (kept: boolean) =>
    new Promise<void>((resolve) => {
      const failed = (error: Error) => {
        failures.push(`${kept ? 'kept' : 'fresh'}: ${error.message}`);
        resolve();
      };
      const request = http.get(`${url}/pid`, kept ? { agent } : { agent: false }, (response) => {
        response.on('error', failed);
        response.on('end', () => {
          if (response.statusCode === 200) answers += 1;
          else failures.push(`status ${response.statusCode}`);
          resolve();
        });
        response.resume();
      });
      request.on('error', failed);
    });
  const client = async (kept: boolean) => {
    while (running) await ask(kept);
  };
  const done = [
    ...Array.from({ length: clients.kept }, () => client(true)),
    ...Array.from({ length: clients.fresh }, () => client(false)),
  ];
  return {
    answers: () => answers,
    async stop() {
      running = false;
      await Promise.all(done);
      agent.destroy();
      return { answers, failures };
    },
  };
}
