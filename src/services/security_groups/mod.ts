/**
 * Security groups: what may reach a port and leave it. With every core plugin, as in Neutron, where core plugins inherit them
 * (neutron.db.securitygroups_db); `[securitygroup] enable_security_group = false` takes them away.
 */
import type { Config } from '#src/lib/config.ts';
import type { Plugin, PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { defaultRuleVerbs } from './default_rules.ts';
import { defaultStatefulnessVerbs } from './default_statefulness.ts';
import { SECURITY_GROUP_EXTENSIONS } from './definition.ts';
import { groupVerbs } from './groups.ts';
import { tellOfGroups } from './notifier.ts';
import { securityGroupAudiences, securityGroupObjects } from './objects.ts';
import { securityGroupPolicies } from './policy.ts';
import { portSecurityGroups } from './port_groups.ts';
import { securityGroupListeners } from './rpc.ts';
import { ruleVerbs } from './rules.ts';
import { securityGroupSharing } from './sharing.ts';

const TYPE = 'SECURITY_GROUPS';

const isEnabled = (config: Config): boolean => config.boolean('securitygroup', 'enable_security_group');

function create(host: PluginHost): Plugin {
  if (!isEnabled(host.config)) return { type: TYPE, extensions: [], verbs: {} };
  tellOfGroups(host);
  return {
    type: TYPE,
    extensions: SECURITY_GROUP_EXTENSIONS,
    verbs: {
      ...groupVerbs(host),
      ...ruleVerbs(host),
      ...defaultRuleVerbs(host),
      ...defaultStatefulnessVerbs(host),
    },
    policies: securityGroupPolicies,
    quotas: [
      { name: 'security_group', default_limit: 10, table: 'security_groups' },
      { name: 'security_group_rule', default_limit: 100, table: 'security_group_rules' },
    ],
    tagged: { security_groups: 'security_groups' },
    rbac: [securityGroupSharing],
    audiences: securityGroupAudiences,
    objects: securityGroupObjects,
    rpcListeners: () => securityGroupListeners(host),
  };
}

export default {
  attributes: (host) => (isEnabled(host.config) ? portSecurityGroups(host) : {}),
  create,
} satisfies PluginModule;
