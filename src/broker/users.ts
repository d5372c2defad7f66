/**
 * Who may connect: the broker's question (`UserStore`) and the store that answers it from a file. The file is Mosquitto's
 * password file, one `user:$7$...` a line, so that either broker can be started on it. It is read again when an unknown
 * user or a wrong password comes (a credential just made works at once; at most one reading a second, for which all that are
 * not known wait) and, for what was removed, every half minute.
 *
 * A password that was verified is remembered, keyed with a secret of this process: agents that come back cost one short
 * hash each. Guessing is slowed by `throttle`.
 */
import type { Clock } from '#src/lib/clock.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Files } from '#src/lib/runtime.ts';
import { type Credential, equal, hashPassword, isHashed, verifyPassword } from './credentials.ts';
import { type Grant, topicGrants } from './grants.ts';
import { Throttle } from './throttle.ts';

export interface UserStore {
  /** What the user may do, or null: no such user or password. `remote` is the client's address. */
  authenticate(username: string, password: string, remote: string): Promise<Grant | null>;
}

export interface FileUsersOptions {
  readonly files: Files;
  /** The password file; it may be absent until the first user is added. */
  readonly path: string;
  /** `[mqtt] topic_prefix` */
  readonly topicPrefix: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface FileUsers extends UserStore {
  /** Reads the file again now. */
  reload(): Promise<void>;
}

/** Hashed passwords by user name. */
export type Users = ReadonlyMap<string, string>;

/** Milliseconds. */
const REREAD = { unknown: 1000, usual: 30_000 };
const THROTTLE = { pause: 250, maxPause: 10_000 };
/** Passwords that are hashed at a time; the rest waits. */
const MAX_HASHING = 4;

/** Reads a password file; one that is absent has no users. Throws where a line is not `user:$7$...`. */
export async function loadUsers(files: Files, path: string): Promise<Map<string, string>> {
  const users = new Map<string, string>();
  if (!(await files.exists(path))) return users;
  for (const [index, line] of (await files.read(path)).split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const hashed = line.slice(colon + 1).trim();
    if (colon < 1 || !isHashed(hashed)) {
      throw new Error(
        `line ${index + 1} of ${path} is not "user:$7$iterations$salt$hash": make it with addUser or mosquitto_passwd`,
      );
    }
    users.set(line.slice(0, colon), hashed);
  }
  return users;
}

/** Adds a user or gives one a new password. */
export async function addUser(files: Files, path: string, credential: Credential): Promise<void> {
  await addUsers(files, path, [credential]);
}

/** Adds users or gives them new passwords, all at once. */
export async function addUsers(files: Files, path: string, credentials: readonly Credential[]): Promise<void> {
  const users = await loadUsers(files, path);
  for (const credential of credentials) {
    if (!/^[^:\s\p{Cc}]+$/u.test(credential.username)) {
      throw new Error(
        `"${credential.username}" cannot be a user name: it must have no colon, blank or control character`,
      );
    }
    users.set(credential.username, await hashPassword(credential));
  }
  await save(files, path, users);
}

/** False: there was no such user. Connections it has are not closed. */
export async function removeUser(files: Files, path: string, username: string): Promise<boolean> {
  const users = await loadUsers(files, path);
  const removed = users.delete(username);
  if (removed) await save(files, path, users);
  return removed;
}

/** A user store on a password file. */
export async function fileUsers(options: FileUsersOptions): Promise<FileUsers> {
  const { files, path, clock, log } = options;
  const grantOf = topicGrants(options.topicPrefix);
  const throttle = new Throttle({ clock, ...THROTTLE });
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const verified = new Map<string, { readonly hashed: string; readonly digest: Uint8Array }>();
  const hashing = new Slots(MAX_HASHING);
  let users: Users = await loadUsers(files, path);
  let readAt = clock.now();
  let reading: Promise<void> | undefined;
  let upcoming: Promise<void> | undefined;

  const reload = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const read = async (): Promise<void> => {
    readAt = clock.now();
    try {
      users = await loadUsers(files, path);
    } catch (error) {
      // A file that somebody is just editing does not lock everybody out.
      log.error('the MQTT password file could not be read; the users known so far stay', { path, error });
    }
    for (const [name, { hashed }] of verified) if (users.get(name) !== hashed) verified.delete(name);
  };
  const readAgain = (): Promise<void> => {
    upcoming ??= pause(REREAD.unknown - (clock.now() - readAt)).then(() => {
      // Who comes from now on may know more than this reading sees.
      upcoming = undefined;
      return reload();
    });
    return upcoming;
  };
  /** Whether it was verified before. */
  const isKnown = async (username: string, password: string): Promise<boolean> => {
    const known = verified.get(username);
    return known !== undefined && equal(known.digest, await digest(secret, password));
  };
  const verify = async (username: string, password: string): Promise<boolean> => {
    const hashed = users.get(username);
    if (hashed === undefined || !(await hashing.run(() => verifyPassword(password, hashed)))) return false;
    verified.set(username, { hashed, digest: await digest(secret, password) });
    return true;
  };
  const check = async (username: string, password: string): Promise<boolean> => {
    if ((await isKnown(username, password)) || (await verify(username, password))) return true;
    await readAgain();
    return verify(username, password);
  };

  return {
    reload,
    async authenticate(username, password, remote) {
      if (username === '') return null;
      if (clock.now() - readAt >= REREAD.usual) await reload();
      const right =
        (await isKnown(username, password)) ||
        (await throttle.attempt(`${username}@${addressOf(remote)}`, () => check(username, password)));
      return right ? grantOf(username) : null;
    },
  };
}

async function save(files: Files, path: string, users: Users): Promise<void> {
  const lines = [...users].map(([username, hashed]) => `${username}:${hashed}\n`);
  await files.write(path, lines.join(''), 0o600);
}

async function digest(secret: Uint8Array, password: string): Promise<Uint8Array> {
  const text = new TextEncoder().encode(password);
  const keyed = new Uint8Array(secret.length + text.length);
  keyed.set(secret);
  keyed.set(text, secret.length);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', keyed));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
}

/** Without the port: `10.0.0.1:4711`, `[::1]:4711`, `::1:4711`. */
function addressOf(remote: string): string {
  return remote.replace(/:[0-9]+$/, '');
}

/** Runs at most so many at a time, in order. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
