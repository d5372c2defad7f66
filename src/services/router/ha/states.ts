/**
 * Which of its agents a highly available router is active on. The agents settle it among themselves by VRRP and report what came of
 * it; reports come late, twice, and in another order than they were made. The server never has two agents active: a unique index
 * sees to it, and whoever becomes active takes it from who was.
 *
 * A router has an epoch, which grows whenever another agent becomes active. An agent that knows the epoch says it with its report,
 * and a report made under an older one is late: it is refused, and the answer says how things stand. An agent that is still active
 * then reports once more, under the epoch that it has just learnt.
 *
 *   active    from who is active      nothing changes: it came twice
 *             under another epoch     refused
 *             else                    it is active, who was is on standby, the epoch grows
 *   standby   from who is active, under another epoch: refused; it has become active since
 *   unknown   else                    so it is
 *
 * Neutron's own agents know no epoch. Of theirs the last report counts, but for those of agents that are dead when it is handled:
 * what they were is not what they are. They compare their state with the server's whenever they fetch a router, and report again.
 */
import type { Context } from '#src/lib/context.ts';
import type { HaState } from '../contract.ts';
import type { RouterHost } from '../host.ts';
import type { HaSettings } from './settings.ts';
import { type Known, lockReported, misplacedPorts, readReported, writeStates } from './states_store.ts';

export interface StateReport {
  readonly router_id: string;
  readonly state: HaState;
  /** Null: the agent knows of none. */
  readonly epoch: number | null;
}

/** How a router stands after a report. */
export interface Standing {
  readonly router_id: string;
  readonly epoch: number;
  readonly active_host: string | null;
}

export interface HaStates {
  /** What an agent's host reports of its routers; of those it has, how they stand then. */
  report(context: Context, host: string, reports: readonly StateReport[]): Promise<readonly Standing[]>;
}

type Verdict = 'nothing new' | 'late' | 'takes over' | 'written';

function judge({ state, epoch, alive }: Known, report: StateReport): Verdict {
  const outdated = report.epoch !== null && report.epoch !== epoch;
  if (report.state === state) return 'nothing new';
  if (report.state === 'active') return outdated || (report.epoch === null && !alive) ? 'late' : 'takes over';
  return state === 'active' && outdated ? 'late' : 'written';
}

/** Ports are placed by what was true when they were looked at; so often that is looked at again. */
const ROUNDS = 5;

export function haStates(host: RouterHost, { downTime }: HaSettings): HaStates {
  const { db, log, plugins } = host;

  /** Binds the ports of routers where those are active. Who placed last looks once more, and so finds what has changed meanwhile. */
  const follow = async (context: Context, router_ids: readonly string[]): Promise<void> => {
    for (let round = 1; router_ids.length > 0 && round <= ROUNDS; round++) {
      const misplaced = await misplacedPorts(db.sql, router_ids);
      if (misplaced.length === 0) return;
      await plugins.get('CORE')?.place?.(context, misplaced);
    }
  };

  return {
    async report(context, name, reports) {
      const wanted = new Map(reports.map((report) => [report.router_id, report]));
      if (wanted.size === 0) return [];
      const ids = [...wanted.keys()];
      const standings = await db.transaction({ label: 'ha_states' }, async (tx) => {
        // Sent at once: the reading sees what the lock has waited for.
        const [, known] = await Promise.all([lockReported(tx, name, ids), readReported(tx, name, ids, downTime)]);
        const judged = known.map((one) => {
          const report = wanted.get(one.router_id)!;
          return { ...one, next: report.state, verdict: judge(one, report) };
        });
        const late = judged.filter(({ verdict }) => verdict === 'late').map(({ router_id }) => router_id);
        if (late.length > 0)
          log.info('late reports of the states of routers were refused', { host: name, routers: late });
        const taken = judged.filter(({ verdict }) => verdict === 'takes over').map(({ router_id }) => router_id);
        const changed = judged.filter(({ verdict }) => verdict === 'takes over' || verdict === 'written');
        await writeStates(
          tx,
          changed.map(({ port_id, next }) => ({ port_id, state: next })),
          taken,
        );
        return judged.map(({ router_id, epoch, active_host, state, verdict }): Standing => {
          if (verdict === 'takes over') return { router_id, epoch: epoch + 1, active_host: name };
          const left = verdict === 'written' && state === 'active';
          return { router_id, epoch, active_host: left ? null : active_host };
        });
      });
      const active = standings.filter(
        ({ router_id, active_host }) => active_host === name && wanted.get(router_id)?.state === 'active',
      );
      await follow(
        context,
        active.map(({ router_id }) => router_id),
      );
      return standings;
    },
  };
}
