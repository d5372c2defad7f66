/** One request of a resource, as the controllers share it. */
import type { Context } from '#src/lib/context.ts';
import type { Quota } from '#src/lib/quota.ts';
import type { Authorizer } from '../policy/authorizer.ts';
import type { Parents } from '../policy/subject.ts';
import type { ApiResource } from '../router/resource.ts';
import type { ApiContext } from '../state.ts';

/** What all requests share. */
export interface Services {
  readonly quota: Quota;
  /** `network_link_prefix`, if configured. */
  readonly linkPrefix: string | null;
}

export interface Scene {
  readonly c: ApiContext;
  readonly services: Services;
  readonly context: Context;
  readonly authorizer: Authorizer;
  readonly resource: ApiResource;
  readonly parents: Parents;
}

const NO_PARAMS = new URLSearchParams();

/** The query's parameters. */
export function paramsOf(scene: Scene): URLSearchParams {
  const { search } = scene.c.env;
  return search === '' ? NO_PARAMS : new URLSearchParams(search);
}

const IF_MATCH = /^revision_number=(\d{1,15})$/;

/** `If-Match: revision_number=N` as a verb's argument; anything else in the header is ignored, as in Neutron. */
export function ifMatch(scene: Scene): { readonly if_match?: number } {
  const revision = IF_MATCH.exec(scene.c.req.raw.headers.get('if-match') ?? '')?.[1];
  return revision === undefined ? {} : { if_match: Number(revision) };
}
