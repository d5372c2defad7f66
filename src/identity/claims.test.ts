import { expect, test } from 'vitest';
import { packClaims, subjectsOfClaims, type TokenClaims, type TokenScope, unpackClaims } from './claims.ts';

const domain = { id: 'd', name: 'D' };
const SCOPES: readonly (readonly [TokenScope, readonly string[]])[] = [
  [{ kind: 'unscoped' }, []],
  [{ kind: 'system' }, ['grant:u:system']],
  [{ kind: 'domain', domain: { id: 'e', name: 'E' } }, ['domain:e', 'grant:u:e']],
  [
    { kind: 'project', project: { id: 'p', name: 'P' }, domain: { id: 'e', name: 'E' }, isDomain: false },
    ['project:p', 'domain:e', 'grant:u:p'],
  ],
];

const claims = (scope: TokenScope, changes: Partial<TokenClaims> = {}): TokenClaims => ({
  methods: ['password'],
  user: { id: 'u', name: 'U', domain },
  scope,
  roles: [{ id: 'r', name: 'Reader' }],
  auditIds: ['a', 'b'],
  issuedAt: 1_796_047_725_270_866,
  expiresAt: 1_796_051_325_270_866,
  applicationCredential: null,
  ...changes,
});

test.each(SCOPES)('claims with the scope %o come back as they were packed', (scope) => {
  for (const applicationCredential of [null, { id: 'c', name: 'C', restricted: true }]) {
    const before = claims(scope, { applicationCredential });
    expect(unpackClaims(JSON.stringify(packClaims(before)))).toEqual(before);
  }
});

test.each(SCOPES)('a token with the scope %o is void by all that it leans on', (scope, subjects) => {
  const own = ['audit:a', 'user:u', 'domain:d', 'role:r'];
  expect(subjectsOfClaims(claims(scope))).toEqual([...own, ...subjects]);
  const credential = { id: 'c', name: 'C', restricted: false };
  expect(subjectsOfClaims(claims(scope, { applicationCredential: credential }))).toContain('application_credential:c');
});
