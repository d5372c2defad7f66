/**
 * Networks as RBAC policies share them: for ports (`access_as_shared`), and for gateways and floating IPs
 * (`access_as_external`), which makes a network external that is not yet (neutron.db.external_net_db).
 */
import { refuseWhileUsed, type TakenBack } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import { RbacPolicyInUse } from '#src/lib/errors.ts';
import type { RbacObjectType } from '#src/lib/plugin.ts';
import { hasGatewayPorts, isDefaultExternal, isExternalToAnybody, markExternal, unmarkExternal } from './store.ts';

const SHARES = { table: 'network_rbacs', column: 'network_id', objects: 'networks' } as const;

/** The projects that use the network in each way, whose id is `$1`. */
const USERS: Readonly<Record<string, string>> = {
  access_as_shared: `
    select project_id from ports where network_id = $1::uuid
    union all select project_id from subnets where network_id = $1::uuid`,
  access_as_external: `
    select project_id from ports where network_id = $1::uuid
      and device_owner in ('network:router_gateway', 'network:floatingip')`,
};

async function release(tx: Transaction, share: TakenBack): Promise<void> {
  if (share.action === 'access_as_external' && share.target_project === '*') {
    const isDefault = await isDefaultExternal(tx, share.object_id);
    if (isDefault) throw new RbacPolicyInUse(share.object_id, 'the default external network is for everybody');
  }
  const users = USERS[share.action];
  if (users !== undefined) await refuseWhileUsed(tx, SHARES, share, users);
  if (share.action !== 'access_as_external' || (await isExternalToAnybody(tx, share.object_id))) return;
  // With the last policy it is external no more.
  if (await hasGatewayPorts(tx, share.object_id)) {
    throw new RbacPolicyInUse(share.object_id, 'routers or floating IPs use the network as external');
  }
  await unmarkExternal(tx, share.object_id);
}

export const networkRbac: RbacObjectType = {
  type: 'network',
  ...SHARES,
  actions: Object.keys(USERS),
  async share(tx, { object_id, action }) {
    if (action === 'access_as_external') await markExternal(tx, [{ id: object_id }]);
  },
  release,
};
