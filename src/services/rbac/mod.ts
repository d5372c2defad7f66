/**
 * RBAC policies: who else may use an object, for every type of object that a plugin declares as `rbac`
 * (neutron.db.rbac_db_mixin). Each type keeps its shares in a table of its own; lists read all of them in one statement.
 */
import type { Plugin, PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { rbacExtension } from './definition.ts';
import { rbacPolicyRules } from './policy.ts';
import { rbacVerbs } from './service.ts';
import { sharedTypes } from './types.ts';

function create(host: PluginHost): Plugin {
  const types = () => sharedTypes(host.plugins);
  return {
    type: 'RBAC',
    extensions: [rbacExtension(() => [...types().keys()])],
    verbs: rbacVerbs(host),
    policies: rbacPolicyRules,
    quotas: [
      {
        name: 'rbac_policy',
        default_limit: 10,
        table: 'network_rbacs',
        // Shares go with their objects, and the attribute `shared` makes and takes them, too.
        get tables() {
          return Array.from(types().values(), ({ table }) => table);
        },
      },
    ],
  };
}

export default { create } satisfies PluginModule;
