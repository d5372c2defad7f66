import { describe, expect, test } from 'vitest';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import type { Files } from '#src/lib/runtime.ts';
import { createCredential, hashPassword, verifyPassword } from './credentials.ts';
import { topicGrants } from './grants.ts';
import { Throttle } from './throttle.ts';
import { addUser, fileUsers, loadUsers, removeUser } from './users.ts';

function memoryFiles(): Files & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    read: async (path) => texts.get(path) ?? '',
    write: async (path, text) => void texts.set(path, text),
    exists: async (path) => texts.has(path),
    list: async () => [...texts.keys()],
    makeDirectory: async () => {},
    remove: async (path) => void texts.delete(path),
  };
}

describe('credentials', () => {
  test('createCredential() names the user as the host stands in topics', () => {
    const { username, password } = createCredential('rack 7/node#1');
    expect(username).toBe('rack%207%2Fnode%231');
    expect(password).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(createCredential('a').password).not.toBe(createCredential('a').password);
  });

  test('createCredential() refuses the name of the server', () => {
    expect(() => createCredential('server')).toThrow(/may do everything/);
    expect(() => createCredential('')).toThrow(/needs a host/);
  });

  test('verifyPassword() knows the password and no other', async () => {
    const hashed = await hashPassword({ password: 'right', generated: true });
    expect(await verifyPassword('right', hashed)).toBe(true);
    expect(await verifyPassword('wrong', hashed)).toBe(false);
    expect(await verifyPassword('right', 'right')).toBe(false);
  });

  test('verifyPassword() reads what mosquitto_passwd wrote', async () => {
    const written =
      '$7$101$p0j+hpNptmyFiYtz$bJgC3/JsaLLq5FJ7tRhdKsLVxglW4J+iPLgTUO8P1BKPQKeU61fYzDqcqg3ih1THZL4TVnI2rerhUkozQi6X+Q==';
    expect(await verifyPassword('from mosquitto_passwd', written)).toBe(true);
  });

  test('hashPassword() works long on a password that a person chose', async () => {
    expect(await hashPassword({ password: 'chosen', generated: false })).toMatch(/^\$7\$210000\$/);
  });
});

describe('the password file', () => {
  test('addUser(), loadUsers() and removeUser() keep it', async () => {
    const files = memoryFiles();
    expect(await loadUsers(files, 'passwd')).toEqual(new Map());
    await addUser(files, 'passwd', createCredential('a'));
    await addUser(files, 'passwd', createCredential('b'));
    const before = (await loadUsers(files, 'passwd')).get('a');
    await addUser(files, 'passwd', createCredential('a'));
    const users = await loadUsers(files, 'passwd');
    expect([...users.keys()]).toEqual(['a', 'b']);
    expect(users.get('a')).not.toBe(before);
    expect(await removeUser(files, 'passwd', 'a')).toBe(true);
    expect(await removeUser(files, 'passwd', 'a')).toBe(false);
    expect([...(await loadUsers(files, 'passwd')).keys()]).toEqual(['b']);
  });

  test('addUser() refuses a name that would break a line', async () => {
    for (const username of ['a:b', 'a\nb', '', 'a b']) {
      await expect(addUser(memoryFiles(), 'passwd', { username, password: 'p', generated: true })).rejects.toThrow(
        /cannot be a user name/,
      );
    }
  });

  test('loadUsers() names a line that is none', async () => {
    const files = memoryFiles();
    files.texts.set('passwd', '# users\n\na:plain text\n');
    await expect(loadUsers(files, 'passwd')).rejects.toThrow(/line 3 of passwd/);
  });

  test('a credential that was made a moment after the file was read works at once', async () => {
    const files = memoryFiles();
    const users = await fileUsers({ files, path: 'passwd', topicPrefix: 'P', clock: systemClock, log: silentLogger });
    const credential = createCredential('new');
    await addUser(files, 'passwd', credential);
    expect(await users.authenticate('new', credential.password, '127.0.0.1:1')).not.toBeNull();
  });

  test('a file that breaks later locks nobody out', async () => {
    const files = memoryFiles();
    const credential = createCredential('a');
    await addUser(files, 'passwd', credential);
    const clock = { now: () => 0 };
    const users = await fileUsers({ files, path: 'passwd', topicPrefix: 'P', clock, log: silentLogger });
    files.texts.set('passwd', 'broken');
    await users.reload();
    expect(await users.authenticate('a', credential.password, '127.0.0.1:1')).not.toBeNull();
  });
});

describe('grants', () => {
  const grantOf = topicGrants('neutron/v1');

  test('the server may do all below the prefix and nothing else', () => {
    const server = grantOf('server');
    expect(server.canPublish('neutron/v1/fanout/x')).toBe(true);
    expect(server.canSubscribe('$share/nucleon/neutron/v1/up/+/req/x')).toBe(true);
    expect(server.canPublish('neutron/v11/x')).toBe(false);
    expect(server.canSubscribe('#')).toBe(false);
    expect(server.canSubscribe('$share/nucleon/+/v1/x')).toBe(false);
  });

  test('an agent speaks up and hears down and fanout, in its own tree', () => {
    const agent = grantOf('host-a');
    expect(agent.canPublish('neutron/v1/up/host-a/req/x')).toBe(true);
    expect(agent.canPublish('neutron/v1/up/host-ab/req/x')).toBe(false);
    expect(agent.canPublish('neutron/v1/down/host-a/x')).toBe(false);
    expect(agent.canSubscribe('neutron/v1/down/host-a/#')).toBe(true);
    expect(agent.canSubscribe('$share/x/neutron/v1/fanout/+')).toBe(true);
    expect(agent.canSubscribe('neutron/v1/down/+/#')).toBe(false);
    expect(agent.canSubscribe('neutron/v1/up/host-a/#')).toBe(false);
    expect(agent.canSubscribe('neutron/v1/fanout#')).toBe(false);
  });
});

describe('Throttle', () => {
  test('refuses unseen what stands too far back in the line, and lets it in after a success', async () => {
    const throttle = new Throttle({ clock: { now: () => 0 }, pause: 1, maxPause: 4 });
    const fail = () => throttle.attempt('a', async () => false);
    for (let n = 0; n < 3; n += 1) await fail();
    let seen = 0;
    const look = async () => {
      seen += 1;
      return true;
    };
    const attempts = Array.from({ length: 5 }, () => throttle.attempt('a', look));
    expect(await throttle.attempt('b', look)).toBe(true);
    expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(2);
    expect(seen).toBe(3);
    expect(await Promise.all(Array.from({ length: 20 }, () => throttle.attempt('a', look)))).not.toContain(false);
  });
});
