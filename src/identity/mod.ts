/**
 * Who the caller is. One `Authenticator` for each `auth_strategy`: `createKeystone` asks a real Keystone, `createEmbeddedIdentity`
 * is a small Identity v3 service of our own, `createNoauth` believes the headers.
 */
export { type AdminAccount, generatePassword } from './bootstrap.ts';
export { type ClientAccount, cloudsYamlText, openrcText } from './client_files.ts';
export { createEmbeddedIdentity, type EmbeddedIdentity, type EmbeddedIdentityOptions } from './embedded.ts';
export { createKeystone, type KeystoneOptions } from './keystone/mod.ts';
export { createServiceSession, type ServiceSession, type ServiceSessionOptions } from './keystone/session.ts';
export { createNoauth, type NoauthOptions } from './noauth.ts';
export {
  type IdentitySettings,
  identitySettings,
  type KeystoneCredentials,
  type KeystoneName,
  type KeystoneSettings,
  keystoneSettings,
  type ServiceSettings,
  serviceSettings,
} from './settings.ts';
