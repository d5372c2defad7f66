/**
 * Births and wills, written together as reports are. The newest epoch counts: an older one changes nothing, and neither does
 * what is known already, so that several workers may be told of the same.
 */
import type { Database } from '#src/lib/database.ts';
import type { Presence, PresenceHandler } from '#src/lib/rpc.ts';

/** Records presences; resolves after the commit. */
export function createPresenceRecorder(db: Database): PresenceHandler {
  let next = new Map<string, Presence>();
  let write: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();

  return (presence) => {
    const key = `${presence.host}\n${presence.binary}`;
    const waiting = next.get(key);
    if (waiting === undefined || isNews(waiting, presence)) next.set(key, presence);
    // The next statement starts when the one under way is done, with all that has come until then.
    write ??= writing
      .catch(() => {})
      .then(() => {
        const all = [...next.values()];
        next = new Map();
        write = undefined;
        writing = record(db, all);
        return writing;
      });
    return write;
  };
}

function isNews(known: Presence, presence: Presence): boolean {
  return presence.epoch > known.epoch || (presence.epoch === known.epoch && !presence.alive);
}

async function record(db: Database, presences: readonly Presence[]): Promise<void> {
  await db.transaction(
    { label: 'agent_presence' },
    (tx) => tx`
      insert into agent_presence as p (host, "binary", epoch, alive, changed_at)
      select host, "binary", epoch, alive, now() from unnest(
        ${presences.map(({ host }) => host)}::text[],
        ${presences.map(({ binary }) => binary)}::text[],
        ${presences.map(({ epoch }) => String(epoch))}::bigint[],
        ${presences.map(({ alive }) => String(alive))}::text[]::bool[]
      ) as n (host, "binary", epoch, alive)
      order by host, "binary"
      on conflict (host, "binary") do update
      set epoch = excluded.epoch, alive = excluded.alive, changed_at = excluded.changed_at
      where excluded.epoch > p.epoch or (excluded.epoch = p.epoch and p.alive and not excluded.alive)`,
  );
}
