/**
 * From a proof of who somebody is to a token. Proving comes first and may be slow (hashes); issuing is one short
 * transaction that reads, under the lock of `revocations.ts`, what the token will say. Why a login fails is logged and never
 * told: the answer and the time are the same for an unknown user, a disabled one and a wrong password.
 */
import type { Database, Queryable, Transaction } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import { newAuditId } from './bytes.ts';
import { type Named, subjectsOfClaims, type TokenClaims, type TokenScope } from './claims.ts';
import { ForbiddenAction, TokenNotFound, Unauthorized } from './errors.ts';
import { effectiveRoles, impliedBy } from './grants.ts';
import type { LoginRequest, Proof, Reference, ScopeRequest } from './login_request.ts';
import type { Passwords } from './passwords.ts';
import type { Revocations } from './revocations.ts';
import type { SecretCheck } from './secret_check.ts';
import type { Tokens } from './tokens.ts';

/** Proves and issues; throws Unauthorized, TooManyFailures, Busy. */
export type Login = (
  request: LoginRequest,
  address: string,
) => Promise<{ readonly token: string; readonly claims: TokenClaims }>;

export interface LoginServices {
  readonly db: Database;
  readonly passwords: Passwords;
  readonly check: SecretCheck;
  readonly revocations: Revocations;
  readonly tokens: Tokens;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tokenSeconds: number;
}

/** What has been proved. */
interface Proved {
  readonly userId: string;
  readonly methods: readonly string[];
  /** Must still be the user's when the token is issued. */
  readonly passwordHash?: string;
  /** The token that was shown. */
  readonly from?: TokenClaims;
  readonly credential?: CredentialRow;
}

interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly password_hash: string | null;
  readonly default_project_id: string | null;
  readonly domain_id: string;
  readonly domain_name: string;
  /** The user and the domain both are. */
  readonly enabled: boolean;
}

interface CredentialRow {
  readonly id: string;
  readonly name: string;
  readonly user_id: string;
  readonly project_id: string;
  readonly secret_hash: string;
  readonly unrestricted: boolean;
  readonly expired: boolean;
  readonly enabled: boolean;
}

export function createLogin(services: LoginServices): Login {
  const { db, passwords, tokens, log, check } = services;
  const logins = services.metrics.counter('nucleon_identity_logins_total', 'Logins', ['method', 'outcome']);

  const byPassword = async (proof: Proof & { method: 'password' }, address: string): Promise<Proved> => {
    const user = await findUser(db.sql, proof.user);
    const usable = user?.enabled === true ? user.password_hash : null;
    const attempt = { account: `user ${user?.id ?? JSON.stringify(proof.user)}`, address };
    if (!(await check(attempt, proof.password, usable)) || user === undefined || usable === null) {
      log.info('login failed', { method: proof.method, user_id: user?.id, enabled: user?.enabled, address });
      throw new Unauthorized();
    }
    if (passwords.outdated(usable)) {
      const hash = await passwords.hash(proof.password);
      const renewed = await db.sql`
        update identity_users set password_hash = ${hash} where id = ${user.id} and password_hash = ${usable}`;
      if (renewed.count === 1) return { userId: user.id, methods: ['password'], passwordHash: hash };
    }
    return { userId: user.id, methods: ['password'], passwordHash: usable };
  };

  const byCredential = async (
    proof: Proof & { method: 'application_credential' },
    address: string,
  ): Promise<Proved> => {
    const credential = await findCredential(db, proof.credential);
    const usable = credential?.enabled === true && !credential.expired ? credential.secret_hash : null;
    const attempt = {
      account: `application credential ${credential?.id ?? JSON.stringify(proof.credential)}`,
      address,
    };
    if (!(await check(attempt, proof.secret, usable)) || credential === undefined) {
      log.info('login failed', {
        method: proof.method,
        application_credential_id: credential?.id,
        expired: credential?.expired,
        address,
      });
      throw new Unauthorized();
    }
    return { userId: credential.user_id, methods: [proof.method], credential };
  };

  const byToken = async (proof: Proof & { method: 'token' }): Promise<Proved> => {
    const verified = await tokens.verify(proof.token, { fresh: true });
    if (verified === undefined) throw new TokenNotFound();
    const from = verified.claims;
    if (from.applicationCredential !== null) {
      throw new ForbiddenAction('Using a delegated token to create another token is not allowed.');
    }
    return { userId: from.user.id, methods: ['token', ...from.methods.filter((method) => method !== 'token')], from };
  };

  const prove = (proof: Proof, address: string): Promise<Proved> => {
    switch (proof.method) {
      case 'password':
        return byPassword(proof, address);
      case 'application_credential':
        return byCredential(proof, address);
      case 'token':
        return byToken(proof);
      default:
        return proof satisfies never;
    }
  };

  return async (request, address) => {
    const method = request.proofs.map((proof) => proof.method).join(',');
    try {
      let proved: Proved | undefined;
      for (const proof of request.proofs) {
        const next = await prove(proof, address);
        if (proved !== undefined && proved.userId !== next.userId) throw new Unauthorized();
        proved = { ...next, ...proved, methods: [...new Set([...(proved?.methods ?? []), ...next.methods])] };
      }
      if (proved === undefined) throw new Unauthorized();
      const claims = await issue(services, proved, request.scope);
      const token = await tokens.sign(claims);
      logins.add({ method, outcome: 'success' });
      return { token, claims };
    } catch (error) {
      logins.add({ method, outcome: 'failure' });
      throw error;
    }
  };
}

