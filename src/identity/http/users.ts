/** Users, their passwords, and what they belong to. */
import * as v from 'valibot';
import { newHexId } from '../bytes.ts';
import { Unauthorized, ValidationError } from '../errors.ts';
import { targetsOfUser } from '../grants.ts';
import { narrowedToDomain } from './access.ts';
import { groups, Password, type ProjectRow, projects, type UserRow, users } from './entities.ts';
import {
  assertMutable,
  type Condition,
  deleteRow,
  existing,
  findRow,
  type Given,
  givenBody,
  insertRow,
  listReply,
  listRows,
  memberOf,
  oneReply,
  parse,
  updateRow,
} from './entity.ts';
import { type Call, NO_CONTENT, type Reply, type Route } from './route.ts';

/** The path's user, once it is known that the caller may do this to it. */
export async function targetUser(call: Call): Promise<UserRow> {
  const id = call.param('user');
  const row = await findRow(call.services.db.sql, users, id);
  call.enforce({ user_id: row?.id, domain_ids: row === undefined ? [] : [row.domain_id] });
  return existing(row, users, id);
}

/** Columns of the body, with the hash in the place of the password. */
async function columnsOf(call: Call, { known }: Given): Promise<Readonly<Record<string, unknown>>> {
  const { password, ...columns } = known;
  if (password === undefined) return columns;
  return { ...columns, password_hash: password === null ? null : await call.services.passwords.hash(String(password)) };
}

async function create(call: Call): Promise<Reply> {
  const given = await givenBody(call, users, 'create');
  const { scope } = call.caller;
  const own = scope.kind === 'domain' || scope.kind === 'project' ? scope.domain.id : 'default';
  const domain_id = String(given.known['domain_id'] ?? own);
  call.enforce({ domain_ids: [domain_id] });
  const columns = await columnsOf(call, given);
  const row = await call.services.db.transaction({ label: 'identity_create_user' }, (tx) =>
    insertRow(tx, users, { ...columns, extra: given.extra, domain_id, id: newHexId() }),
  );
  return oneReply(call, users, row, 201);
}

async function update(call: Call): Promise<Reply> {
  const before = await targetUser(call);
  const given = await givenBody(call, users, 'update');
  assertMutable(users, before, given);
  if (given.known['domain_id'] !== undefined && given.known['domain_id'] !== before.domain_id) {
    throw new ValidationError('Cannot change Domain ID');
  }
  const columns = await columnsOf(call, given);
  const { db, revocations } = call.services;
  const row = await db.transaction({ label: 'identity_update_user' }, async (tx) => {
    if ('password_hash' in columns || columns['enabled'] === false) await revocations.revoke(tx, [`user:${before.id}`]);
    return updateRow(tx, users, before, { ...given, known: columns });
  });
  return oneReply(call, users, row);
}

async function remove(call: Call): Promise<Reply> {
  const user = await targetUser(call);
  const { db, revocations } = call.services;
  assertMutable(users, user);
  await db.transaction({ label: 'identity_delete_user' }, async (tx) => {
    await revocations.revoke(tx, [`user:${user.id}`]);
    await deleteRow(tx, users, user.id);
  });
  return NO_CONTENT;
}

const PasswordChange = v.object({ original_password: v.pipe(v.string(), v.maxLength(4096)), password: Password });

/** Needs no token: the original password says who it is, and is guarded like a login. */
async function changePassword(call: Call): Promise<Reply> {
  const change = parse(PasswordChange, memberOf(await call.body(), 'user'), 'Invalid password change');
  const { db, check, passwords, revocations } = call.services;
  const id = call.param('user');
  const [user] = await db.sql<{ password_hash: string | null }[]>`
    select u.password_hash from identity_users u join identity_projects d on d.id = u.domain_id
    where u.id = ${id} and u.enabled and d.enabled`;
  const before = user?.password_hash ?? null;
  const right = await check({ account: `user ${id}`, address: call.address }, change.original_password, before);
  if (!right) throw new Unauthorized();
  const after = await passwords.hash(change.password);
  await db.transaction({ label: 'identity_change_password' }, async (tx) => {
    await revocations.revoke(tx, [`user:${id}`]);
    const changed = await tx`
      update identity_users set password_hash = ${after} where id = ${id} and password_hash = ${before}`;
    if (changed.count === 0) throw new Unauthorized();
  });
  return NO_CONTENT;
}

/** The enabled projects that a user has any role on. */
export async function projectsOfUser(call: Call, userId: string): Promise<readonly ProjectRow[]> {
  const { sql } = call.services.db;
  const ids = await targetsOfUser(sql, userId);
  return listRows(sql, projects, call.query, [
    (parameters) => `id = any(${parameters.add([...ids], 'text[]')})`,
    () => 'not is_domain and enabled',
  ]);
}

export const userRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/users',
    action: 'list_users',
    async handler(call) {
      const domain = narrowedToDomain(call.caller);
      call.enforce({ domain_ids: domain === undefined ? [] : [domain] });
      const conditions: Condition[] =
        domain === undefined ? [] : [(parameters) => `domain_id = ${parameters.add(domain)}`];
      return listReply(call, users, await listRows(call.services.db.sql, users, call.query, conditions));
    },
  },
  { method: 'POST', path: '/users', action: 'create_user', handler: create },
  {
    method: 'GET',
    path: '/users/:user',
    action: 'get_user',
    handler: async (call) => oneReply(call, users, await targetUser(call)),
  },
  { method: 'PATCH', path: '/users/:user', action: 'update_user', handler: update },
  { method: 'DELETE', path: '/users/:user', action: 'delete_user', handler: remove },
  { method: 'POST', path: '/users/:user/password', action: 'public', handler: changePassword },
  {
    method: 'GET',
    path: '/users/:user/projects',
    action: 'list_user_projects',
    async handler(call) {
      const user = await targetUser(call);
      return listReply(call, projects, await projectsOfUser(call, user.id));
    },
  },
  {
    method: 'GET',
    path: '/users/:user/groups',
    action: 'list_groups_for_user',
    async handler(call) {
      const user = await targetUser(call);
      const mine: Condition = (parameters) =>
        `id in (select group_id from identity_group_members where user_id = ${parameters.add(user.id)})`;
      return listReply(call, groups, await listRows(call.services.db.sql, groups, call.query, [mine]));
    },
  },
];
