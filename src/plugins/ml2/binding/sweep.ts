/**
 * Binds ports that have a host and are not bound, because whoever made or changed them did not come to it: a port is bound behind
 * the commit that gives it its host, and the process may end in between. An agent that asks for the port binds it, too; but where
 * nobody waits for an agent (a server that is about to start), nobody asks. Ports whose binding has failed are not among them:
 * they are tried again when an agent of their host comes back.
 */
import { adminContext } from '#src/lib/context.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import type { PluginWorker } from '#src/lib/worker.ts';
import { periodic } from '#src/scheduler/mod.ts';
import type { Binder } from './binder.ts';

/** How often ports are looked for. */
const SECONDS = 60;
/** Whoever has changed a port binds it himself within that time. */
const GRACE_SECONDS = 30;
/** Ports that are bound together. */
const BATCH = 200;
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Those of a network without segments cannot be bound by anybody, and are left alone. The bindings are read through, of which an
 * index would cost more in every binding than this once a minute; their ids first, so that the planner does not go by ports.
 */
const UNBOUND = `
  with unbound as materialized (
    select port_id from port_bindings
    where status = 'ACTIVE' and vif_type = 'unbound' and host <> '' and port_id > $1::uuid)
  select p.id from unbound b join ports p on p.id = b.port_id
  where p.updated_at < now() - make_interval(secs => ${GRACE_SECONDS})
    and exists (select from network_segments s where s.network_id = p.network_id)
  order by p.id limit ${BATCH}`;

interface SweepHost extends Pick<PluginHost, 'db' | 'log'> {
  readonly binder: Pick<Binder, 'bind'>;
}

/** The worker: one for all machines. */
export function bindingSweep({ db, log, binder }: SweepHost): PluginWorker {
  const next = async (after: string): Promise<readonly string[]> => {
    const rows = await db.sql.unsafe<{ id: string }[]>(UNBOUND, [after], { prepare: true });
    return rows.map(({ id }) => id);
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    for (let after = FIRST; !signal.aborted; ) {
      const ids = await next(after);
      if (ids.length === 0) return;
      await binder.bind(adminContext(), ids);
      log.info('ports that nobody had bound were', { ports: ids.length });
      after = ids.at(-1)!;
    }
  };

  return periodic({ db, name: 'port binding', seconds: SECONDS, run, log });
}
