/** What keeps a server from starting is said in a clear message, with nothing lost; and the commands beside the server. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cleanUp,
  configuration,
  freePort,
  type RuntimeName,
  removeTemplate,
  run,
  startServer,
  temporaryFolder,
  usedState,
} from './support/server.ts';

let folder: string;
let port: number;

beforeEach(async () => {
  folder = await temporaryFolder();
  port = await freePort();
});
afterEach(cleanUp);
afterAll(removeTemplate);

const CONF = ['--config-file', 'nucleon.conf'];
const NONE = 'api_workers = 1\nrpc_workers = 0\nrpc_state_report_workers = 0';

async function configure(more = NONE, sections = ''): Promise<void> {
  await fs.writeFile(path.join(folder, 'nucleon.conf'), configuration(folder, port, more, sections));
}

/** Runs a command to its end. */
async function outcome(runtime: RuntimeName, words: readonly string[], wrap: readonly string[] = []) {
  const command = run(runtime, words, { folder, wrap });
  const { code } = await command.exited;
  return { code, output: command.output() };
}

const canMount = spawnSync('unshare', ['--mount', '--', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

describe.each<RuntimeName>(['node', 'deno'])('starting nucleon server on %s', (runtime) => {
  it('refuses a state directory that another server uses, and does not disturb that one', async () => {
    await usedState(folder);
    const first = await startServer(runtime, { folder, port, more: NONE });
    const text = configuration(folder, await freePort(), NONE);
    await fs.writeFile(path.join(folder, 'second.conf'), text);
    const { code, output } = await outcome(runtime, ['server', '--config-file', 'second.conf']);
    expect(code).toBe(1);
    expect(output).toContain(`is in use by another nucleon server (process ${first.pid})`);
    expect(output).toContain('[embedded] state_dir');
    expect((await fetch(`${first.url}/pid`)).status).toBe(200);
  });

  it('names port and option when the port is taken', async () => {
    await configure();
    const other = net.createServer().listen(port, '127.0.0.1');
    try {
      const { code, output } = await outcome(runtime, ['server', ...CONF]);
      expect(code).toBe(1);
      expect(output).toContain(`port ${port} of 127.0.0.1 is taken by another program`);
      expect(output).toContain('[DEFAULT] bind_port');
    } finally {
      other.close();
    }
  });

  it('names the option of an embedded service whose port is taken, if that was configured', async () => {
    const taken = await freePort();
    await configure(NONE, `mqtt_port = ${taken}\n`);
    const other = net.createServer().listen(taken, '127.0.0.1');
    try {
      const { code, output } = await outcome(runtime, ['server', ...CONF]);
      expect(code).toBe(1);
      expect(output).toContain(`port ${taken} of 127.0.0.1 is taken by another program`);
      expect(output).toContain('[embedded] mqtt_port');
    } finally {
      other.close();
    }
  });

  it('leaves the state directory of a newer release alone', async () => {
    await configure();
    await fs.mkdir(path.join(folder, 'state'));
    await fs.writeFile(path.join(folder, 'state', 'version'), '2\n');
    const { code, output } = await outcome(runtime, ['server', ...CONF]);
    expect(code).toBe(1);
    expect(output).toContain('was written by a newer Nucleon (format 2; this release knows 1)');
    expect((await fs.readdir(path.join(folder, 'state'))).toSorted()).toEqual(['lock', 'version']);
  });

  it('says so when the state directory cannot be made', async () => {
    await configure();
    await fs.writeFile(path.join(folder, 'state'), 'a file\n');
    const { code, output } = await outcome(runtime, ['server', ...CONF]);
    expect(code).toBe(1);
    expect(output).toContain('the state directory');
    expect(output).not.toContain('    at ');
    expect(await fs.readFile(path.join(folder, 'state'), 'utf8')).toBe('a file\n');
  });

  it.runIf(canMount)('says so when the disk of the state directory is full, and leaves what is there', async () => {
    await configure();
    await fs.mkdir(path.join(folder, 'state'));
    const mounted = [
      'unshare',
      '--mount',
      '--',
      'sh',
      '-c',
      'mount -t tmpfs -o size=8m tmpfs state && exec "$@"',
      'sh',
    ];
    const { code, output } = await outcome(runtime, ['server', ...CONF], mounted);
    expect(code).toBe(1);
    expect(output).toContain('no space is left for the state directory');
  });

  it('lists what is wrong with the configuration, with exit code 78', async () => {
    await configure('api_workers = many');
    for (const words of [
      ['server', ...CONF],
      ['config', 'check', ...CONF],
    ]) {
      const { code, output } = await outcome(runtime, words);
      expect(code).toBe(78);
      expect(output).toMatch(/nucleon\.conf:5: error: .*api_workers/);
    }
  });

  it('stops with the reason when an API worker cannot work', async () => {
    await usedState(folder);
    await configure(NONE);
    const text = await fs.readFile(path.join(folder, 'nucleon.conf'), 'utf8');
    await fs.writeFile(path.join(folder, 'nucleon.conf'), text.replace(/core_plugin = .*/, 'core_plugin = broken'));
    const { code, output } = await outcome(runtime, ['server', ...CONF]);
    expect(code).toBe(1);
    expect(output).toContain('nucleon: the core plugin is broken');
  });

  it('keeps data, ports and passwords from start to start', async () => {
    const connect = async () => {
      const ports = JSON.parse(await fs.readFile(path.join(folder, 'state', 'ports.json'), 'utf8'));
      const password = (await fs.readFile(path.join(folder, 'state', 'postgres', 'password'), 'utf8')).trim();
      const url = `postgresql://nucleon:${password}@127.0.0.1:${ports.postgres_port}/nucleon`;
      return { url, sql: postgres(url, { max: 1 }) };
    };
    const first = await startServer(runtime, { folder, port, more: NONE });
    const before = await connect();
    await before.sql`create table kept (id integer primary key)`;
    await before.sql`insert into kept values (7)`;
    const durable =
      await before.sql`select current_setting('fsync') as fsync, current_setting('data_checksums') as sums`;
    expect(durable[0]).toEqual({ fsync: 'on', sums: 'on' });
    await before.sql.end();
    expect((await outcome(runtime, ['db', 'check', ...CONF])).output).toContain('the database is up to date');
    first.signal('SIGTERM');
    await first.exited;
    // Without a server the command starts the database for the moment.
    const check = await outcome(runtime, ['db', 'current', ...CONF]);
    expect(check.output).toMatch(/nucleon: \d{4}_\w+ \(\d+ applied, 0 missing\)/);
    await startServer(runtime, { folder, port, more: NONE });
    const after = await connect();
    expect(after.url).toBe(before.url);
    expect((await after.sql`select id from kept`)[0]).toEqual({ id: 7 });
    await after.sql.end();
  });

  it('puts secrets where only their owner reads them', async () => {
    // A first start, nothing before it.
    await startServer(runtime, { folder, port, more: NONE });
    for (const name of ['postgres/password', 'mqtt/server_account', 'mqtt/users']) {
      const { mode } = await fs.stat(path.join(folder, 'state', name));
      expect([name, mode & 0o777]).toEqual([name, 0o600]);
    }
  });
});
