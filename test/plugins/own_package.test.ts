/**
 * The example as a package of somebody else's, in a folder of its own: it imports `nucleon/plugin`, and a link in its
 * node_modules leads to the Nucleon that runs.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { createDatabase } from '../support/database.ts';
import { freePort, type Nucleon, startNucleon } from '../support/nucleon.ts';
import { asking } from './support/request.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The plugin in a folder that knows Nucleon only by its package's name. */
async function ownPackage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nucleon-plugin-'));
  await cp(join(ROOT, 'examples/network_contacts'), folder, { recursive: true });
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.ts'))) {
    const text = await readFile(join(folder, name), 'utf8');
    const imports = text
      .replaceAll("'#src/plugin_api/mod.ts'", "'nucleon/plugin'")
      .replaceAll("'#src/plugin_api/tables.ts'", "'nucleon/plugin/tables'");
    await writeFile(join(folder, name), imports);
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'network-contacts', type: 'module' }));
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules', 'nucleon'), 'dir');
  return folder;
}

describe.skipIf(!('exports' in manifest)).each(['node', 'deno'] as const)(
  'a plugin in a package of its own, on %s',
  (runtime) => {
    let folder: string;
    let database: Awaited<ReturnType<typeof createDatabase>>;
    let server: Nucleon;

    beforeAll(async () => {
      folder = await ownPackage();
      database = await createDatabase('own_package');
      server = await startNucleon({
        runtime,
        env: {
          OS_DEFAULT__SERVICE_PLUGINS: join(folder, 'mod.ts'),
          OS_DEFAULT__AUTH_STRATEGY: 'noauth',
          OS_DEFAULT__API_WORKERS: '1',
          OS_DATABASE__CONNECTION: database.url,
          OS_EMBEDDED__MQTT_PORT: String(await freePort()),
          OS_EMBEDDED__MQTT_WS_PORT: '0',
        },
      });
    });
    afterAll(async () => {
      await server?.stop();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    it('is served, and its errors are known as what they are', async () => {
      const ask = asking(server.url, 'alice');
      const { network } = (await ask('POST', 'networks', { network: { name: 'lan' } })).body;
      const contact = { network_id: network.id, email: 'ann@example.org', notify: true };
      expect((await ask('POST', 'network_contacts', { network_contact: contact })).status).toBe(201);
      expect(await ask('DELETE', `networks/${network.id}`)).toMatchObject({
        status: 409,
        body: { NeutronError: { type: 'NetworkContactMustBeAsked' } },
      });
    });
  },
);
