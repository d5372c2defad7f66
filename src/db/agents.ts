/** How agents are listed: one statement over the agents and their presence. Time is the database's, the same for all workers. */
import type { Json } from '#src/lib/api/attributes.ts';
import type { Filter } from '#src/lib/api/query.ts';
import { AgentNotFound } from '#src/lib/errors.ts';
import { type AttributeSql, anyOf, type TableSql } from './list.ts';
import type { Parameters } from './sql_text.ts';

/** Python prints these times without fraction and zone, and clients parse them so. */
const time = (column: string): AttributeSql => ({
  select: `to_char(a.${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`,
  // A number: as a date the marker of a page would lose its microseconds on the way.
  sort: `extract(epoch from a.${column})`,
});
const text = (column: string): AttributeSql => ({
  select: `a.${column}`,
  type: 'text',
  sort: `coalesce(a.${column}, '')`,
});

/** A report that was on its way when the connection broke may be handled just after the will: it proves nothing. */
const WILL_MARGIN = `interval '1 second'`;

/** Where `aliveSql` looks. */
export const AGENTS_FROM = 'agents a left join agent_presence p on p.host = a.host and p.binary = a.binary';

/** Whether an agent counts as alive: its report is fresh, and its process has not been lost since. */
export function aliveSql(downTime: number): string {
  return (
    `(a.heartbeat_timestamp > now() - interval '${Math.trunc(downTime)} seconds' and ` +
    `(p.alive is not false or a.heartbeat_timestamp > p.changed_at + ${WILL_MARGIN}))`
  );
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

function truth(value: Json): Json {
  return BOOLEANS[String(value).toLowerCase()] ?? String(value);
}

/** The list's attributes; `downTime` is `[DEFAULT] agent_down_time` in seconds. */
export function agentTable(downTime: number): TableSql {
  const alive = aliveSql(downTime);
  return {
    from: AGENTS_FROM,
    key: 'a.id',
    notFound: (id) => new AgentNotFound(id),
    attributes: {
      id: { select: 'a.id', type: 'uuid' },
      agent_type: {
        ...text('agent_type'),
        // Clients write `DHCP Agent`, too: MySQL, which Neutron mostly has, does not tell the difference.
        filter: ({ values }, parameters) =>
          anyOf(
            'lower(a.agent_type)',
            'text',
            values.map((value) => String(value).toLowerCase()),
            parameters,
          ),
      },
      binary: text('binary'),
      topic: text('topic'),
      host: text('host'),
      admin_state_up: { select: 'a.admin_state_up', type: 'boolean' },
      created_at: time('created_at'),
      started_at: time('started_at'),
      heartbeat_timestamp: time('heartbeat_timestamp'),
      description: text('description'),
      resources_synced: { select: 'a.resources_synced', sort: 'coalesce(a.resources_synced, false)' },
      availability_zone: text('availability_zone'),
      alive: {
        select: alive,
        // The attribute map has no converter for it, so values come as text.
        filter: (filter: Filter, parameters: Parameters) =>
          anyOf(alive, 'boolean', filter.values.map(truth), parameters),
      },
      configurations: { select: 'a.configurations', sort: false },
    },
  };
}
