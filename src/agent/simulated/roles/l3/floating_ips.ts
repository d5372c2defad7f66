/** Says of floating IPs whether they are led: ACTIVE, and DOWN when they have left their router. */
import { type Agent, gather, inParallel } from '#src/agent/sdk/mod.ts';
import { type SyncedRouter, updateFloatingIpStatuses } from '#src/services/router/contract.ts';
import type { ServedRouter } from '../../state.ts';

const AT_ONCE = 8;

export interface FloatingIpReports {
  /** Has the server told what it does not know. */
  report(router: SyncedRouter, before: ServedRouter | undefined, now: ServedRouter): void;
  /** Nothing more is said of a router. */
  forget(router_id: string): void;
  settled(): Promise<void>;
}

export function floatingIpReports(agent: Agent): FloatingIpReports {
  /** What is still to be said, by router. */
  const unsaid = new Map<string, ReadonlyMap<string, string>>();
  const reports = gather({
    name: 'reporting of floating IPs',
    work: (ids) =>
      inParallel(ids, AT_ONCE, async (router_id) => {
        const statuses = unsaid.get(router_id);
        if (statuses === undefined) return;
        await agent.call(updateFloatingIpStatuses, { router_id, fip_statuses: Object.fromEntries(statuses) });
        if (unsaid.get(router_id) === statuses) unsaid.delete(router_id);
      }),
    log: agent.log,
    signal: agent.signal,
  });
  return {
    report({ id: router_id, _floatingips, _pf_floatingips }, before, now) {
      const statuses = new Map(unsaid.get(router_id));
      const there = new Set([..._floatingips, ..._pf_floatingips].map(({ id }) => id));
      for (const id of before?.floatingips.keys() ?? []) if (!there.has(id)) statuses.set(id, 'DOWN');
      for (const [id, { status }] of now.floatingips) if (status !== 'ACTIVE') statuses.set(id, 'ACTIVE');
      if (statuses.size === 0) return;
      unsaid.set(router_id, statuses);
      reports.add([router_id]);
    },
    forget: (router_id) => void unsaid.delete(router_id),
    settled: () => reports.settled(),
  };
}
