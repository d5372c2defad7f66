/**
 * What a token says: everything that a request or a token's body needs, so that a worker that holds the key needs no
 * database to know the caller. Packed into short keys and arrays: the whole token should stay below 4 KiB, which headers and
 * proxies take.
 */
import type { Identity } from '#src/lib/auth.ts';

/** A role, a domain: what is named in a token. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

export type TokenScope =
  | { readonly kind: 'unscoped' }
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly domain: Named }
  | { readonly kind: 'project'; readonly project: Named; readonly domain: Named; readonly isDomain: boolean };

export interface TokenClaims {
  readonly methods: readonly string[];
  readonly user: Named & { readonly domain: Named };
  readonly scope: TokenScope;
  /** Implied roles included. */
  readonly roles: readonly Named[];
  /** Its own, and that of the first token of the chain it comes from. */
  readonly auditIds: readonly string[];
  /** Microseconds since the epoch, by PostgreSQL's clock. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly applicationCredential: (Named & { readonly restricted: boolean }) | null;
}

type Pair = readonly [id: string, name: string];

interface PackedClaims {
  readonly m: readonly string[];
  readonly u: readonly [...Pair, ...Pair];
  readonly s: 0 | 1 | readonly [...Pair] | readonly [...Pair, ...Pair, 0 | 1];
  readonly r: readonly Pair[];
  readonly a: readonly string[];
  readonly i: number;
  readonly e: number;
  readonly c?: readonly [...Pair, 0 | 1];
}

const pair = ({ id, name }: Named): Pair => [id, name];
const named = ([id, name]: Pair): Named => ({ id, name });

export function packClaims(claims: TokenClaims): PackedClaims {
  const { user, scope, applicationCredential } = claims;
  return {
    m: claims.methods,
    u: [user.id, user.name, user.domain.id, user.domain.name],
    s: packScope(scope),
    r: claims.roles.map(pair),
    a: claims.auditIds,
    i: claims.issuedAt,
    e: claims.expiresAt,
    ...(applicationCredential === null
      ? {}
      : { c: [applicationCredential.id, applicationCredential.name, applicationCredential.restricted ? 1 : 0] }),
  };
}

function packScope(scope: TokenScope): PackedClaims['s'] {
  switch (scope.kind) {
    case 'unscoped':
      return 0;
    case 'system':
      return 1;
    case 'domain':
      return pair(scope.domain);
    case 'project':
      return [...pair(scope.project), ...pair(scope.domain), scope.isDomain ? 1 : 0];
    default:
      return scope satisfies never;
  }
}

/** The claims of a payload whose signature has been verified: it is as `packClaims` wrote it. */
export function unpackClaims(text: string): TokenClaims {
  const packed = JSON.parse(text) as PackedClaims;
  const [userId, userName, domainId, domainName] = packed.u;
  return {
    methods: packed.m,
    user: { id: userId, name: userName, domain: { id: domainId, name: domainName } },
    scope: unpackScope(packed.s),
    roles: packed.r.map(named),
    auditIds: packed.a,
    issuedAt: packed.i,
    expiresAt: packed.e,
    applicationCredential:
      packed.c === undefined ? null : { id: packed.c[0], name: packed.c[1], restricted: packed.c[2] === 1 },
  };
}

function unpackScope(packed: PackedClaims['s']): TokenScope {
  if (packed === 0) return { kind: 'unscoped' };
  if (packed === 1) return { kind: 'system' };
  if (packed.length === 2) return { kind: 'domain', domain: named(packed) };
  const [id, name, domainId, domainName, isDomain] = packed;
  return {
    kind: 'project',
    project: { id, name },
    domain: { id: domainId, name: domainName },
    isDomain: isDomain === 1,
  };
}

/** The caller as the API's context has it. */
export function identityOfClaims(claims: TokenClaims): Identity {
  const { user, scope } = claims;
  const project = scope.kind === 'project' ? scope : null;
  return {
    user_id: user.id,
    user_name: user.name,
    user_domain_id: user.domain.id,
    project_id: project?.project.id ?? null,
    project_name: project?.project.name ?? null,
    project_domain_id: project?.domain.id ?? null,
    system_scope: scope.kind === 'system' ? 'all' : null,
    domain_id: scope.kind === 'domain' ? scope.domain.id : null,
    roles: claims.roles.map(({ name }) => name.toLowerCase()),
  };
}

/** The subjects whose revocation voids the token; `revocations.ts` knows the names. */
export function subjectsOfClaims(claims: TokenClaims): readonly string[] {
  const { user, scope } = claims;
  const subjects = [
    `audit:${claims.auditIds[0]}`,
    `user:${user.id}`,
    `domain:${user.domain.id}`,
    ...claims.roles.map(({ id }) => `role:${id}`),
  ];
  if (claims.applicationCredential !== null) {
    subjects.push(`application_credential:${claims.applicationCredential.id}`);
  }
  switch (scope.kind) {
    case 'unscoped':
      break;
    case 'system':
      subjects.push(`grant:${user.id}:system`);
      break;
    case 'domain':
      subjects.push(`domain:${scope.domain.id}`, `grant:${user.id}:${scope.domain.id}`);
      break;
    case 'project':
      subjects.push(`project:${scope.project.id}`, `domain:${scope.domain.id}`, `grant:${user.id}:${scope.project.id}`);
      break;
    default:
      scope satisfies never;
  }
  return subjects;
}
