/**
 * The administrator of the embedded identity, as a new server leaves it to its operator: a generated password and ready
 * `openrc` and `clouds.yaml` files in the state directory, for the owner's eyes only. The password is on disk before the account
 * is made, so a crash between the two locks nobody out.
 */
import type { EmbeddedIdentity } from '#src/identity/mod.ts';
import { cloudsYamlText, generatePassword, identitySettings, openrcText } from '#src/identity/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Files } from '#src/lib/runtime.ts';

export interface AdminAccountOptions {
  readonly identity: EmbeddedIdentity;
  readonly files: Files;
  readonly config: Config;
  readonly log: Logger;
  /** `http://host:port` of the API. */
  readonly endpoint: URL;
}

const OWNER_ONLY = 0o600;

/** Makes the account if there is none, and the files if its password is known here. */
export async function prepareAdminAccount(options: AdminAccountOptions): Promise<void> {
  const { identity, files, config, log, endpoint } = options;
  const folder = config.string('embedded', 'state_dir');
  const file = `${folder}/admin_password`;
  const known = await files.exists(file);
  await files.makeDirectory(folder, 0o700);
  if (!known) await files.write(file, `${generatePassword()}\n`, OWNER_ONLY);
  const password = (await files.read(file)).trim();
  const account = await identity.bootstrap(password);
  if (!known && !account.created) {
    await files.remove(file);
    log.info('the administrator was made by another server: its openrc is in the state directory of that one', {
      user: account.username,
    });
    return;
  }
  const { region, publicEndpoint } = identitySettings(config);
  const client = {
    authUrl: `${publicEndpoint ?? reachable(endpoint)}/identity/v3`,
    region,
    username: account.username,
    password,
    projectName: account.projectName,
    userDomainName: 'Default',
    projectDomainName: 'Default',
  };
  await files.write(`${folder}/openrc`, openrcText(client), OWNER_ONLY);
  await files.write(`${folder}/clouds.yaml`, cloudsYamlText(client), OWNER_ONLY);
}

/** A server that listens on every address is reached on this machine by loopback. */
function reachable(endpoint: URL): string {
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };
  return `${endpoint.protocol}//${everywhere[endpoint.hostname] ?? endpoint.hostname}:${endpoint.port}`;
}
