/** A whole server and its secrets: none in a log, a command line or a file that others can read, whatever callers send. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Nucleon, startNucleon } from '../support/nucleon.ts';

let nucleon: Nucleon;
/** The administrator's password, the database's, the broker's. */
let kept: Readonly<Record<string, string>>;

beforeAll(async () => {
  nucleon = await startNucleon({
    env: {
      OS_DEFAULT__API_WORKERS: '1',
      OS_DEFAULT__RPC_WORKERS: '1',
      OS_DEFAULT__RPC_STATE_REPORT_WORKERS: '1',
      OS_DEFAULT__DEBUG: 'true',
    },
  });
  const file = async (name: string) => (await readFile(join(nucleon.stateDir, name), 'utf8')).trim();
  kept = {
    administrator: (await nucleon.openrc())['OS_PASSWORD']!,
    database: await file('postgres/password'),
    broker: (await file('mqtt/server_account')).split(/[\n:]/).at(-1)!,
  };
});
afterAll(() => nucleon?.stop());

interface Answer {
  readonly status: number;
  readonly token: string | null;
  readonly text: string;
}

async function identity(method: string, path: string, token: string | null, body?: unknown): Promise<Answer> {
  const response = await fetch(`${nucleon.url}/identity/v3${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token === null ? {} : { 'X-Auth-Token': token }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, token: response.headers.get('X-Subject-Token'), text: await response.text() };
}

const login = (name: string, password: string, scope?: unknown) => ({
  auth: {
    identity: { methods: ['password'], password: { user: { name, domain: { id: 'default' }, password } } },
    ...(scope === undefined ? {} : { scope }),
  },
});

/** The process and all below it. */
async function family(): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '');
    parents.set(Number(entry), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
  }
  const pids = [nucleon.pid];
  // A list's iteration also visits what is added on the way.
  for (const pid of pids) for (const [child, parent] of parents) if (parent === pid) pids.push(child);
  return pids;
}

describe('a secret', () => {
  it('is kept in files that only their owner reads', async () => {
    expect(Object.values(kept).filter((secret) => secret.length < 12)).toEqual([]);
    const found: string[] = [];
    for (const entry of await readdir(nucleon.stateDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || path.includes('/postgres/data/') || path.includes('/compile-cache/')) continue;
      const { mode } = await stat(path);
      const text = await readFile(path, 'utf8');
      if (Object.values(kept).some((secret) => text.includes(secret))) {
        found.push(entry.name);
        expect(mode & 0o077, path).toBe(0);
      }
    }
    expect(found.toSorted()).toEqual(
      expect.arrayContaining(['admin_password', 'clouds.yaml', 'openrc', 'password', 'server_account']),
    );
    for (const folder of ['postgres/data', 'mqtt']) {
      expect((await stat(join(nucleon.stateDir, folder))).mode & 0o077, folder).toBe(0);
    }
    expect((await stat(join(nucleon.stateDir, 'mqtt/users'))).mode & 0o077).toBe(0);
    // Others may pass through to what is theirs, not look around, and write nowhere.
    expect((await stat(nucleon.stateDir)).mode & 0o066).toBe(0);
  });

  it('stands in no command line and in no environment of the processes', async () => {
    const pids = await family();
    expect(pids.length).toBeGreaterThan(6);
    for (const pid of pids) {
      for (const file of ['cmdline', 'environ']) {
        const text = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
        for (const [name, secret] of Object.entries(kept)) {
          expect(text.includes(secret), `${name} in /proc/${pid}/${file}`).toBe(false);
        }
      }
    }
  });

  it('that callers send or are given is in no log line, at whatever level', async () => {
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const opened = await identity('POST', '/auth/tokens', null, login('admin', kept['administrator']!, scope));
    expect(opened.status).toBe(201);
    const token = opened.token!;
    const { id: user } = JSON.parse(opened.text).token.user;
    const secrets = {
      wrong: 'a-wrong-password-7hq1',
      new: 'a-new-password-9sk2',
      changed: 'a-changed-password-4ld8',
      credential: 'a-credential-secret-2mz6',
      malformed: 'a-password-in-bad-json-5vb3',
      mistyped: 'a-password-as-name-8xc4',
      extra: 'a-password-somewhere-1nn9',
      nul: 'a-password-\0-with-nul-3pp7',
    };
    await identity('POST', '/auth/tokens', null, login('admin', secrets.wrong));
    await identity('POST', '/auth/tokens', null, login(secrets.mistyped, 'x'));
    await identity('POST', '/auth/tokens', null, `{"auth": {"password": "${secrets.malformed}"`);
    await identity('POST', '/auth/tokens', null, login('admin', secrets.nul));
    await identity('POST', '/auth/tokens', null, {
      auth: { identity: { methods: ['password'], password: secrets.extra } },
    });
    const made = await identity('POST', '/users', token, { user: { name: 'new', password: secrets.new } });
    const { id } = JSON.parse(made.text).user;
    // A name that is taken: PostgreSQL's error says which row it was.
    await identity('POST', '/users', token, { user: { name: 'new', password: secrets.new } });
    await identity('PATCH', `/users/${id}`, token, { user: { password: [secrets.changed] } });
    await identity('POST', `/users/${id}/password`, null, {
      user: { original_password: secrets.new, password: secrets.changed },
    });
    const credential = { name: 'c', secret: secrets.credential };
    const given = await identity('POST', `/users/${user}/application_credentials`, token, {
      application_credential: credential,
    });
    expect(given.status).toBe(201);
    await fetch(`${nucleon.url}/v2.0/networks`, { headers: { 'X-Auth-Token': `${token}x` } });
    await fetch(`${nucleon.url}/v2.0/networks`, { headers: { 'X-Auth-Token': token } });
    const log = nucleon.output();
    expect(log).toContain('login failed');
    const all = { ...kept, ...secrets, token, signature: token.split('.').at(-1)! };
    const leaked = Object.entries(all).filter(([, secret]) => log.includes(secret));
    expect(leaked.map(([name]) => name)).toEqual([]);
  });
});

/** What a server answers to these very bytes. */
const exchange = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(nucleon.url).port), '127.0.0.1');
    let answer = '';
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no end of the answer to ${text}`)));
    socket.on('data', (bytes) => (answer += bytes));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(text);
  });

