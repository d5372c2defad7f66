/** `nucleon agent simulated`: what it is told, and the accounts that it makes itself beside a server with its own broker. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileUsers } from '#src/broker/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { nodeRuntime } from '#src/runtime/node/runtime.ts';
import { agentAccounts, brokerAccount, brokerUsersFile } from '#src/server/embedded/broker_account.ts';
import { ROOT } from '../docs/support/markdown.ts';

const { files } = nodeRuntime(fileURLToPath(import.meta.url));
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nucleon-accounts-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the accounts of agents', () => {
  const users = () =>
    fileUsers({
      files,
      path: brokerUsersFile(folder),
      topicPrefix: 'neutron/v1',
      clock: systemClock,
      log: silentLogger,
    });

  it("are one for each host, kept, for the owner alone, and of that host's topics alone", async () => {
    const accounts = await agentAccounts(files, folder, ['compute-1', 'rack 7/node']);
    expect(await agentAccounts(files, folder, ['compute-1', 'rack 7/node'])).toEqual(accounts);
    const { username, password } = accounts.get('rack 7/node')!;
    expect(username).toBe('rack%207%2Fnode');
    expect((await stat(join(folder, 'mqtt/agents/compute-1'))).mode & 0o777).toBe(0o600);
    expect(await readFile(brokerUsersFile(folder), 'utf8')).not.toContain(password);
    const grant = await (await users()).authenticate(username, password, '127.0.0.1:1');
    expect(grant?.canPublish('neutron/v1/up/rack%207%2Fnode/req/q-plugin')).toBe(true);
    expect(grant?.canPublish('neutron/v1/up/compute-1/req/q-plugin')).toBe(false);
  });

  it('are made by many at once, and none is lost; nor is one that somebody has taken from the broker', async () => {
    const hosts = Array.from({ length: 6 }, (_, n) => `host-${n}`);
    const [server, ...made] = await Promise.all([
      brokerAccount(files, folder),
      ...hosts.map((host) => agentAccounts(files, folder, [host])),
    ]);
    const all = [server, ...made.map((accounts, n) => accounts.get(hosts[n]!)!)];
    const known = await users();
    for (const { username, password } of all)
      expect(await known.authenticate(username, password, username)).not.toBeNull();
    await writeFile(brokerUsersFile(folder), '');
    await agentAccounts(files, folder, hosts);
    const { username, password } = all[1]!;
    expect(await (await users()).authenticate(username, password, '127.0.0.1:1')).not.toBeNull();
  });

  it("are not made for a host that has the name of the server's own user", async () => {
    await expect(agentAccounts(files, folder, ['server'])).rejects.toThrow(/no agent's host can be "server"/);
  });
});

describe('nucleon agent simulated', () => {
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Promise<{ code: unknown; said: string }>((resolve) => {
      const options = { cwd: ROOT, env: { ...process.env, OS_EMBEDDED__STATE_DIR: folder, ...env }, timeout: 30_000 };
      execFile('node', ['bin/nucleon.mjs', 'agent', 'simulated', ...args], options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, said: stdout + stderr }),
      );
    });

  it.each([
    [['--roles', 'l2,l4'], /"l4" is no role: --roles takes some of l2, dhcp, l3, metadata/],
    [['--l3-mode', 'dvr_all'], /--l3-mode takes one of legacy, dvr, dvr_snat, dvr_no_external, not "dvr_all"/],
    [['--physical-network', 'physnet1'], /NETWORK:BRIDGE \(physnet1:br-ex\), not "physnet1"/],
  ])('refuses %j', async (args, reason) => {
    const { code, said } = await run(args);
    expect(said).toMatch(reason);
    expect(code).toBe(2);
  });

  it('needs a line for each host in the file of credentials', async () => {
    const file = join(folder, 'credentials');
    await writeFile(file, 'rack-1:secret\n');
    const args = ['--host', 'rack', '--count', '2', '--credentials', file];
    expect(await run(args, { OS_MQTT__URL: 'mqtt://127.0.0.1:9' })).toEqual({
      code: 1,
      said: expect.stringContaining(`${file} has no line "rack-2:PASSWORD"`),
    });
    expect((await run(args)).said).toMatch(/--credentials is for a broker that \[mqtt\] url names/);
  });
});
