/**
 * Subnet pools: prefixes that subnets are drawn from (neutron.db.db_base_plugin_v2, neutron.ipam.subnet_alloc). The drawing is
 * in `src/ipam`, because it happens as subnets are made; here are the pools themselves.
 */
import { refuseWhileUsed } from '#src/db/mod.ts';
import type { Plugin, PluginHost, PluginModule, RbacObjectType } from '#src/lib/plugin.ts';
import { SUBNETPOOL_EXTENSIONS, SUBNETPOOLS } from './definition.ts';
import { subnetPoolPolicies } from './policy.ts';
import { subnetPoolVerbs } from './service.ts';
import { refuseWithoutScope } from './shares.ts';

const SHARES = { table: 'subnetpool_rbacs', column: 'object_id', objects: 'subnetpools' } as const;

const rbac: RbacObjectType = {
  type: 'subnetpool',
  ...SHARES,
  actions: ['access_as_shared'],
  share: refuseWithoutScope,
  release: (tx, share) =>
    refuseWhileUsed(tx, SHARES, share, 'select project_id from subnets where subnetpool_id = $1::uuid'),
};

const create = (host: PluginHost): Plugin => ({
  type: 'SUBNETPOOL',
  resources: [SUBNETPOOLS],
  extensions: SUBNETPOOL_EXTENSIONS,
  verbs: subnetPoolVerbs(host),
  policies: subnetPoolPolicies,
  quotas: [{ name: 'subnetpool', default_limit: -1, table: 'subnetpools' }],
  tagged: { subnetpools: 'subnetpools' },
  rbac: [rbac],
});

export default { create } satisfies PluginModule;
