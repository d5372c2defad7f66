/**
 * Address scopes: sets of subnet pools whose addresses are unique among each other (neutron.db.address_scope_db). Networks
 * tell which scope they are in.
 */
import { refuseWhileUsed } from '#src/db/mod.ts';
import type { Plugin, PluginHost, PluginModule, RbacObjectType } from '#src/lib/plugin.ts';
import { ADDRESS_SCOPE_EXTENSIONS } from './definition.ts';
import { addressScopePolicies } from './policy.ts';
import { scopesOfNetworks } from './reading.ts';
import { addressScopeVerbs } from './service.ts';

const SHARES = { table: 'address_scope_rbacs', column: 'object_id', objects: 'address_scopes' } as const;

const rbac: RbacObjectType = {
  type: 'address_scope',
  ...SHARES,
  actions: ['access_as_shared'],
  unrevised: true,
  release: (tx, share) =>
    refuseWhileUsed(tx, SHARES, share, 'select project_id from subnetpools where address_scope_id = $1::uuid'),
};

const create = (host: PluginHost): Plugin => ({
  type: 'ADDRESS_SCOPE',
  extensions: ADDRESS_SCOPE_EXTENSIONS,
  verbs: addressScopeVerbs(host),
  policies: addressScopePolicies,
  rbac: [rbac],
});

export default { attributes: () => ({ networks: scopesOfNetworks }), create } satisfies PluginModule;
