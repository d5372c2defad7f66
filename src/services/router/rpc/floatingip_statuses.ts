/** What agents report of floating IPs (neutron.api.rpc.handlers.l3_rpc, `update_floatingip_statuses`). */
import type { Transaction } from '#src/lib/database.ts';
import type { L3Agent } from './routers_of_host.ts';
import { CONCERNED, placeFor } from './store.ts';

export const FLOATING_STATUSES = ['ACTIVE', 'DOWN', 'ERROR'] as const;

/**
 * Writes the statuses of floating IPs of a router, as far as the host has them. Those that the router had and has no more, and no
 * other has, are DOWN. What has its status already stays as it is.
 */
export async function writeFloatingStatuses(
  tx: Transaction,
  agent: L3Agent,
  router_id: string,
  statuses: Readonly<Record<string, string>>,
): Promise<void> {
  const changes = changesFor(agent);
  const reported = Object.entries(statuses).map(([id, status]) => ({ id, status }));
  // Locked in the order of their ids, and asked anew: what they waited for may have taken them elsewhere.
  const parameters = [reported, agent.host, agent.id, router_id] as never[];
  await Promise.all([
    tx.unsafe(
      `select 1 from floatingips where id in (select id from (${changes}) c) order by id for no key update`,
      parameters,
      { prepare: true },
    ),
    tx.unsafe(
      `update floatingips t set status = c.status, revision_number = t.revision_number + 1, updated_at = now()
       from (${changes}) c where t.id = c.id`,
      parameters,
      { prepare: true },
    ),
  ]);
}

const changesFor = (agent: L3Agent): string => `
  select f.id, w.status from json_to_recordset($1::json) as w (id uuid, status text)
  join floatingips f on f.id = w.id join routers r on r.id = f.router_id ${placeFor(agent)}
  where f.router_id = $4::uuid and f.status <> w.status and ${CONCERNED}
  union all
  select f.id, 'DOWN' from floatingips f
  where f.last_known_router_id = $4::uuid and f.router_id is null and f.status <> 'DOWN'`;
