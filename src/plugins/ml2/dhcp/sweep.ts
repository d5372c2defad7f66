/**
 * Gives agents to the networks that lack them: when an agent appears, or asks for what it serves. Networks are made while there is
 * no agent, or none in their zone, and lose agents that are deleted. All of them are looked at, and spread over all agents that
 * are alive: the first to come does not get everything.
 */
import { adminContext } from '#src/lib/context.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import { type DhcpScheduling, tellGiven } from './scheduling.ts';

/** Resolves when all networks that lacked agents at the time of the call have been looked at. */
export type Sweep = () => Promise<void>;

/** Networks in one transaction. */
const BATCH = 200;
/** Batches of one sweep; what is left waits for the next. */
const BATCHES = 100;

export function createSweep(
  { db, outbox, log }: Pick<PluginHost, 'db' | 'outbox' | 'log'>,
  scheduling: DhcpScheduling,
): Sweep {
  const batch = async (after: string): Promise<readonly string[]> => {
    const rows = await db.sql.unsafe<{ id: string }[]>(
      `select n.id from networks n
       where n.id > $1::uuid and ${scheduling.wanted}
         and exists (select 1 from subnets s where s.network_id = n.id and s.enable_dhcp)
       order by n.id limit ${BATCH}`,
      [after],
      { prepare: true },
    );
    return rows.map(({ id }) => id);
  };

  const sweep = async (): Promise<void> => {
    let after = '00000000-0000-0000-0000-000000000000';
    for (let n = 0; n < BATCHES; n++) {
      const ids = await batch(after);
      if (ids.length === 0) return;
      const given = await db.transaction({ label: 'schedule_networks' }, async (tx) => {
        const given = await scheduling.schedule(tx, ids);
        await outbox.add(tx, adminContext(), tellGiven(given));
        return given;
      });
      if (given.length > 0) log.info('networks without DHCP agents have got some', { networks: given.length });
      if (ids.length < BATCH) return;
      after = ids.at(-1)!;
    }
  };

  // Agents come in crowds: those that ask while a sweep is under way share the next one.
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        running = sweep();
        return running;
      });
    return next;
  };
}
