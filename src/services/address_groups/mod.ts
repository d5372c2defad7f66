/** Address groups: named sets of networks that rules of security groups point to (neutron.db.address_group_db). */
import type { Plugin, PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { ADDRESS_GROUP_EXTENSIONS } from './definition.ts';
import { addressGroupAudiences, addressGroupObject } from './objects.ts';
import { addressGroupPolicies } from './policy.ts';
import { addressGroupRbac } from './rbac.ts';
import { addressGroupVerbs } from './service.ts';

function create(host: PluginHost): Plugin {
  const type = 'ADDRESS_GROUPS';
  // They are for the rules of security groups, and go where those go.
  if (!host.config.boolean('securitygroup', 'enable_security_group')) return { type, extensions: [], verbs: {} };
  return {
    type,
    extensions: ADDRESS_GROUP_EXTENSIONS,
    verbs: addressGroupVerbs(host),
    policies: addressGroupPolicies,
    rbac: [addressGroupRbac],
    audiences: addressGroupAudiences,
    objects: [addressGroupObject],
  };
}

export default { create } satisfies PluginModule;
