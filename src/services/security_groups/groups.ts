/** The verbs of security groups. */
import { listRows, lockRow, reviseRow, showRow, showRows, violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { Call, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { publisher } from './callbacks.ts';
import { listWithDefaultGroup } from './default_group.ts';
import { SecurityGroupCannotRemoveDefault, SecurityGroupCannotUpdateDefault, SecurityGroupInUse } from './errors.ts';
import { groupChanged, leaver, rulesChanged } from './notifier.ts';
import { groupReading } from './reading.ts';
import { groupScope } from './scope.ts';
import { defaultGroup, deleteGroup, type GroupRow, hasPorts, type MadeGroup, makeGroups } from './store.ts';

/** What keeps a group that ports are in from being deleted. */
const IN_PORTS = 'port_security_groups_security_group_id_security_groups_id_fk';
const CHANGEABLE = { name: 'text', description: 'text', stateful: 'boolean' } as const;

export function groupVerbs(host: PluginHost): Readonly<Record<string, Verb>> {
  const { db, quota, callbacks } = host;
  const leave = leaver(host.outbox);
  const groups = publisher(callbacks, 'security_group');
  const rules = publisher(callbacks, 'security_group_rule');

  const visible = async (context: Context, id: string, tx?: Transaction, fields?: readonly string[]) => {
    const reading = groupReading(context);
    const group = await showRow(tx ?? db.sql, reading, id, fields, groupScope(context));
    if (group === undefined) throw reading.notFound(id);
    return group;
  };

  const create = async (context: Context, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const drafts = bodies.map((body) => ({ id: newId<'security_group'>(), body }));
    await groups.beforeCreate(context, drafts);
    const rows = drafts.map(({ id, body }) => rowOf(context, id, body));
    const wanted = rows.map(({ id }) => id);
    // The first group of a project brings its default group with it.
    const defaults = [...new Set(rows.map((row) => row.project_id))].map(defaultGroup);
    const { created, implied } = await db.transaction({ label: 'create_security_group' }, async (tx, last) => {
      const [made, created] = await Promise.all([
        makeGroups(tx, [...defaults, ...rows]),
        showRows(tx, groupReading(context), wanted),
      ]);
      const others = made.filter((group) => group.is_default).map(({ id }) => id);
      const implied = others.length === 0 ? [] : await showRows(tx, groupReading(context), others);
      await groups.precommitCreate(tx, context, implied);
      leave(tx, context, wanted.map(groupChanged));
      await groups.precommitCreate(tx, context, created, bodies);
      for (const [project, counts] of countsOf(made)) await quota.charge(tx, project, counts, last);
      return { created, implied };
    });
    await groups.afterCreate(context, implied);
    await groups.afterCreate(context, created, bodies);
    return created;
  };

  /** The row locked and read, in statements sent at once; the reading sees what the lock waited for. */
  const locked = async (tx: Transaction, context: Context, call: Call, mode: 'no key update' | 'update') => {
    const { id = '' } = call;
    if (!isUuid(id)) throw groupReading(context).notFound(id);
    const [, group] = await Promise.all([lockRow(tx, 'security_groups', id, mode), visible(context, id, tx)]);
    checkRevision(call, group);
    return group;
  };

  return {
    create_security_group: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_security_group_bulk: async (context, { bodies = [] }) => await create(context, bodies),

    get_security_group: (context, { id = '', fields }) => visible(context, id, undefined, fields),

    get_security_groups: (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listWithDefaultGroup(host, context, query, () =>
        listRows(db.sql, groupReading(context), query, groupScope(context)),
      ),

    async update_security_group(context, call) {
      const { id = '', body = {} } = call;
      const before = call.original ?? (await visible(context, id));
      await groups.publish('before_update', { context, original: before, request: body }, id);
      const { original, latest } = await db.transaction({ label: 'update_security_group' }, async (tx) => {
        // Who puts a port into the group keeps its key from changing: a new statefulness waits for those.
        const mode = body['stateful'] === undefined ? 'no key update' : 'update';
        const original = await locked(tx, context, call, mode);
        if (original['is_default'] === true && body['name'] !== undefined) throw new SecurityGroupCannotUpdateDefault();
        const values = changed(original, body);
        if (values['stateful'] !== undefined && (await hasPorts(tx, id))) throw new SecurityGroupInUse(id);
        if (Object.keys(values).length === 0) return { original, latest: original };
        const [, latest] = await Promise.all([
          reviseRow(tx, 'security_groups', id, CHANGEABLE, values),
          visible(context, id, tx),
        ]);
        leave(tx, context, [groupChanged(id)]);
        await groups.publish('precommit_update', { context, original, latest, request: body, tx }, id);
        return { original, latest };
      });
      await groups.publish('after_update', { context, original, latest, request: body }, id);
      return latest;
    },

    async delete_security_group(context, call) {
      const { id = '' } = call;
      const before = call.original ?? (await visible(context, id));
      await groups.publish('before_delete', { context, original: before }, id);
      const { original, elsewhere } = await db.transaction({ label: 'delete_security_group' }, async (tx, last) => {
        const [original, used] = await Promise.all([locked(tx, context, call, 'update'), hasPorts(tx, id)]);
        if (used) throw new SecurityGroupInUse(id);
        if (original['is_default'] === true && !context.is_admin) throw new SecurityGroupCannotRemoveDefault();
        await groups.publish('precommit_delete', { context, original, tx }, id);
        const removed = await deleteGroup(tx, id).catch((error) => {
          throw violatedConstraint(error) === IN_PORTS ? new SecurityGroupInUse(id) : error;
        });
        const elsewhere = removed.filter((rule) => rule.security_group_id !== id);
        // Nobody has ports in the group itself.
        leave(tx, context, [groupChanged(id), ...rulesChanged(elsewhere.map((rule) => ({ ...rule })))]);
        for (const rule of elsewhere) {
          await rules.publish('precommit_delete', { context, original: { ...rule, remote_group_id: id }, tx }, rule.id);
        }
        for (const [project, counts] of countsOfRemoved(String(original['project_id']), removed)) {
          await quota.charge(tx, project, counts, last);
        }
        return { original, elsewhere };
      });
      await groups.publish('after_delete', { context, original }, id);
      for (const rule of elsewhere) {
        await rules.publish('after_delete', { context, original: { ...rule, remote_group_id: id } }, rule.id);
      }
    },
  };
}

function rowOf(context: Context, id: string, body: Resource): GroupRow {
  return {
    id,
    project_id: String(body['project_id'] ?? context.project_id ?? ''),
    name: String(body['name'] ?? ''),
    description: String(body['description'] ?? ''),
    stateful: body['stateful'] as boolean | undefined,
    is_default: false,
  };
}

/** Those values of the body that are not what the group has. */
function changed(original: Resource, body: Resource): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(CHANGEABLE)
      .filter((name) => body[name] !== undefined && body[name] !== original[name])
      .map((name) => [name, body[name]]),
  );
}

function checkRevision({ if_match: expected }: Call, { revision_number: revision }: Resource): void {
  if (expected !== undefined && expected !== revision) {
    throw new RevisionNumberConstraintFailed(`Constrained to ${expected}, but current revision is ${revision}`);
  }
}

type Counts = { readonly security_group: number; readonly security_group_rule: number };

/** In a fixed order, so that two requests take the quota rows of several projects in the same order. */
function sorted(counts: ReadonlyMap<string, Counts>): readonly (readonly [string, Counts])[] {
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function countsOf(made: readonly MadeGroup[]) {
  const counts = new Map<string, Counts>();
  for (const { project_id, rules } of made) {
    const { security_group, security_group_rule } = counts.get(project_id) ?? NONE;
    counts.set(project_id, { security_group: security_group + 1, security_group_rule: security_group_rule + rules });
  }
  return sorted(counts);
}

function countsOfRemoved(owner: string, rules: readonly { readonly project_id: string }[]) {
  const counts = new Map<string, Counts>([[owner, { security_group: -1, security_group_rule: 0 }]]);
  for (const { project_id } of rules) {
    const before = counts.get(project_id) ?? NONE;
    counts.set(project_id, { ...before, security_group_rule: before.security_group_rule - 1 });
  }
  return sorted(counts);
}

const NONE: Counts = { security_group: 0, security_group_rule: 0 };
