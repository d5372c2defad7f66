/** The body of `POST /v3/auth/tokens`, parsed once: what is proved, and for which scope a token is wanted. */
import * as v from 'valibot';
import { ScopeWithApplicationCredential, UnsupportedAuthMethod, ValidationError } from './errors.ts';

/** How a domain, a project or a user is named: by id, or by a name that is unique within its domain. */
export interface Reference {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly domain?: { readonly id?: string | undefined; readonly name?: string | undefined } | undefined;
}

export type Proof =
  | { readonly method: 'password'; readonly user: Reference; readonly password: string }
  | { readonly method: 'token'; readonly token: string }
  | {
      readonly method: 'application_credential';
      readonly credential: { readonly id: string } | { readonly name: string; readonly user: Reference };
      readonly secret: string;
    };

export type ScopeRequest =
  | { readonly kind: 'default' }
  | { readonly kind: 'unscoped' }
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly domain: Reference }
  | { readonly kind: 'project'; readonly project: Reference };

export interface LoginRequest {
  readonly proofs: readonly Proof[];
  readonly scope: ScopeRequest;
}

const Text = v.pipe(v.string(), v.maxLength(4096));
const DomainReference = v.pipe(
  v.object({ id: v.optional(Text), name: v.optional(Text) }),
  v.check(({ id, name }) => id !== undefined || name !== undefined, 'Expecting to find id or name in domain.'),
);
const named = (what: string) =>
  v.pipe(
    v.object({ id: v.optional(Text), name: v.optional(Text), domain: v.optional(DomainReference) }),
    v.check(({ id, name }) => id !== undefined || name !== undefined, `Expecting to find id or name in ${what}.`),
    v.check(({ id, domain }) => id !== undefined || domain !== undefined, `Expecting to find domain in ${what}.`),
  );
const UserReference = named('user');

const PROOFS = {
  password: v.object({ user: v.intersect([UserReference, v.object({ password: Text })]) }),
  token: v.object({ id: v.string() }),
  application_credential: v.union(
    [v.object({ id: Text, secret: Text }), v.object({ name: Text, user: UserReference, secret: Text })],
    'Expecting to find secret and id, or secret, name and user, in application_credential.',
  ),
};

const Body = v.object(
  {
    auth: v.object({
      identity: v.looseObject({ methods: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(4)) }),
      scope: v.optional(v.union([v.string(), v.record(v.string(), v.unknown())])),
    }),
  },
  'Expecting to find auth in request body.',
);

/** Parses a login; throws ValidationError, or UnsupportedAuthMethod for a method that is known of but not served. */
export function parseLogin(body: unknown): LoginRequest {
  const { identity, scope } = parsed(Body, body).auth;
  const proofs = [...new Set(identity.methods)].map((method) => parseProof(method, identity[method]));
  const restricted = proofs.some((proof) => proof.method === 'application_credential');
  return { proofs, scope: scope === undefined || restricted ? scopeOfNone(scope) : parseScope(scope) };
}

function scopeOfNone(scope: unknown): ScopeRequest {
  if (scope === undefined || scope === 'unscoped') return { kind: 'default' };
  throw new ScopeWithApplicationCredential();
}

function parseProof(method: string, given: unknown): Proof {
  if (given === undefined) throw new ValidationError(`Expecting to find ${method} in identity.`);
  switch (method) {
    case 'password': {
      const { user } = parsed(PROOFS.password, given);
      return { method, user, password: user.password };
    }
    case 'token':
      return { method, token: parsed(PROOFS.token, given).id };
    case 'application_credential': {
      const { secret, ...credential } = parsed(PROOFS.application_credential, given);
      return { method, credential, secret };
    }
    default:
      throw new UnsupportedAuthMethod();
  }
}

const System = v.object({ all: v.literal(true, 'Expecting to find all: true in system.') });
const ProjectReference = named('project');

function parseScope(scope: string | Record<string, unknown>): ScopeRequest {
  if (scope === 'unscoped') return { kind: 'unscoped' };
  const kinds = typeof scope === 'string' ? [] : Object.keys(scope);
  if (typeof scope === 'string' || kinds.length !== 1) {
    throw new ValidationError('Expecting to find exactly one of project, domain, system or unscoped in scope.');
  }
  switch (kinds[0]) {
    case 'unscoped':
      return { kind: 'unscoped' };
    case 'system':
      parsed(System, scope['system']);
      return { kind: 'system' };
    case 'domain':
      return { kind: 'domain', domain: parsed(DomainReference, scope['domain']) };
    case 'project':
      return { kind: 'project', project: parsed(ProjectReference, scope['project']) };
    default:
      throw new ValidationError(`A token cannot be scoped to ${kinds[0]}: only to a project, a domain or the system.`);
  }
}

function parsed<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new ValidationError(describeIssue(result.issues[0]));
}

/** What is wrong, and where; never the value itself: a password of the wrong type is no less a password. */
export function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  // A message of our own needs no more; valibot's repeat what was received.
  if (!issue.message.startsWith('Invalid ')) return path === null ? issue.message : `${path}: ${issue.message}`;
  const problem = issue.received === 'undefined' ? 'is required' : `must be ${issue.expected ?? 'of another form'}`;
  return `${path ?? 'the value'} ${problem}`;
}
