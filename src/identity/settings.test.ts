import { expect, test } from 'vitest';
import type { Config, OptionValue } from '#src/lib/config.ts';
import { keystoneSettings } from './settings.ts';

/** A configuration of [keystone_authtoken] with the defaults that matter. */
function config(set: Record<string, OptionValue>): Config {
  const defaults: Record<string, OptionValue> = {
    auth_type: 'password',
    token_cache_time: 300,
    service_token_roles: ['service'],
    service_token_roles_required: false,
    http_request_max_retries: 3,
  };
  const value = (name: string) => set[name] ?? defaults[name] ?? null;
  return {
    string: (_, name) => String(value(name)),
    optionalString: (_, name) => (value(name) === null ? null : String(value(name))),
    integer: (_, name) => Number(value(name)),
    float: (_, name) => Number(value(name)),
    boolean: (_, name) => value(name) === true,
    list: (_, name) => value(name) as readonly string[],
    dict: () => ({}),
    isSet: (_, name) => name in set,
    section: () => ({}),
  };
}

const USER = { auth_url: 'http://keystone:5000', username: 'neutron', password: 'p', project_name: 'service' };

test('a password login needs a user, a password and the place', () => {
  expect(keystoneSettings(config(USER))).toMatchObject({
    authUrl: 'http://keystone:5000',
    wwwAuthenticateUri: 'http://keystone:5000',
    cacheSeconds: 300,
    credentials: { kind: 'password', password: 'p', user: { name: 'neutron' }, project: { name: 'service' } },
  });
  for (const name of ['auth_url', 'username', 'password']) {
    const { [name]: _, ...rest } = USER as Record<string, string>;
    expect(() => keystoneSettings(config(rest))).toThrow(/\[keystone_authtoken\]/);
  }
});

test('an application credential needs its id and secret', () => {
  const set = { auth_url: 'http://k', auth_type: 'v3applicationcredential', application_credential_id: 'i' };
  expect(() => keystoneSettings(config(set))).toThrow(/application_credential_secret/);
  expect(keystoneSettings(config({ ...set, application_credential_secret: 's' })).credentials).toEqual({
    kind: 'application_credential',
    id: 'i',
    secret: 's',
  });
});

test('a cache time of -1 means that nothing is cached', () => {
  expect(keystoneSettings(config({ ...USER, token_cache_time: -1 })).cacheSeconds).toBe(0);
});
