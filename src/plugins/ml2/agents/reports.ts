/**
 * State reports, written together: those that come while a statement is under way (or within a moment, when none is) go into
 * the next one, a multi-row upsert. Each report is answered after the commit that holds it, so what an agent has been told is
 * true, and ten thousand reports a second are some hundred statements.
 */
import { AGENTS_FROM, aliveSql, sqlState } from '#src/db/mod.ts';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Database } from '#src/lib/database.ts';
import { type AgentId, newId } from '#src/lib/ids.ts';

/** A report, checked. */
export interface AgentReport {
  readonly agent_type: string;
  readonly binary: string;
  readonly host: string;
  readonly topic: string;
  /** Undefined: as it was. */
  readonly availability_zone?: string | null;
  readonly configurations: JsonObject;
  /** Undefined: as they were. */
  readonly resource_versions?: JsonObject;
  readonly load: number;
  /** The first report of a process. */
  readonly started: boolean;
}

/** What an agent is told (neutron_lib.agent.constants): it resynchronises when it was new or thought dead. */
export type AgentStatus = 'new' | 'alive' | 'revived';

export interface ReportOutcome {
  readonly id: AgentId;
  readonly status: AgentStatus;
}

export interface ReporterOptions {
  readonly db: Database;
  /** Seconds. */
  readonly downTime: number;
  /** Whether an agent that is seen for the first time is enabled. */
  readonly enableNew: boolean;
  /** Reports in one statement at most (1000). */
  readonly batch?: number;
  /** How long the first report waits for others (2 ms). */
  readonly lingerMs?: number;
}

interface Waiting {
  report: AgentReport;
  readonly settle: { resolve(outcome: ReportOutcome): void; reject(error: unknown): void }[];
}

/** Writes reports; the answer resolves after the commit. */
export type Reporter = (report: AgentReport) => Promise<ReportOutcome>;

export function createReporter(options: ReporterOptions): Reporter {
  const batch = options.batch ?? 1000;
  const lingerMs = options.lingerMs ?? 2;
  // By agent: a second report of one agent replaces the first, and both are answered.
  let next = new Map<string, Waiting>();
  let writing = false;

  async function write(): Promise<void> {
    writing = true;
    await new Promise((resolve) => setTimeout(resolve, lingerMs));
    while (next.size > 0) {
      const all = [...next.values()];
      const now = all.slice(0, batch);
      next = new Map(all.slice(batch).map((waiting) => [keyOf(waiting.report), waiting]));
      await writeTogether(now);
    }
    writing = false;
  }

  async function writeTogether(all: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await upsert(
        options,
        all.map(({ report }) => report),
      );
      for (const { report, settle } of all) {
        const outcome = outcomes.get(keyOf(report))!;
        for (const { resolve } of settle) resolve(outcome);
      }
    } catch (error) {
      // A value that PostgreSQL cannot take (class 22) must fail its own report, not those that happened to be with it.
      if (all.length > 1 && sqlState(error)?.startsWith('22')) {
        for (const waiting of all) await writeTogether([waiting]);
        return;
      }
      for (const { settle } of all) for (const { reject } of settle) reject(error);
    }
  }

  return (report) =>
    new Promise((resolve, reject) => {
      const key = keyOf(report);
      const waiting = next.get(key);
      if (waiting === undefined) next.set(key, { report, settle: [{ resolve, reject }] });
      else {
        waiting.report = merge(waiting.report, report);
        waiting.settle.push({ resolve, reject });
      }
      if (!writing) void write();
    });
}

const keyOf = ({ agent_type, host }: Pick<AgentReport, 'agent_type' | 'host'>) => `${agent_type}\n${host}`;

/** The later of two reports, with what only the earlier said. */
function merge(earlier: AgentReport, later: AgentReport): AgentReport {
  return { ...earlier, ...later, started: earlier.started || later.started };
}

interface Written {
  readonly id: AgentId;
  readonly agent_type: string;
  readonly host: string;
  readonly status: AgentStatus;
}

/**
 * One statement: the agents as they were (for `revived`), and the upsert. Rows go in by type and host, the same order on
 * every worker, so that two of them never wait for each other in a circle.
 */
async function upsert(options: ReporterOptions, reports: readonly AgentReport[]): Promise<Map<string, ReportOutcome>> {
  const column = <Value>(read: (report: AgentReport) => Value): Value[] => reports.map(read);
  const textOf = (value: Json | undefined): string | null => (value === undefined ? null : JSON.stringify(value));
  const parameters = [
    column(() => newId<'agent'>()),
    column((report) => report.agent_type),
    column((report) => report.binary),
    column((report) => report.host),
    column((report) => report.topic),
    column((report) => report.availability_zone ?? null),
    column((report) => JSON.stringify(report.configurations)),
    column((report) => textOf(report.resource_versions)),
    column((report) => report.load),
    // As text: postgres.js takes an array of booleans for one boolean, and would encode JSON once more.
    column((report) => String(report.started)),
    options.enableNew,
  ];
  const rows = await options.db.transaction({ label: 'report_state' }, (tx) =>
    tx.unsafe<Written[]>(upsertText(options.downTime), parameters as never[], { prepare: true }),
  );
  return new Map(rows.map(({ id, status, ...row }) => [keyOf(row), { id, status }]));
}

function upsertText(downTime: number): string {
  return `
    with reported as (
      select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::int[], $10::text[]::bool[])
        as r (id, agent_type, "binary", host, topic, availability_zone, configurations, resource_versions, load, started)
    ), known as (
      select a.agent_type, a.host, ${aliveSql(downTime)} as alive
      from ${AGENTS_FROM} join reported r on r.agent_type = a.agent_type and r.host = a.host
    ), written as (
      insert into agents as a (id, agent_type, "binary", host, topic, availability_zone, configurations, resource_versions,
        load, admin_state_up, created_at, started_at, heartbeat_timestamp)
      select id, agent_type, "binary", host, topic, availability_zone, configurations::json, resource_versions::json, load, $11,
        now(), now(), now()
      from reported order by agent_type, host
      on conflict (agent_type, host) do update set
        "binary" = excluded."binary", topic = excluded.topic, configurations = excluded.configurations, load = excluded.load,
        availability_zone = coalesce(excluded.availability_zone, a.availability_zone),
        resource_versions = coalesce(excluded.resource_versions, a.resource_versions),
        heartbeat_timestamp = excluded.heartbeat_timestamp,
        started_at = case when (select r.started from reported r where r.agent_type = a.agent_type and r.host = a.host)
          then excluded.started_at else a.started_at end
      returning a.id, a.agent_type, a.host
    )
    select w.id, w.agent_type, w.host,
      case when k.alive is null then 'new' when k.alive then 'alive' else 'revived' end as status
    from written w left join known k on k.agent_type = w.agent_type and k.host = w.host`;
}
