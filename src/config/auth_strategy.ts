/** Who says who the caller is. */
import type { Config } from '#src/lib/config.ts';

export type AuthStrategy = 'keystone' | 'embedded' | 'noauth';

/**
 * `[DEFAULT] auth_strategy` where it is set. Else Keystone if `[keystone_authtoken]` says where it is, so that a
 * neutron.conf that leans on Neutron's default keeps its meaning; else the embedded identity.
 */
export function authStrategy(config: Config): AuthStrategy {
  const chosen = config.optionalString('DEFAULT', 'auth_strategy');
  if (chosen === 'keystone' || chosen === 'embedded' || chosen === 'noauth') return chosen;
  const keystone = ['auth_url', 'www_authenticate_uri'].some((name) => config.isSet('keystone_authtoken', name));
  return keystone ? 'keystone' : 'embedded';
}
