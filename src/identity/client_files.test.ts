import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { cloudsYamlText, openrcText } from './client_files.ts';

const ACCOUNT = {
  authUrl: 'http://127.0.0.1:9696/identity/v3',
  region: 'RegionOne',
  username: 'admin',
  password: `it's "$HOME" \`x\` #: \\`,
  projectName: 'admin',
  userDomainName: 'Default',
  projectDomainName: 'Default',
};

test('openrcText() quotes every value so that a shell takes it literally', () => {
  const text = openrcText(ACCOUNT);
  expect(text).toContain(`export OS_PASSWORD='it'\\''s "$HOME" \`x\` #: \\'\n`);
  expect(text).toContain("export OS_AUTH_URL='http://127.0.0.1:9696/identity/v3'\n");
  expect(text).toContain("export OS_IDENTITY_API_VERSION='3'\n");
  expect(text).toContain("export OS_REGION_NAME='RegionOne'\n");
});

test('cloudsYamlText() is YAML that holds the account, whatever is in the password', () => {
  expect(parse(cloudsYamlText(ACCOUNT))).toEqual({
    clouds: {
      nucleon: {
        auth_type: 'password',
        auth: {
          auth_url: ACCOUNT.authUrl,
          username: 'admin',
          password: ACCOUNT.password,
          project_name: 'admin',
          user_domain_name: 'Default',
          project_domain_name: 'Default',
        },
        region_name: 'RegionOne',
        identity_api_version: 3,
      },
    },
  });
});
