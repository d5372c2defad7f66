import { execSync } from 'node:child_process';
import { connect } from 'node:net';
import { afterAll, beforeAll, it } from 'vitest';
import { type Nucleon, startNucleon } from '../support/nucleon.ts';

let nucleon: Nucleon;
beforeAll(async () => {
  nucleon = await startNucleon({
    env: { OS_DEFAULT__API_WORKERS: '1', OS_DEFAULT__RPC_WORKERS: '1', OS_DEFAULT__DEBUG: 'true' },
  });
});
afterAll(() => nucleon.stop());
const raw = (text: string) =>
  new Promise<string>((resolve) => {
    const { port } = new URL(nucleon.url);
    const socket = connect(Number(port), '127.0.0.1');
    let out = '';
    socket.on('data', (d) => (out += d));
    socket.on('close', () => resolve(out));
    socket.on('error', (e) => resolve(`${out} ${e}`));
    socket.write(text);
    setTimeout(() => socket.destroy(), 1500);
  });
it('probe', async () => {
  const rc = await nucleon.openrc();
  console.log(
    execSync(`find ${nucleon.stateDir} -maxdepth 2 -printf '%M %u %p\n' | grep -v base/ | head -80`).toString(),
  );
  const pids = execSync(`ps -eo pid,ppid,args --no-headers`)
    .toString()
    .split('\n')
    .map((l) => l.trim().split(/\s+/));
  const tree = new Set([String(nucleon.pid)]);
  for (let i = 0; i < 5; i++) for (const [pid, ppid] of pids) if (tree.has(ppid!)) tree.add(pid!);
  for (const pid of tree) {
    const cmd = execSync(`tr '\\0' ' ' < /proc/${pid}/cmdline || true`).toString();
    const env = execSync(
      `tr '\\0' '\\n' < /proc/${pid}/environ | grep -iE 'pass|secret|postgres|url|token|conn' || true`,
    ).toString();
    console.log(pid, cmd.slice(0, 300), '\n   ENV', env.slice(0, 600));
  }
  for (const host of [
    'evil.example',
    'evil.example/path?x=',
    'a"b',
    'evil.example:99999',
    'user@evil',
    'a b',
    "x'><script>",
  ]) {
    console.log(
      'HOST',
      host,
      (await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).slice(0, 700),
    );
    console.log(
      'HOST2',
      host,
      (await raw(`GET /v2.0/networks HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).slice(0, 400),
    );
  }
  console.log(await raw(`GET http://evil.example/ HTTP/1.1\r\nHost: good\r\nConnection: close\r\n\r\n`));
  console.log(await raw(`GET //evil.example/v2.0/ HTTP/1.1\r\nHost: good\r\nConnection: close\r\n\r\n`));
  console.log(await raw(`GET /%zz HTTP/1.1\r\nHost: good\r\nConnection: close\r\n\r\n`));
  console.log(await raw(`GET \\\\evil HTTP/1.1\r\nHost: good\r\nConnection: close\r\n\r\n`));
  console.log(await raw(`OPTIONS * HTTP/1.1\r\nHost: good\r\nConnection: close\r\n\r\n`));
  console.log(await raw(`CONNECT evil:80 HTTP/1.1\r\nHost: good\r\nConnection: close\r\n\r\n`));
  console.log(await raw(`TRACE / HTTP/1.1\r\nHost: good\r\nConnection: close\r\n\r\n`));
  console.log(
    await raw(
      `POST /v2.0/networks HTTP/1.1\r\nHost: good\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    ),
  );
  console.log(await raw(`GET / HTTP/1.1\r\nConnection: close\r\n\r\n`));
  console.log(await raw(`GET / HTTP/1.0\r\nConnection: close\r\n\r\n`));
  console.log(Object.keys(rc));
  const out = nucleon.output();
  console.log('LOG LEN', out.length, 'password in log', out.includes(rc['OS_PASSWORD']!));
  console.log(out.slice(0, 3000));
});
