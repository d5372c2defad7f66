/** The files that log a client in: an `openrc` for shells and a `clouds.yaml` for SDKs, Terraform and the rest. */

export interface ClientAccount {
  /** `http://127.0.0.1:9696/identity/v3` */
  readonly authUrl: string;
  readonly region: string;
  readonly username: string;
  readonly password: string;
  readonly projectName: string;
  readonly userDomainName: string;
  readonly projectDomainName: string;
}

/** Bash and sh take this literally, whatever it holds. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** A JSON string is a YAML string. */
const yamlQuoted = (text: string): string => JSON.stringify(text);

/** Text to be sourced by a shell. Variables of another login that would win over these are unset. */
export function openrcText(account: ClientAccount): string {
  const variables = {
    OS_AUTH_TYPE: 'password',
    OS_AUTH_URL: account.authUrl,
    OS_IDENTITY_API_VERSION: '3',
    OS_REGION_NAME: account.region,
    OS_USERNAME: account.username,
    OS_PASSWORD: account.password,
    OS_PROJECT_NAME: account.projectName,
    OS_USER_DOMAIN_NAME: account.userDomainName,
    OS_PROJECT_DOMAIN_NAME: account.projectDomainName,
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${shellQuoted(value)}`);
  return [
    '# . openrc, then: openstack network list',
    'unset OS_CLOUD OS_TOKEN OS_SYSTEM_SCOPE OS_USER_ID OS_PROJECT_ID OS_DOMAIN_ID OS_DOMAIN_NAME',
    'unset OS_USER_DOMAIN_ID OS_PROJECT_DOMAIN_ID OS_APPLICATION_CREDENTIAL_ID OS_APPLICATION_CREDENTIAL_SECRET',
    ...exports,
    '',
  ].join('\n');
}

/** A clouds.yaml with one cloud: `openstack --os-cloud nucleon network list`. */
export function cloudsYamlText(account: ClientAccount, cloud = 'nucleon'): string {
  return `clouds:
  ${yamlQuoted(cloud)}:
    auth_type: password
    auth:
      auth_url: ${yamlQuoted(account.authUrl)}
      username: ${yamlQuoted(account.username)}
      password: ${yamlQuoted(account.password)}
      project_name: ${yamlQuoted(account.projectName)}
      user_domain_name: ${yamlQuoted(account.userDomainName)}
      project_domain_name: ${yamlQuoted(account.projectDomainName)}
    region_name: ${yamlQuoted(account.region)}
    identity_api_version: 3
`;
}
