/**
 * Application credentials: a secret of its own that opens one project with some of the user's roles. The secret is shown once;
 * only its hash is kept. Access rules (limits to single API calls) are refused, for nothing here would hold a token to
 * them.
 */
import * as v from 'valibot';
import { sqlState } from '#src/db/mod.ts';
import type { Queryable } from '#src/lib/database.ts';
import { base64url, newHexId, randomBytes } from '../bytes.ts';
import { Conflict, ForbiddenAction, NotFound, ValidationError } from '../errors.ts';
import type { identityApplicationCredentials } from '../schema.ts';
import type { RoleRow } from './entities.ts';
import { collectionReply, Description, memberOf, nameOf, parse } from './entity.ts';
import { type Call, NO_CONTENT, type Reply, type Route } from './route.ts';
import { targetUser } from './users.ts';

type CredentialRow = typeof identityApplicationCredentials.$inferSelect & {
  readonly roles: readonly Pick<RoleRow, 'id' | 'name' | 'domain_id'>[];
};

const Body = v.looseObject({
  name: nameOf(255),
  description: v.optional(Description),
  secret: v.nullish(v.pipe(v.string(), v.minLength(1), v.maxLength(255))),
  unrestricted: v.nullish(v.boolean()),
  expires_at: v.nullish(v.string()),
  roles: v.nullish(v.array(v.object({ id: v.optional(v.string()), name: v.optional(v.string()) }))),
  access_rules: v.nullish(v.array(v.unknown())),
});

const SECRET_BYTES = 64;
const UNIQUE_VIOLATION = '23505';

async function select(
  sql: Queryable,
  userId: string,
  filter: { id?: string; name?: string },
): Promise<readonly CredentialRow[]> {
  return await sql<CredentialRow[]>`
    select c.*, (
      select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'domain_id', r.domain_id) order by r.name), '[]')
      from identity_application_credential_roles cr join identity_roles r on r.id = cr.role_id
      where cr.application_credential_id = c.id) as roles
    from identity_application_credentials c
    where c.user_id = ${userId}
      and ${filter.id === undefined ? sql`true` : sql`c.id = ${filter.id}`}
      and ${filter.name === undefined ? sql`true` : sql`c.name = ${filter.name}`}
    order by c.id`;
}

const viewOf = (call: Call, row: CredentialRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  user_id: row.user_id,
  project_id: row.project_id,
  system: null,
  expires_at: row.expires_at === null ? null : row.expires_at.toISOString().replace('Z', '000'),
  unrestricted: row.unrestricted,
  roles: row.roles,
  links: { self: `${call.base}/users/${row.user_id}/application_credentials/${row.id}` },
});

async function target(call: Call): Promise<CredentialRow> {
  const user = await targetUser(call);
  const id = call.param('credential');
  const [row] = await select(call.services.db.sql, user.id, { id });
  if (row === undefined) throw new NotFound('Application Credential', id);
  return row;
}

/** A token from a restricted credential must not make or remove credentials: it could outlive itself. */
function assertUnrestricted(call: Call): void {
  if (call.caller.applicationCredential?.restricted !== true) return;
  throw new ForbiddenAction(
    "Using method 'application_credential' is not allowed for managing additional application credentials.",
  );
}

/** The roles asked for, which must be among the caller's; all of the caller's where none are named. */
function chosenRoles(call: Call, asked: v.InferOutput<typeof Body>['roles']): readonly string[] {
  const own = call.caller.roles;
  if (asked === undefined || asked === null || asked.length === 0) return own.map(({ id }) => id);
  return asked.map(({ id, name }) => {
    const role = own.find((held) => (id === undefined ? held.name === name : held.id === id));
    if (role !== undefined) return role.id;
    throw new ValidationError(
      'Invalid application credential: Cannot create an application credential with unassigned role',
    );
  });
}

function expiry(call: Call, text: string | null | undefined): Date | null {
  if (text === undefined || text === null) return null;
  // Without a zone the time is UTC.
  const time = new Date(/(z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  if (Number.isNaN(time.getTime())) throw new ValidationError('Timestamp not in expected format: expires_at.');
  if (time.getTime() <= call.services.clock.now())
    throw new ValidationError("The 'expires_at' must not be before now.");
  return time;
}

async function create(call: Call): Promise<Reply> {
  const user = await targetUser(call);
  assertUnrestricted(call);
  const body = parse(Body, memberOf(await call.body(), 'application_credential'), 'Invalid application credential');
  if (body.access_rules != null && body.access_rules.length > 0) {
    throw new ValidationError(
      'Access rules are not supported: create the application credential without access_rules.',
    );
  }
  const { scope } = call.caller;
  if (scope.kind !== 'project') {
    throw new ValidationError('An application credential is made with a token for the project that it shall open.');
  }
  const roleIds = chosenRoles(call, body.roles);
  const secret = body.secret ?? base64url(randomBytes(SECRET_BYTES));
  const row = {
    id: newHexId(),
    name: body.name,
    user_id: user.id,
    project_id: scope.project.id,
    secret_hash: await call.services.passwords.hash(secret),
    description: body.description ?? null,
    unrestricted: body.unrestricted ?? false,
    expires_at: expiry(call, body.expires_at),
  };
  try {
    const made = await call.services.db.transaction({ label: 'identity_create_credential' }, async (tx) => {
      await tx`insert into identity_application_credentials ${tx(row)}`;
      await tx`
        insert into identity_application_credential_roles (application_credential_id, role_id)
        select distinct ${row.id}, unnest(${[...roleIds]}::text[])`;
      return select(tx, user.id, { id: row.id });
    });
    return { status: 201, body: { application_credential: { ...viewOf(call, made[0]!), secret } } };
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
    throw new Conflict('application_credential', `Duplicate entry found with name ${row.name}`);
  }
}

export const applicationCredentialRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/users/:user/application_credentials',
    action: 'list_application_credentials',
    async handler(call) {
      const user = await targetUser(call);
      const name = call.query.get('name');
      const rows = await select(call.services.db.sql, user.id, name === null ? {} : { name });
      return collectionReply(
        call,
        'application_credentials',
        rows.map((row) => viewOf(call, row)),
      );
    },
  },
  {
    method: 'POST',
    path: '/users/:user/application_credentials',
    action: 'create_application_credential',
    handler: create,
  },
  {
    method: 'GET',
    path: '/users/:user/application_credentials/:credential',
    action: 'get_application_credential',
    handler: async (call) => ({
      status: 200,
      body: { application_credential: viewOf(call, await target(call)) },
    }),
  },
  {
    method: 'DELETE',
    path: '/users/:user/application_credentials/:credential',
    action: 'delete_application_credential',
    async handler(call) {
      const credential = await target(call);
      assertUnrestricted(call);
      const { db, revocations } = call.services;
      await db.transaction({ label: 'identity_delete_credential' }, async (tx) => {
        await revocations.revoke(tx, [`application_credential:${credential.id}`]);
        await tx`delete from identity_application_credentials where id = ${credential.id}`;
      });
      return NO_CONTENT;
    },
  },
];
