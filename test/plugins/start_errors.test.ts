/** A plugin that cannot be used keeps the server from starting, and the operator is told which one and why. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { freePort } from '../support/nucleon.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const support = (name: string) => join(ROOT, 'test/plugins/support', name);

describe('nucleon server', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;

  beforeAll(async () => {
    database = await createDatabase('start_errors');
  });
  afterAll(() => database?.drop());

  /** Runs the server until it gives up by itself. */
  async function start(plugins: string): Promise<{ readonly code: number | null; readonly said: string }> {
    const stateDir = await mkdtemp(join(tmpdir(), 'nucleon-test-'));
    const child = spawn('node', ['bin/nucleon.mjs', 'server'], {
      cwd: ROOT,
      env: {
        ...process.env,
        OS_DEFAULT__BIND_PORT: String(await freePort()),
        OS_DEFAULT__SERVICE_PLUGINS: plugins,
        OS_DEFAULT__AUTH_STRATEGY: 'noauth',
        OS_DEFAULT__API_WORKERS: '1',
        OS_DEFAULT__RPC_WORKERS: '0',
        OS_DEFAULT__RPC_STATE_REPORT_WORKERS: '0',
        // The start ends before anybody asks for the broker.
        OS_MQTT__URL: 'mqtt://127.0.0.1:1',
        OS_DATABASE__CONNECTION: database.url,
        OS_EMBEDDED__STATE_DIR: stateDir,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    const timer = setTimeout(() => child.kill('SIGTERM'), 30_000);
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    await rm(stateDir, { recursive: true, force: true });
    return { code, said };
  }

  const cases: readonly (readonly [what: string, plugins: string, says: RegExp])[] = [
    [
      'requires an extension that is not served',
      support('missing_extension.ts'),
      /Extensions not found: 'no-such-extension', which 'wishful' of plugin 'WISHFUL' requires/,
    ],
    [
      'claims an alias that is served already',
      support('colliding_alias.ts'),
      /the extension alias 'provider' is declared by plugin 'CORE' and, differently, by plugin 'COLLIDING'/,
    ],
    [
      'declares a resource without its verb',
      support('missing_verb.ts'),
      /plugin 'SPEECHLESS' has no verb 'get_things', which the resource 'things' needs for 'list'/,
    ],
    ['is of a type that is taken', support('second_core.ts'), /'ml2' and '.*second_core\.ts' are both of type CORE/],
    ['has no create()', support('no_create.ts'), /no_create\.ts' has no default export with a create\(host\) function/],
    ['is a file that does not exist', support('absent.ts'), /the plugin module '.*absent\.ts' cannot be loaded/],
    ['is a package that is not installed', 'no-such-package', /the plugin module 'no-such-package' cannot be loaded/],
    ['has a name that nobody knows', 'firewal', /service plugin 'firewal' is unknown/],
  ];

  it.each(cases)('says so when a plugin %s', async (_, plugins, says) => {
    const { code, said } = await start(plugins);
    expect(said).toMatch(says);
    expect(code).not.toBe(0);
    expect(code).not.toBeNull();
  });
});
