/** The account that the server's own processes log in with to the embedded broker. */
import type { ServerFiles } from '#src/lib/runtime.ts';

/** Where the broker's users are kept, in the state directory. */
export const brokerUsersFile = (stateDirectory: string): string => `${stateDirectory}/mqtt/users`;

/** Made at the first start, kept beside the users. */
export async function brokerAccount(
  files: ServerFiles,
  stateDirectory: string,
): Promise<{ readonly username: string; readonly password: string }> {
  await files.makeDirectory(`${stateDirectory}/mqtt`, 0o700);
  const file = `${stateDirectory}/mqtt/server_account`;
  if (!(await files.exists(file))) {
    // The broker's code is loaded this once; the supervisor has no other use for it.
    const { addUser, SERVER_USER } = await import('#src/broker/mod.ts');
    const bytes = crypto.getRandomValues(new Uint8Array(24));
    const password = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    await addUser(files, brokerUsersFile(stateDirectory), { username: SERVER_USER, password, generated: true });
    await files.write(file, `${SERVER_USER}:${password}\n`, 0o600);
  }
  const [username = '', password = ''] = (await files.read(file)).trim().split(':');
  return { username, password };
}