describe('bytes that are hardly HTTP', () => {
  const CLOSE = 'Connection: close\r\n\r\n';
  it.each([
    ['a host with a path', `GET / HTTP/1.1\r\nHost: evil/x?y=\r\n${CLOSE}`, /^HTTP\/1\.1 400/],
    ['a host with a user', `GET / HTTP/1.1\r\nHost: me@evil\r\n${CLOSE}`, /^HTTP\/1\.1 400/],
    ['no host', `GET / HTTP/1.1\r\n${CLOSE}`, /^HTTP\/1\.1 400/],
    [
      'two lengths',
      `POST /v2.0/networks HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n${CLOSE}`,
      /^HTTP\/1\.1 400/,
    ],
    [
      'a length and chunks',
      `POST /v2.0/networks HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n${CLOSE}0\r\n\r\n`,
      /^HTTP\/1\.1 400/,
    ],
    ['headers of 17 KB', `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(17_000)}\r\n${CLOSE}`, /^HTTP\/1\.1 431/],
    ['a path of two slashes', `GET //evil.example/v2.0/ HTTP/1.1\r\nHost: a\r\n${CLOSE}`, /^HTTP\/1\.1 401/],
    ['TRACE', `TRACE / HTTP/1.1\r\nHost: a\r\n${CLOSE}`, /^HTTP\/1\.1 405/],
  ])('%s', async (_, bytes, expected) => {
    expect(await exchange(bytes)).toMatch(expected);
  });

  it('a request id does not carry a header of its own', async () => {
    const answer = await exchange(`GET / HTTP/1.1\r\nHost: a\r\nX-Openstack-Request-Id: req-1\tX: y\r\n${CLOSE}`);
    expect(answer).toMatch(/^X-Openstack-Request-Id: req-[0-9a-f-]{36}\r$/m);
  });

  it('who forwards for nobody is believed nothing', async () => {
    const forged = 'X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nForwarded: host=evil.example\r\n';
    const answer = await exchange(`GET / HTTP/1.1\r\nHost: here\r\n${forged}${CLOSE}`);
    expect(answer).toContain('"href":"http://here/v2.0/"');
    expect(answer).not.toContain('evil');
  });
});
