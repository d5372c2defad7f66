/** The process tree of `nucleon server`, seen from outside, on both runtimes; processes are really killed. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startLoad } from './support/load.ts';
import {
  children,
  cleanUp,
  configuration,
  descendants,
  freePort,
  isRunning,
  type RuntimeName,
  removeTemplate,
  startServer,
  tree,
  until,
} from './support/server.ts';

afterEach(cleanUp);
afterAll(removeTemplate);

const SMALL = 'api_workers = 2\nrpc_workers = 1\nrpc_state_report_workers = 1';

describe.each<RuntimeName>(['node', 'deno'])('nucleon server on %s', (runtime) => {
  it('shows api_workers, rpc_workers and rpc_state_report_workers as exactly that tree', async () => {
    const server = await startServer(runtime, {
      more: 'api_workers = 5\nrpc_workers = 3\nrpc_state_report_workers = 3',
    });
    expect(await tree(server.pid)).toEqual({
      'nucleon: postgres': 1,
      'nucleon: mqtt broker': 1,
      'nucleon: api worker': 5,
      'nucleon: rpc worker': 3,
      'nucleon: rpc reports worker': 3,
      'nucleon: outbox relay': 1,
      // One is shared, one is what a plugin asked for.
      'nucleon: periodic worker': 2,
    });
    expect(await fs.readFile(`/proc/${server.pid}/cmdline`, 'utf8')).toMatch(/^nucleon: server\0+$/);
  });

  it('starts none of a kind that is set to 0', async () => {
    const server = await startServer(runtime, {
      more: 'api_workers = 0\nrpc_workers = 0\nrpc_state_report_workers = 0',
    });
    expect(Object.keys(await tree(server.pid)).toSorted()).toEqual([
      'nucleon: mqtt broker',
      'nucleon: outbox relay',
      'nucleon: periodic worker',
      'nucleon: postgres',
    ]);
  });

  it('starts every process that is killed again, says why, and answers meanwhile', async () => {
    const server = await startServer(runtime, { more: SMALL });
    const before = await children(server.pid);
    const wanted = await tree(server.pid);
    for (const [index, { pid, title }] of before.entries()) {
      process.kill(pid, 'SIGKILL');
      await server.says('process died and is started again', index + 1);
      await server.says('process is up again', index + 1);
      await until(
        async () =>
          (await fetch(`${server.url}/pid`)).ok &&
          !(await children(server.pid)).some((child) => child.pid === pid) &&
          JSON.stringify(sorted(await tree(server.pid))) === JSON.stringify(sorted(wanted)),
        () => `${title} did not come back:\n${server.output()}`,
      );
    }
    expect(server.output()).toContain('reason="signal SIGKILL"');
    const now = await children(server.pid);
    expect(now.map(({ pid }) => pid).filter((pid) => before.some((old) => old.pid === pid))).toEqual([]);
  });

  it('rolls all workers on SIGHUP with the new configuration, and no request fails', async () => {
    const server = await startServer(runtime, { more: SMALL });
    const quota = async () => (await fetch(`${server.url}/quota`)).text();
    expect(await quota()).toBe('100');
    const before = await children(server.pid);
    const services = ['nucleon: postgres', 'nucleon: mqtt broker'];
    const load = startLoad(server.url, { kept: 6, fresh: 1 });
    const text = configuration(server.folder, server.port, SMALL, '[quotas]\nquota_network = 7\n');
    await fs.writeFile(path.join(server.folder, 'nucleon.conf'), text);
    for (const times of [1, 2]) {
      server.signal('SIGHUP');
      await server.says('all workers were rolled', times);
    }
    const { answers, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(answers).toBeGreaterThan(100);
    expect(await quota()).toBe('7');
    const kept = (await children(server.pid)).filter(({ pid }) => before.some((old) => old.pid === pid));
    expect(kept.map(({ title }) => title).toSorted()).toEqual(services.toSorted());
  });

  it('refuses a broken configuration on SIGHUP and keeps the old one', async () => {
    const server = await startServer(runtime, { more: SMALL });
    const before = await children(server.pid);
    const file = path.join(server.folder, 'nucleon.conf');
    const good = await fs.readFile(file, 'utf8');
    await fs.writeFile(file, good.replace('api_workers = 2', 'api_workers = many'));
    server.signal('SIGHUP');
    await server.says('not taken over; the old one stays');
    expect(server.output()).toContain('api_workers');
    // Readable, but a worker cannot work with it.
    await fs.writeFile(file, good.replace(/core_plugin = .*/, 'core_plugin = broken'));
    server.signal('SIGHUP');
    await server.says('not taken over; the old one stays', 2);
    expect(server.output()).toContain('the core plugin is broken');
    expect(await children(server.pid)).toEqual(before);
    expect((await fetch(`${server.url}/quota`)).status).toBe(200);
  });

  it('follows a changed number of workers on SIGHUP', async () => {
    const server = await startServer(runtime, { more: SMALL });
    const file = path.join(server.folder, 'nucleon.conf');
    const text = await fs.readFile(file, 'utf8');
    await fs.writeFile(
      file,
      text.replace('api_workers = 2', 'api_workers = 3').replace('rpc_workers = 1', 'rpc_workers = 0'),
    );
    server.signal('SIGHUP');
    await server.says('all workers were rolled');
    const counts = await tree(server.pid);
    expect(counts['nucleon: api worker']).toBe(3);
    expect(counts['nucleon: rpc worker']).toBeUndefined();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'drains on %s: what is in flight is answered, then all is gone',
    async (signal) => {
      const server = await startServer(runtime, { more: SMALL });
      const family = await descendants(server.pid);
      const slow = fetch(`${server.url}/slow`).then((response) => response.text());
      await server.says('slow request began');
      server.signal(signal);
      expect(await slow).toBe('slow but whole');
      expect(await server.exited).toEqual({ code: 0, signal: null });
      expect(family.filter(({ pid }) => isRunning(pid))).toEqual([]);
    },
  );

  it('leaves no orphan when it is killed, and starts again on the same state', async () => {
    const server = await startServer(runtime, { more: SMALL });
    const family = await descendants(server.pid);
    expect(family.length).toBeGreaterThan(8);
    server.signal('SIGKILL');
    await server.exited;
    await until(
      () => !family.some(({ pid }) => isRunning(pid)),
      () => `still running: ${JSON.stringify(family.filter(({ pid }) => isRunning(pid)))}`,
    );
    const next = await startServer(runtime, { more: SMALL, folder: server.folder, port: server.port });
    expect((await fetch(`${next.url}/pid`)).status).toBe(200);
  });

  it('starts at once after it was killed, while its processes are still ending', async () => {
    const server = await startServer(runtime, { more: SMALL });
    server.signal('SIGKILL');
    const next = await startServer(runtime, { more: SMALL, folder: server.folder, port: server.port });
    expect((await fetch(`${next.url}/pid`)).status).toBe(200);
  });

  it('serves the metrics of all processes as one text', async () => {
    const port = await freePort();
    const server = await startServer(runtime, { more: SMALL, sections: `[metrics]\nport = ${port}\n` });
    for (let asked = 0; asked < 20; asked += 1) await (await fetch(`${server.url}/pid`)).text();
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toContain('test_requests_total{path="/pid"} 20');
    expect(text).toContain('nucleon_process_running{process="nucleon: api worker",index="1"} 1');
    const [victim] = (await children(server.pid)).filter(({ title }) => title === 'nucleon: rpc worker');
    process.kill(victim!.pid, 'SIGKILL');
    await server.says('process died and is started again');
    const after = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(after).toContain('nucleon_process_restarts_total{process="nucleon: rpc worker"} 1');
  });
});

function sorted(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).toSorted(([left], [right]) => left.localeCompare(right));
}
