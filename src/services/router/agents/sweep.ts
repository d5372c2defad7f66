/**
 * Gives agents to the routers that lack them: when an agent appears, or asks for its routers. Routers are made while there is
 * no agent, or none in their zone, and lose agents that are deleted. All of them are looked at, and spread over all agents that
 * are alive: the first to come does not get everything.
 */
import { adminContext } from '#src/lib/context.ts';
import { Messages } from '#src/lib/messages.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import type { RouterHost } from '../host.ts';
import { routerAdded } from '../notifications/mod.ts';
import { lockRouters } from '../routers/store.ts';
import { wantedSql } from './candidates.ts';
import type { RouterScheduling } from './scheduling.ts';
import type { L3Settings } from './settings.ts';

/** Routers in one transaction. */
const BATCH = 200;
/** Batches of one sweep; what is left waits for the next. */
const BATCHES = 100;

/** Resolves when all routers that lacked agents at the time of the call have been looked at. */
export function createSweep(
  { db, outbox, log, together }: PluginHost & Pick<RouterHost, 'together'>,
  settings: L3Settings,
  schedule: RouterScheduling['schedule'],
): () => Promise<void> {
  const wanting = `select r.id from routers r where r.id > $1::uuid and ${wantedSql(settings)} order by r.id limit ${BATCH}`;

  const give = async (ids: readonly string[]): Promise<number> => {
    const context = adminContext();
    return await together({ label: 'schedule_routers' }, async (tx, verbs) => {
      await lockRouters(tx, ids, 'no key update');
      const messages = new Messages();
      const given = await schedule({ tx, context, verbs, notify: messages.notify }, ids);
      for (const [id, agents] of given) messages.notify(...agents.map(({ host }) => routerAdded(id, host)));
      messages.send(outbox, tx, context);
      return given.size;
    });
  };

  const sweep = async (): Promise<void> => {
    let after = '00000000-0000-0000-0000-000000000000';
    for (let n = 0; n < BATCHES; n++) {
      const rows = await db.sql.unsafe<{ id: string }[]>(wanting, [after], { prepare: true });
      const ids = rows.map(({ id }) => id);
      if (ids.length === 0) return;
      const routers = await give(ids);
      if (routers > 0) log.info('routers without L3 agents have got some', { routers });
      if (ids.length < BATCH) return;
      after = ids.at(-1) ?? after;
    }
  };

  // Agents come in crowds: those that ask while a sweep is under way share the next one.
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return async () => {
    if (!settings.automatic) return;
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        running = sweep();
        return running;
      });
    await next;
  };
}
