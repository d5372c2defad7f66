/** Groups and who is in them. Leaving a group may take roles away, so it voids the tokens of who leaves. */
import type { Queryable } from '#src/lib/database.ts';
import { newHexId } from '../bytes.ts';
import { NotFound } from '../errors.ts';
import type { RevocationSubject } from '../revocations.ts';
import { narrowedToDomain } from './access.ts';
import { type GroupRow, groups, textOrEmpty, type UserRow, users } from './entities.ts';
import {
  type Condition,
  deleteRow,
  existing,
  findRow,
  givenBody,
  insertRow,
  listReply,
  listRows,
  oneReply,
  updateRow,
} from './entity.ts';
import { type Call, NO_CONTENT, type Route } from './route.ts';

async function target(call: Call): Promise<GroupRow> {
  const id = call.param('group');
  const row = await findRow(call.services.db.sql, groups, id);
  call.enforce({ domain_ids: row === undefined ? [] : [row.domain_id] });
  return existing(row, groups, id);
}

/** The path's group and user. */
async function targetMember(call: Call): Promise<{ readonly group: GroupRow; readonly user: UserRow }> {
  const { sql } = call.services.db;
  const [group, user] = await Promise.all([
    findRow(sql, groups, call.param('group')),
    findRow(sql, users, call.param('user')),
  ]);
  call.enforce({
    user_id: user?.id,
    domain_ids: group === undefined || user === undefined ? [] : [group.domain_id, user.domain_id],
  });
  return {
    group: existing(group, groups, call.param('group')),
    user: existing(user, users, call.param('user')),
  };
}

const notAMember = (user: UserRow, group: GroupRow) => new NotFound('user', `${user.id} in group ${group.id}`);

/** The tokens of everybody in the group. */
export async function membersOf(sql: Queryable, groupId: string): Promise<readonly string[]> {
  const rows = await sql<{ user_id: string }[]>`
    select user_id from identity_group_members where group_id = ${groupId}`;
  return rows.map((row) => row.user_id);
}

export const groupRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/groups',
    action: 'list_groups',
    async handler(call) {
      const domain = narrowedToDomain(call.caller);
      call.enforce({ domain_ids: domain === undefined ? [] : [domain] });
      const conditions: Condition[] =
        domain === undefined ? [] : [(parameters) => `domain_id = ${parameters.add(domain)}`];
      return listReply(call, groups, await listRows(call.services.db.sql, groups, call.query, conditions));
    },
  },
  {
    method: 'POST',
    path: '/groups',
    action: 'create_group',
    async handler(call) {
      const { known, extra } = await givenBody(call, groups, 'create');
      const { scope } = call.caller;
      const own = scope.kind === 'domain' || scope.kind === 'project' ? scope.domain.id : 'default';
      const domain_id = String(known['domain_id'] ?? own);
      call.enforce({ domain_ids: [domain_id] });
      const row = await call.services.db.transaction({ label: 'identity_create_group' }, (tx) =>
        insertRow(tx, groups, { ...textOrEmpty(known), extra, domain_id, id: newHexId() }),
      );
      return oneReply(call, groups, row, 201);
    },
  },
  {
    method: 'GET',
    path: '/groups/:group',
    action: 'get_group',
    handler: async (call) => oneReply(call, groups, await target(call)),
  },
  {
    method: 'PATCH',
    path: '/groups/:group',
    action: 'update_group',
    async handler(call) {
      const before = await target(call);
      const given = await givenBody(call, groups, 'update');
      const { domain_id: _, ...known } = textOrEmpty(given.known);
      const row = await call.services.db.transaction({ label: 'identity_update_group' }, (tx) =>
        updateRow(tx, groups, before, { ...given, known }),
      );
      return oneReply(call, groups, row);
    },
  },
  {
    method: 'DELETE',
    path: '/groups/:group',
    action: 'delete_group',
    async handler(call) {
      const group = await target(call);
      const { db, revocations } = call.services;
      await db.transaction({ label: 'identity_delete_group' }, async (tx) => {
        const subjects = (await membersOf(tx, group.id)).map((id): RevocationSubject => `user:${id}`);
        await revocations.revoke(tx, subjects);
        await deleteRow(tx, groups, group.id);
      });
      return NO_CONTENT;
    },
  },
  {
    method: 'GET',
    path: '/groups/:group/users',
    action: 'list_users_in_group',
    async handler(call) {
      const group = await target(call);
      const members: Condition = (parameters) =>
        `id in (select user_id from identity_group_members where group_id = ${parameters.add(group.id)})`;
      return listReply(call, users, await listRows(call.services.db.sql, users, call.query, [members]));
    },
  },
  {
    method: 'PUT',
    path: '/groups/:group/users/:user',
    action: 'add_user_to_group',
    async handler(call) {
      const { group, user } = await targetMember(call);
      await call.services.db.sql`
        insert into identity_group_members (group_id, user_id) values (${group.id}, ${user.id}) on conflict do nothing`;
      return NO_CONTENT;
    },
  },
  {
    method: 'GET',
    path: '/groups/:group/users/:user',
    action: 'check_user_in_group',
    async handler(call) {
      const { group, user } = await targetMember(call);
      if (!(await membersOf(call.services.db.sql, group.id)).includes(user.id)) throw notAMember(user, group);
      return NO_CONTENT;
    },
  },
  {
    method: 'DELETE',
    path: '/groups/:group/users/:user',
    action: 'remove_user_from_group',
    async handler(call) {
      const { group, user } = await targetMember(call);
      const { db, revocations } = call.services;
      await db.transaction({ label: 'identity_leave_group' }, async (tx) => {
        await revocations.revoke(tx, [`user:${user.id}`]);
        const gone = await tx`
          delete from identity_group_members where group_id = ${group.id} and user_id = ${user.id}`;
        if (gone.count === 0) throw notAMember(user, group);
      });
      return NO_CONTENT;
    },
  },
];