const issue = (services: LoginServices, proved: Proved, request: ScopeRequest): Promise<TokenClaims> =>
  services.db.transaction({ label: 'identity_issue_token' }, async (tx) => {
    const issuedAt = await services.revocations.issueTime(tx);
    const { from, credential } = proved;
    if (from !== undefined && (await services.revocations.isRevokedIn(tx, subjectsOfClaims(from), from.issuedAt))) {
      throw new TokenNotFound();
    }
    const user = await findUser(tx, { id: proved.userId });
    const changed = proved.passwordHash !== undefined && proved.passwordHash !== user?.password_hash;
    if (user === undefined || !user.enabled || changed) throw new Unauthorized();

    const { scope, roles } = await resolveScope(tx, user, request, credential);
    if (scope.kind !== 'unscoped' && roles.length === 0) {
      services.log.info('login failed: no role on the scope', { user_id: user.id, scope });
      throw new Unauthorized();
    }
    return {
      methods: proved.methods,
      user: { id: user.id, name: user.name, domain: { id: user.domain_id, name: user.domain_name } },
      scope,
      roles,
      auditIds: from === undefined ? [newAuditId()] : [newAuditId(), from.auditIds.at(-1)!],
      issuedAt,
      expiresAt: from?.expiresAt ?? issuedAt + services.tokenSeconds * 1_000_000,
      applicationCredential:
        credential === undefined
          ? null
          : { id: credential.id, name: credential.name, restricted: !credential.unrestricted },
    };
  });

interface Scoped {
  readonly scope: TokenScope;
  readonly roles: readonly Named[];
}

const UNSCOPED: Scoped = { scope: { kind: 'unscoped' }, roles: [] };

async function resolveScope(
  tx: Transaction,
  user: UserRow,
  request: ScopeRequest,
  credential: CredentialRow | undefined,
): Promise<Scoped> {
  if (credential !== undefined) {
    const scoped = await scopeToProject(tx, user.id, { id: credential.project_id });
    const allowed = new Set(await impliedBy(tx, await rolesOfCredential(tx, credential.id)));
    return { ...scoped, roles: scoped.roles.filter(({ id }) => allowed.has(id)) };
  }
  switch (request.kind) {
    case 'unscoped':
      return UNSCOPED;
    case 'default': {
      if (user.default_project_id === null) return UNSCOPED;
      const scoped = await scopeToProject(tx, user.id, { id: user.default_project_id }).catch((error: unknown) => {
        if (error instanceof Unauthorized) return UNSCOPED;
        throw error;
      });
      return scoped.roles.length > 0 ? scoped : UNSCOPED;
    }
    case 'system':
      return { scope: { kind: 'system' }, roles: await effectiveRoles(tx, user.id, 'system') };
    case 'domain': {
      const [domain] = await tx<Named[]>`
        select id, name from identity_projects
        where is_domain and enabled and ${request.domain.id === undefined ? tx`name = ${request.domain.name ?? ''}` : tx`id = ${request.domain.id}`}`;
      if (domain === undefined) throw new Unauthorized();
      return { scope: { kind: 'domain', domain }, roles: await effectiveRoles(tx, user.id, domain) };
    }
    case 'project':
      return scopeToProject(tx, user.id, request.project);
    default:
      return request satisfies never;
  }
}

async function scopeToProject(tx: Transaction, userId: string, reference: Reference): Promise<Scoped> {
  const [row] = await tx<{ id: string; name: string; is_domain: boolean; domain_id: string; domain_name: string }[]>`
    select p.id, p.name, p.is_domain, d.id as domain_id, d.name as domain_name
    from identity_projects p join identity_projects d on d.id = coalesce(p.domain_id, p.id)
    where p.enabled and d.enabled and ${byReference(tx, reference)}`;
  if (row === undefined) throw new Unauthorized();
  return {
    scope: {
      kind: 'project',
      project: { id: row.id, name: row.name },
      domain: { id: row.domain_id, name: row.domain_name },
      isDomain: row.is_domain,
    },
    roles: await effectiveRoles(tx, userId, row),
  };
}

/** A condition on `p` (with its domain `d`). */
function byReference(db: Queryable, { id, name, domain }: Reference) {
  if (id !== undefined) return db`p.id = ${id}`;
  return domain?.id === undefined
    ? db`p.name = ${name ?? ''} and d.name = ${domain?.name ?? ''}`
    : db`p.name = ${name ?? ''} and d.id = ${domain.id}`;
}

async function findUser(sql: Queryable, reference: Reference): Promise<UserRow | undefined> {
  const [user] = await sql<UserRow[]>`
    select p.id, p.name, p.password_hash, p.default_project_id, d.id as domain_id, d.name as domain_name,
      p.enabled and d.enabled as enabled
    from identity_users p join identity_projects d on d.id = p.domain_id
    where ${byReference(sql, reference)}`;
  return user;
}

async function findCredential(
  db: Database,
  credential: (Proof & { method: 'application_credential' })['credential'],
): Promise<CredentialRow | undefined> {
  const { sql } = db;
  let which = 'id' in credential ? sql`c.id = ${credential.id}` : undefined;
  if ('name' in credential) {
    const user = await findUser(db.sql, credential.user);
    if (user === undefined) return undefined;
    which = sql`c.name = ${credential.name} and c.user_id = ${user.id}`;
  }
  const [row] = await sql<CredentialRow[]>`
    select c.id, c.name, c.user_id, c.project_id, c.secret_hash, c.unrestricted,
      coalesce(c.expires_at <= now(), false) as expired, u.enabled and d.enabled as enabled
    from identity_application_credentials c
    join identity_users u on u.id = c.user_id join identity_projects d on d.id = u.domain_id
    where ${which ?? sql`false`}`;
  return row;
}

async function rolesOfCredential(tx: Transaction, id: string): Promise<readonly string[]> {
  const rows = await tx<{ role_id: string }[]>`
    select role_id from identity_application_credential_roles where application_credential_id = ${id}`;
  return rows.map((row) => row.role_id);
}
