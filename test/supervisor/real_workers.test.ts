/** The whole server with its real workers, as it stands in production: the tree, and every process killed in turn. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Nucleon, startNucleon, until } from '../support/nucleon.ts';
import { children, tree } from './support/server.ts';

describe('nucleon server with its own workers', () => {
  let server: Nucleon;
  let pid: number;

  beforeAll(async () => {
    server = await startNucleon({
      env: {
        OS_DEFAULT__AUTH_STRATEGY: 'noauth',
        OS_DEFAULT__API_WORKERS: '5',
        OS_DEFAULT__RPC_WORKERS: '3',
        OS_DEFAULT__RPC_STATE_REPORT_WORKERS: '3',
      },
    });
    await until('all workers', async () => server.output().includes('all workers are ready'));
    pid = await supervisorOf(server.pid);
  });
  afterAll(() => server?.stop());

  /** The wrapper that found a newer Node stands before the supervisor. */
  async function supervisorOf(started: number): Promise<number> {
    const [below] = (await children(started)).filter(({ title }) => title === 'nucleon: server');
    return below?.pid ?? started;
  }

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}/v2.0/${path}`, { ...init, headers: { 'X-Project-Id': 'p', 'X-Roles': 'admin' } });
  const createNetwork = async () =>
    (await ask('networks', { method: 'POST', body: JSON.stringify({ network: { name: 'n' } }) })).status;

  it('has exactly the processes that the configuration asks for', async () => {
    expect(await tree(pid)).toEqual({
      'nucleon: postgres': 1,
      'nucleon: mqtt broker': 1,
      'nucleon: api worker': 5,
      'nucleon: rpc worker': 3,
      'nucleon: rpc reports worker': 3,
      'nucleon: outbox relay': 1,
      'nucleon: periodic worker': 1,
    });
  });

  it('has one of every kind back after it was killed, and loses nothing that was committed', async () => {
    const wanted = await tree(pid);
    let made = 0;
    for (const title of Object.keys(wanted)) {
      const victim = (await children(pid)).find((child) => child.title === title);
      expect(await createNetwork()).toBe(201);
      made += 1;
      process.kill(victim!.pid, 'SIGKILL');
      await until(`${title} again`, async () => {
        const now = await children(pid);
        const back = JSON.stringify(Object.entries(await tree(pid)).toSorted());
        return (
          !now.some((child) => child.pid === victim!.pid) && back === JSON.stringify(Object.entries(wanted).toSorted())
        );
      });
      await until('an answer', async () => (await ask('networks?limit=1')).ok);
    }
    const { networks } = (await (await ask('networks')).json()) as { networks: unknown[] };
    expect(networks).toHaveLength(made);
  }, 120_000);
});
