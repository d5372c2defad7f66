/** What high availability adds to the attributes of routers and networks. */
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import { DuplicatedHANetwork } from './errors.ts';

/**
 * Of routers `r`. For the server and the agents, beside `ha`: the virtual router id, 0 of others, and the epoch that a report of
 * states must know (`states.ts`).
 */
export function haAttributes({ config }: Pick<PluginHost, 'config'>): AttributeExtension {
  const byDefault = config.boolean('DEFAULT', 'l3_ha');
  return {
    attributes: {
      ha: { select: 'r.ha', type: 'boolean' },
      ha_vr_id: {
        select: 'coalesce((select v.vr_id from router_vr_ids v where v.router_id = r.id), 0)',
        type: 'integer',
        sort: false,
      },
      ha_epoch: { select: 'r.ha_epoch::float8', sort: false },
    },
    internal: ['ha_vr_id', 'ha_epoch'],
    columns: { ha: 'boolean' },
    create: ({ body }) => ({ ha: body['ha'] ?? byDefault }),
    update: ({ body }) => (typeof body['ha'] === 'boolean' ? { ha: body['ha'] } : {}),
  };
}

/** Read along with networks, and not shown: whether highly available routers are on it. */
export const HAS_HA_ROUTERS = 'has_ha_routers';

/** Of networks `n`: one that is made with `ha` becomes that of the caller's project. */
export const haNetworkAttributes: AttributeExtension = {
  attributes: {
    [HAS_HA_ROUTERS]: { select: 'exists (select 1 from router_vr_ids v where v.network_id = n.id)', sort: false },
  },
  internal: [HAS_HA_ROUTERS],
  async store(tx, { project_id }, written) {
    const made = written.filter(({ body, original }) => original === undefined && body['ha'] === true);
    if (made.length === 0) return true;
    const project = project_id ?? '';
    const { count } = await tx`
      insert into ha_networks (project_id, network_id)
      select ${project}, unnest(${made.map(({ id }) => id)}::uuid[]) on conflict (project_id) do nothing`;
    if (count < made.length) throw new DuplicatedHANetwork(project);
    return true;
  },
};
