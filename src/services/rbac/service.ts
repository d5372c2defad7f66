/**
 * The verbs of RBAC policies. A write takes the object's row first: to share bumps its revision, and to take a share back waits for
 * those who are just beginning to use the object, so that what the owning plugin asks in `release` is the truth.
 */
import {
  bumpRevisions,
  listRows,
  lockRow,
  type Scope,
  showRow,
  showRows,
  sqlState,
  type TableSql,
  violatedConstraint,
} from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Call, PluginHost, RbacObjectType, Resource, Verb } from '#src/lib/plugin.ts';
import { DuplicateRbacPolicy, InvalidActionForType, RbacPolicyNotFound } from './errors.ts';
import { insertShares, type NewShare, ownersOf, removeShare, retarget, shareReading } from './store.ts';
import { type SharedType, sharedTypes } from './types.ts';

/** Neutron's name for callbacks. */
const RESOURCE = 'rbac-policy';
const FOREIGN_KEY_VIOLATION = '23503';

interface Draft extends NewShare {
  readonly type: SharedType;
  readonly body: Resource;
}

const scope =
  (context: Context): Scope =>
  (parameters) =>
    context.is_admin ? undefined : `r.project_id = ${parameters.add(context.project_id, 'text')}`;

export function rbacVerbs(host: PluginHost): Readonly<Record<string, Verb>> {
  const { db, callbacks, quota } = host;
  let known: { readonly types: ReadonlyMap<string, SharedType>; readonly reading: TableSql } | undefined;
  const shared = () => {
    if (known === undefined) {
      const types = sharedTypes(host.plugins);
      known = { types, reading: shareReading(types.values()) };
    }
    return known;
  };
  const typeOf = (name: unknown): SharedType => {
    const type = shared().types.get(String(name));
    if (type === undefined) throw new InvalidInput(`there are no objects of type '${name}' to share`);
    return type;
  };

  const visible = async (context: Context, id: string, tx?: Transaction): Promise<Resource> => {
    const policy = await showRow(tx ?? db.sql, shared().reading, id, undefined, scope(context));
    if (policy === undefined) throw new RbacPolicyNotFound(id);
    return policy;
  };

  /** Only its owner and administrators share an object; who does not see it is told that there is none. */
  const refuseForeign = async (context: Context, type: SharedType, object_id: string, owner: string | undefined) => {
    if (owner !== undefined && (context.is_admin || owner === context.project_id)) return;
    await type.reader(context, { id: object_id, parents: {} });
    throw new InvalidInput('Only admins can manipulate policies on objects they do not own');
  };

  const draftOf = (context: Context, body: Resource): Draft => {
    const type = typeOf(body['object_type']);
    const action = String(body['action']);
    if (!type.actions.includes(action)) throw new InvalidActionForType(action, type.type, type.actions);
    return {
      id: newId(),
      project_id: String(body['project_id'] ?? context.project_id ?? ''),
      object_id: String(body['object_id']),
      action,
      target_project: String(body['target_tenant']),
      type,
      body,
    };
  };

  const create = async (context: Context, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const drafts = bodies.map((body) => draftOf(context, body));
    // In the order of the types' names, so that two requests take locks in the same order.
    const groups = [...Map.groupBy(drafts, ({ type }) => type)].toSorted(([a], [b]) => (a.type < b.type ? -1 : 1));
    const ids = drafts.map(({ id }) => id);
    for (const [type, group] of groups) {
      const owners = await ownersOf(db.sql, type, objectsOf(group));
      for (const { object_id } of group) await refuseForeign(context, type, object_id, owners.get(object_id));
    }
    for (const { id, body } of drafts) {
      await callbacks.publish(RESOURCE, 'before_create', { context, resource_id: id, request: body });
    }
    const write = async (tx: Transaction) => {
      for (const [type, group] of groups) {
        if (type.unrevised !== true) await bumpRevisions(tx, type.objects, objectsOf(group));
        for (const draft of group) await type.share?.(tx, draft);
        await insertShares(tx, type, group);
      }
      const created = await showRows(tx, shared().reading, ids);
      for (const payload of payloads(context, drafts, created)) {
        await callbacks.publish(RESOURCE, 'precommit_create', { ...payload, tx });
      }
      const byProject = Map.groupBy(drafts, ({ project_id }) => project_id);
      for (const [project, { length }] of [...byProject].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        await quota.charge(tx, project, { rbac_policy: length });
      }
      return created;
    };
    try {
      const created = await db.transaction({ label: 'create_rbac_policy' }, write);
      for (const payload of payloads(context, drafts, created)) {
        await callbacks.publish(RESOURCE, 'after_create', payload);
      }
      return created;
    } catch (error) {
      if (sqlState(error) === FOREIGN_KEY_VIOLATION) {
        // One of the objects has just been deleted: its reader says which.
        for (const { type, object_id } of drafts) await type.reader(context, { id: object_id, parents: {} });
      }
      throw asDuplicate(error);
    }
  };

  /** Runs a change of one policy under the lock of its object. */
  const change = async (
    context: Context,
    call: Call,
    operation: 'update' | 'delete',
    write: (tx: Transaction, policy: Resource, type: SharedType) => Promise<boolean>,
  ) => {
    const before = call.original ?? (await visible(context, call.id ?? ''));
    const type = typeOf(before['object_type']);
    const id = String(before['id']);
    const object_id = String(before['object_id']);
    const payload = { context, resource_id: id, original: before, request: call.body ?? {} };
    await callbacks.publish(RESOURCE, `before_${operation}`, payload);
    const transaction = db.transaction({ label: `${operation}_rbac_policy` }, async (tx) => {
      await lockRow(tx, type.objects, object_id, 'update');
      const changed = await write(tx, before, type);
      if (changed && type.unrevised !== true) await bumpRevisions(tx, type.objects, [object_id]);
      const latest = operation === 'delete' ? {} : { latest: changed ? await visible(context, id, tx) : before };
      await callbacks.publish(RESOURCE, `precommit_${operation}`, { ...payload, ...latest, tx });
      return latest;
    });
    const latest = await transaction.catch((error: unknown) => {
      throw asDuplicate(error);
    });
    await callbacks.publish(RESOURCE, `after_${operation}`, { ...payload, ...latest });
    return latest;
  };

  return {
    create_rbac_policy: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_rbac_policy_bulk: async (context, { bodies = [] }) => await create(context, bodies),
    get_rbac_policy: async (context, { id = '', fields }) => {
      const policy = await showRow(db.sql, shared().reading, id, fields, scope(context));
      if (policy === undefined) throw new RbacPolicyNotFound(id);
      return policy;
    },
    get_rbac_policies: async (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      await listRows(db.sql, shared().reading, query, scope(context)),

    async update_rbac_policy(context, call) {
      const target = call.body?.['target_tenant'];
      const original = call.original ?? (await visible(context, call.id ?? ''));
      const { object_id, object_type } = original;
      const owners = await ownersOf(db.sql, typeOf(object_type), [String(object_id)]);
      await refuseForeign(context, typeOf(object_type), String(object_id), owners.get(String(object_id)));
      const { latest } = await change(context, { ...call, original }, 'update', async (tx, policy, type) => {
        if (target === undefined || target === policy['target_tenant']) return false;
        const share = shareOf(policy);
        await type.share?.(tx, { ...share, target_project: String(target) });
        if (!(await retarget(tx, type, String(policy['id']), String(target)))) throw gone(policy);
        await type.release?.(tx, share);
        return true;
      });
      return latest;
    },

    async delete_rbac_policy(context, call) {
      await change(context, call, 'delete', async (tx, policy, type) => {
        const target_project = await removeShare(tx, type, String(policy['id']));
        if (target_project === undefined) throw gone(policy);
        await type.release?.(tx, { ...shareOf(policy), target_project });
        return true;
      });
    },
  };
}

const objectsOf = (drafts: readonly Draft[]): readonly string[] => [
  ...new Set(drafts.map(({ object_id }) => object_id)),
];

const shareOf = (policy: Resource): Parameters<NonNullable<RbacObjectType['release']>>[1] => ({
  object_id: String(policy['object_id']),
  action: String(policy['action']),
  target_project: String(policy['target_tenant']),
});

const gone = (policy: Resource) => new RbacPolicyNotFound(String(policy['id']), String(policy['object_type']));

function payloads(context: Context, drafts: readonly Draft[], created: readonly Resource[]) {
  return drafts.map(({ id, body }, at) => ({ context, resource_id: id, request: body, latest: created[at] ?? {} }));
}

/** The tables of shares hold an object, an action and a target once (`rbacTable`). */
function asDuplicate(error: unknown): unknown {
  return violatedConstraint(error)?.endsWith('_rbacs_once') ? new DuplicateRbacPolicy() : error;
}
