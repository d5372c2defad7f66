/** Tokens: getting one, asking about one, giving one up; and what the caller could get one for. */
import type { TokenClaims } from '../claims.ts';
import { ForbiddenAction, TokenNotFound } from '../errors.ts';
import { hasSystemRole, targetsOfUser } from '../grants.ts';
import { parseLogin } from '../login_request.ts';
import { catalogueOf } from './catalogue.ts';
import { domains, projects } from './entities.ts';
import { flag, listReply, listRows } from './entity.ts';
import { type Call, NO_CONTENT, type Reply, type Route } from './route.ts';
import { projectsOfUser } from './users.ts';

/** `2026-11-30T13:54:40.123456Z` */
function microsecondTime(microseconds: number): string {
  const seconds = new Date(Math.floor(microseconds / 1_000_000) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(microseconds % 1_000_000).padStart(6, '0')}Z`;
}

function scopeBody({ scope, roles }: TokenClaims): Readonly<Record<string, unknown>> {
  switch (scope.kind) {
    case 'unscoped':
      return {};
    case 'system':
      return { roles, system: { all: true } };
    case 'domain':
      return { roles, domain: scope.domain };
    case 'project':
      return { roles, project: { ...scope.project, domain: scope.domain }, is_domain: scope.isDomain };
    default:
      return scope satisfies never;
  }
}

async function tokenReply(call: Call, token: string, claims: TokenClaims, status: number): Promise<Reply> {
  const withCatalogue = claims.scope.kind !== 'unscoped' && !flag(call.query, 'nocatalog');
  const catalog = withCatalogue ? await catalogueOf(call.services.db.sql, call.origin, claims) : undefined;
  const body = {
    token: {
      methods: claims.methods,
      user: { ...claims.user, password_expires_at: null },
      audit_ids: claims.auditIds,
      expires_at: microsecondTime(claims.expiresAt),
      issued_at: microsecondTime(claims.issuedAt),
      ...scopeBody(claims),
      ...(catalog === undefined ? {} : { catalog }),
      ...(claims.applicationCredential === null ? {} : { application_credential: claims.applicationCredential }),
    },
  };
  return { status, body, headers: { 'X-Subject-Token': token } };
}

async function issue(call: Call): Promise<Reply> {
  const { token, claims } = await call.services.login(parseLogin(await call.body()), call.address);
  return tokenReply(call, token, claims, 201);
}

/** The token that is asked about, once it is known that the caller may. */
async function subjectToken(call: Call): Promise<{ readonly token: string; readonly claims: TokenClaims }> {
  const token = call.headers.get('X-Subject-Token') ?? '';
  const verified = await call.services.tokens.verify(token, {
    fresh: true,
    allowExpired: flag(call.query, 'allow_expired'),
  });
  call.enforce({ user_id: verified?.claims.user.id });
  if (verified === undefined) throw new TokenNotFound();
  return { token, claims: verified.claims };
}

async function validate(call: Call): Promise<Reply> {
  const { token, claims } = await subjectToken(call);
  return tokenReply(call, token, claims, 200);
}

async function revoke(call: Call): Promise<Reply> {
  const { claims } = await subjectToken(call);
  const { db, revocations } = call.services;
  await db.transaction({ label: 'identity_revoke_token' }, (tx) =>
    revocations.revoke(tx, [`audit:${claims.auditIds[0]}`]),
  );
  return NO_CONTENT;
}

async function ownDomains(call: Call): Promise<Reply> {
  call.enforce();
  const { sql } = call.services.db;
  const ids = await targetsOfUser(sql, call.caller.user.id);
  const rows = await listRows(sql, domains, call.query, [
    (parameters) => `enabled and id = any(${parameters.add([...ids], 'text[]')})`,
  ]);
  return listReply(call, domains, rows);
}

async function ownSystem(call: Call): Promise<Reply> {
  call.enforce();
  const system = (await hasSystemRole(call.services.db.sql, call.caller.user.id)) ? [{ all: true }] : [];
  return { status: 200, body: { system, links: { self: call.url } } };
}

async function ownCatalogue(call: Call): Promise<Reply> {
  call.enforce();
  if (call.caller.scope.kind === 'unscoped')
    throw new ForbiddenAction('identity:get_auth_catalog with an unscoped token');
  const catalog = await catalogueOf(call.services.db.sql, call.origin, call.caller);
  return { status: 200, body: { catalog, links: { self: call.url } } };
}

export const authRoutes: readonly Route[] = [
  { method: 'POST', path: '/auth/tokens', action: 'public', handler: issue },
  { method: 'GET', path: '/auth/tokens', action: 'validate_token', handler: validate },
  { method: 'DELETE', path: '/auth/tokens', action: 'revoke_token', handler: revoke },
  { method: 'GET', path: '/auth/catalog', action: 'get_auth_catalog', handler: ownCatalogue },
  {
    method: 'GET',
    path: '/auth/projects',
    action: 'get_auth_projects',
    async handler(call) {
      call.enforce();
      return listReply(call, projects, await projectsOfUser(call, call.caller.user.id));
    },
  },
  { method: 'GET', path: '/auth/domains', action: 'get_auth_domains', handler: ownDomains },
  { method: 'GET', path: '/auth/system', action: 'get_auth_system', handler: ownSystem },
];
