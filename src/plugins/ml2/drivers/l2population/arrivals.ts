/**
 * A host that wires its first port of a network, or whose agent has started again, is told of all other ports of the network: in
 * shares, so that no message is too large. The shares are stretches of the ids, which are random, and are read when they are sent.
 * What comes between is told by the messages of the ports themselves, which the host gets as soon as a port on it is bound.
 */
import type { Context } from '#src/lib/context.ts';
import type { Database, Queryable } from '#src/lib/database.ts';
import type { Outbox } from '#src/lib/rpc.ts';
import { fdbMessage } from './changes.ts';
import { idOf } from './ids.ts';
import { L2_AGENT, wired } from './readers.ts';

/** Ports in one message, on average: some 60 bytes each for an address. */
const SHARE = 2000;
/** Ids are cut by their first 16 bits. */
const PREFIXES = 0x10000;

/** A host has wired ports on a network; with `resync` it wants to hear of all others there in any case. */
export interface Arrival {
  readonly host: string;
  readonly network_id: string;
  readonly resync: boolean;
}

interface NewNetwork {
  readonly host: string;
  readonly network_id: string;
  /** How many there are that somebody has wired. */
  readonly ports: number;
}

/**
 * The networks that are new to their host, or wanted again. The limit keeps the planner from asking all bindings of the cloud
 * once, in place of those of the host.
 */
async function newNetworks(sql: Queryable, arrivals: readonly Arrival[]): Promise<readonly NewNetwork[]> {
  return await sql.unsafe<(NewNetwork & Record<string, unknown>)[]>(
    `with asked as (
       select r.host, r.network_id, bool_or(r.resync) as resync
       from json_to_recordset($1::json) as r (host text, network_id uuid, resync bool) group by r.host, r.network_id),
     fresh as materialized (
       select r.host, r.network_id from asked r
       left join lateral (
         select true as wired from port_bindings b join ports p on p.id = b.port_id
         where b.host = r.host and p.network_id = r.network_id and ${wired('ACTIVE')}
         limit 1) here on true
       where (r.resync or here.wired is null)
         and exists (select 1 from agents a where a.host = r.host and ${L2_AGENT})),
     counted as materialized (
       select n.network_id, (
         select count(*)::int from ports p where p.network_id = n.network_id and p.status in ('ACTIVE', 'BUILD')) as ports
       from (select distinct network_id from fresh) n)
     select fresh.host, fresh.network_id, counted.ports from fresh join counted using (network_id)`,
    [arrivals as never],
    { prepare: true },
  );
}

const id = (prefix: number, digit: string) =>
  `${prefix.toString(16).padStart(4, '0')}xxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.replaceAll('x', digit);

/** Stretches of all ids, of the same length. */
function stretches(count: number): readonly { readonly low: string; readonly high: string }[] {
  const start = (index: number) => Math.floor((index * PREFIXES) / count);
  return Array.from({ length: count }, (_, index) => ({
    low: id(start(index), '0'),
    high: id(start(index + 1) - 1, 'f'),
  }));
}

/** Tells hosts of what they have not heard yet. */
export function arrivals({ db, outbox }: { readonly db: Database; readonly outbox: Outbox }) {
  return async (context: Context, arrivals: readonly Arrival[]): Promise<void> => {
    const networks = await newNetworks(db.sql, arrivals);
    const messages = networks.flatMap(({ host, network_id, ports }) =>
      stretches(Math.min(Math.ceil(ports / SHARE), PREFIXES)).map((stretch) => {
        const what = ['fdb_of_network', idOf({ network_id, host, ...stretch })] as const;
        return fdbMessage('add_fdb_entries', { host }, network_id, what);
      }),
    );
    if (messages.length === 0) return;
    await db.transaction({ label: 'l2population_arrival' }, (tx) => outbox.add(tx, context, messages));
  };
}
