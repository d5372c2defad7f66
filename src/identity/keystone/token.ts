/** The body of a token as Keystone writes it, parsed into who it is of. */
import * as v from 'valibot';
import type { Identity } from '#src/lib/auth.ts';

/** A token that Keystone vouches for. */
export interface KeystoneToken {
  readonly identity: Identity;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const Domain = v.object({ id: v.string(), name: v.string() });
const Body = v.object({
  token: v.object({
    expires_at: v.pipe(
      v.string(),
      v.transform((text) => Date.parse(text)),
      v.number(),
    ),
    user: v.object({ id: v.string(), name: v.string(), domain: Domain }),
    project: v.optional(v.object({ id: v.string(), name: v.string(), domain: Domain })),
    domain: v.optional(Domain),
    system: v.optional(v.object({ all: v.boolean() })),
    roles: v.optional(v.array(v.object({ name: v.string() })), []),
  }),
});

/** Throws for a body that is no token's. */
export function parseKeystoneToken(body: unknown): KeystoneToken {
  const { token } = v.parse(Body, body);
  return {
    expiresAt: token.expires_at,
    identity: {
      user_id: token.user.id,
      user_name: token.user.name,
      user_domain_id: token.user.domain.id,
      project_id: token.project?.id ?? null,
      project_name: token.project?.name ?? null,
      project_domain_id: token.project?.domain.id ?? null,
      system_scope: token.system?.all === true ? 'all' : null,
      domain_id: token.domain?.id ?? null,
      roles: token.roles.map(({ name }) => name.toLowerCase()),
    },
  };
}
