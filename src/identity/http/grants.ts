/**
 * Grants: a role for a user or a group on a project, a domain or the system; with `OS-INHERIT`, on all projects below. One
 * set of handlers serves all twelve forms of the path. Taking a role away voids the tokens that carry it.
 */
import type { Sql, Transaction } from '#src/lib/database.ts';
import { NotFound } from '../errors.ts';
import type { RevocationSubject } from '../revocations.ts';
import type { Action } from './access.ts';
import { domains, groups, projects, type RoleRow, roles, users } from './entities.ts';
import { existing, findRow, listReply } from './entity.ts';
import { membersOf } from './groups.ts';
import { type Call, NO_CONTENT, type Reply, type Route } from './route.ts';

interface GrantPath {
  readonly target: 'projects' | 'domains' | 'system';
  readonly actor: 'users' | 'groups';
  readonly inherited: boolean;
}

/** Who has what where, as the path says. */
interface Grant {
  readonly user_id: string | null;
  readonly group_id: string | null;
  /** Null: the system. */
  readonly target_id: string | null;
  readonly inherited: boolean;
}

/** Looks up what the path names, asks for access, and only then says what does not exist. */
async function resolve(
  call: Call,
  path: GrantPath,
  withRole: boolean,
): Promise<{ grant: Grant; role: RoleRow | undefined }> {
  const { sql } = call.services.db;
  const actorId = call.param('actor');
  const targets = path.target === 'domains' ? domains : projects;
  const [actor, target, role] = await Promise.all([
    path.actor === 'users' ? findRow(sql, users, actorId) : findRow(sql, groups, actorId),
    path.target === 'system' ? undefined : findRow(sql, targets, call.param('target')),
    withRole ? findRow(sql, roles, call.param('role')) : undefined,
  ]);
  call.enforce({
    domain_ids: actor === undefined || target === undefined ? [] : [actor.domain_id, target.domain_id ?? target.id],
    role_name: role?.domain_id === null ? role.name : undefined,
  });
  if (actor === undefined) throw new NotFound(path.actor === 'users' ? 'user' : 'group', actorId);
  if (path.target !== 'system') existing(target, targets, call.param('target'));
  if (withRole) existing(role, roles, call.param('role'));
  return {
    grant: {
      user_id: path.actor === 'users' ? actor.id : null,
      group_id: path.actor === 'groups' ? actor.id : null,
      target_id: target?.id ?? null,
      inherited: path.inherited,
    },
    role,
  };
}

const matching = (sql: Sql | Transaction, grant: Grant) => sql`
  user_id is not distinct from ${grant.user_id} and group_id is not distinct from ${grant.group_id}
  and target_id is not distinct from ${grant.target_id} and inherited = ${grant.inherited}`;

async function list(call: Call, path: GrantPath): Promise<Reply> {
  const { grant } = await resolve(call, path, false);
  const { sql } = call.services.db;
  const rows = await sql<RoleRow[]>`
    select r.* from identity_roles r
    where r.id in (select role_id from identity_assignments where ${matching(sql, grant)}) order by r.name`;
  return listReply(call, roles, rows);
}

const missing = (call: Call) =>
  new NotFound(
    'role assignment with role',
    `${call.param('role')}, user or group: ${call.param('actor')}, ` +
      `project, domain, or system: ${call.param('target') || 'system'}`,
  );

async function check(call: Call, path: GrantPath): Promise<Reply> {
  const { grant, role } = await resolve(call, path, true);
  const { sql } = call.services.db;
  const rows = await sql`
    select from identity_assignments where role_id = ${role?.id ?? ''} and ${matching(sql, grant)}`;
  if (rows.length === 0) throw missing(call);
  return NO_CONTENT;
}

async function give(call: Call, path: GrantPath): Promise<Reply> {
  const { grant, role } = await resolve(call, path, true);
  const row = { ...grant, role_id: role?.id ?? '' };
  const { sql } = call.services.db;
  await sql`insert into identity_assignments ${sql(row)} on conflict do nothing`;
  return NO_CONTENT;
}

async function take(call: Call, path: GrantPath): Promise<Reply> {
  const { grant, role } = await resolve(call, path, true);
  const { db, revocations } = call.services;
  await db.transaction({ label: 'identity_revoke_grant' }, async (tx) => {
    const userIds = grant.user_id === null ? await membersOf(tx, grant.group_id ?? '') : [grant.user_id];
    // What was inherited held on projects that the grant does not name.
    const subjects = userIds.map(
      (id): RevocationSubject => (grant.inherited ? `user:${id}` : `grant:${id}:${grant.target_id ?? 'system'}`),
    );
    await revocations.revoke(tx, subjects);
    const gone = await tx`
      delete from identity_assignments where role_id = ${role?.id ?? ''} and ${matching(tx, grant)}`;
    if (gone.count === 0) throw missing(call);
    await tx`
      delete from identity_application_credentials
      where user_id = any(${[...userIds]}::text[]) and project_id = ${grant.target_id}`;
  });
  return NO_CONTENT;
}

const ACTIONS = {
  list: ['list_grants', 'list_system_grants'],
  check: ['check_grant', 'check_system_grant'],
  give: ['create_grant', 'create_system_grant'],
  take: ['revoke_grant', 'revoke_system_grant'],
} as const satisfies Readonly<Record<string, readonly [Action, Action]>>;

function routesOf(path: GrantPath): readonly Route[] {
  const action = (verb: keyof typeof ACTIONS): Action => ACTIONS[verb][path.target === 'system' ? 1 : 0];
  const target = path.target === 'system' ? '/system' : `/${path.target}/:target`;
  const base = `${path.inherited ? '/OS-INHERIT' : ''}${target}/${path.actor}/:actor/roles`;
  const inherited = path.inherited ? '/inherited_to_projects' : '';
  const one = `${base}/:role${inherited}`;
  return [
    { method: 'GET', path: `${base}${inherited}`, action: action('list'), handler: (call) => list(call, path) },
    { method: 'GET', path: one, action: action('check'), handler: (call) => check(call, path) },
    { method: 'PUT', path: one, action: action('give'), handler: (call) => give(call, path) },
    { method: 'DELETE', path: one, action: action('take'), handler: (call) => take(call, path) },
  ];
}

export const grantRoutes: readonly Route[] = (['users', 'groups'] as const).flatMap((actor) => [
  ...routesOf({ target: 'projects', actor, inherited: false }),
  ...routesOf({ target: 'domains', actor, inherited: false }),
  ...routesOf({ target: 'system', actor, inherited: false }),
  ...routesOf({ target: 'projects', actor, inherited: true }),
  ...routesOf({ target: 'domains', actor, inherited: true }),
]);
