/**
 * Who logs in to the embedded broker, in the state directory:
 *
 *   mqtt/users            the broker's password file
 *   mqtt/users.lock       held by who changes it: the server, or a command that runs agents
 *   mqtt/server_account   of the server's own processes
 *   mqtt/agents/<host>    of the agents that are run beside the server, one for each host
 */
import type { ServerFiles } from '#src/lib/runtime.ts';
import { attempt, StartError } from '../errors.ts';

/** What is logged in with. */
export interface BrokerAccount {
  readonly username: string;
  readonly password: string;
}

const PATIENCE_MS = 10_000;
const POLL_MS = 20;

/** Where the broker's users are kept, in the state directory. */
export const brokerUsersFile = (stateDirectory: string): string => `${stateDirectory}/mqtt/users`;

/** The server's account, made at its first start. */
export async function brokerAccount(files: ServerFiles, stateDirectory: string): Promise<BrokerAccount> {
  await files.makeDirectory(`${stateDirectory}/mqtt`, 0o700);
  const file = `${stateDirectory}/mqtt/server_account`;
  if (!(await files.exists(file))) {
    // The broker's code is loaded this once; the supervisor has no other use for it.
    const { addUser, SERVER_USER } = await import('#src/broker/mod.ts');
    const bytes = crypto.getRandomValues(new Uint8Array(24));
    const password = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    await changingUsers(files, stateDirectory, (users) =>
      addUser(files, users, { username: SERVER_USER, password, generated: true }),
    );
    await files.write(file, `${SERVER_USER}:${password}\n`, 0o600);
  }
  return readAccount(files, file);
}

/** The accounts of agents by host; those that are missing are made, and the broker takes them from then on. */
export async function agentAccounts(
  files: ServerFiles,
  stateDirectory: string,
  hosts: readonly string[],
): Promise<ReadonlyMap<string, BrokerAccount>> {
  const { addUsers, createCredential, encodeHost, loadUsers } = await import('#src/broker/mod.ts');
  const folder = `${stateDirectory}/mqtt/agents`;
  const file = (host: string) => `${folder}/${encodeHost(host)}`;
  return attempt(`the accounts of agents cannot be made in ${folder}`, async () => {
    await files.makeDirectory(folder, 0o700);
    const accounts = new Map<string, BrokerAccount>();
    await changingUsers(files, stateDirectory, async (path) => {
      const users = await loadUsers(files, path);
      const missing: BrokerAccount[] = [];
      for (const host of hosts) {
        let account: BrokerAccount;
        if (await files.exists(file(host))) account = await readAccount(files, file(host));
        else {
          const { username, password } = createCredential(host);
          account = { username, password };
          await files.write(file(host), `${account.username}:${account.password}\n`, 0o600);
        }
        accounts.set(host, account);
        if (!users.has(account.username)) missing.push(account);
      }
      if (missing.length > 0)
        await addUsers(
          files,
          path,
          missing.map((account) => ({ ...account, generated: true })),
        );
    });
    return accounts;
  });
}

async function readAccount(files: ServerFiles, file: string): Promise<BrokerAccount> {
  const [username = '', password = ''] = (await files.read(file)).trim().split(':');
  return { username, password };
}

/** Changes the password file, nobody else at the same time: it is read and written whole. */
async function changingUsers(
  files: ServerFiles,
  stateDirectory: string,
  change: (path: string) => Promise<void>,
): Promise<void> {
  const path = brokerUsersFile(stateDirectory);
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    const lock = await files.lock(`${path}.lock`);
    if (lock !== null) {
      try {
        return await change(path);
      } finally {
        await lock.release();
      }
    }
    if (performance.now() > end)
      throw new StartError(`${path} is being changed by somebody else for too long: try again`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
