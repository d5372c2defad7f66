/** From what a path names and the method to the controller: the action map (POST create, GET index and show, PUT update, DELETE delete). */
import type { Operation } from '#src/lib/api/definition.ts';
import { HttpNotFound } from '#src/lib/errors.ts';
import type { Policy } from '#src/lib/policy.ts';
import { methodNotAllowed } from '../errors.ts';
import { Authorizer } from '../policy/authorizer.ts';
import type { ResourceIndex } from '../router/resource.ts';
import type { Match, Router } from '../router/tree.ts';
import type { ApiContext } from '../state.ts';
import { act } from './action.ts';
import { prepareUpdate, readBody } from './body.ts';
import { create, index } from './collection.ts';
import { notFound } from './hidden.ts';
import { remove, show, update } from './item.ts';
import { serveRaw } from './raw.ts';
import type { Scene, Services } from './scene.ts';

export type { Services } from './scene.ts';

const OPERATION: Readonly<Record<'collection' | 'item', Readonly<Record<string, Operation>>>> = {
  collection: { GET: 'list', POST: 'create', PUT: 'update_all', DELETE: 'delete_all' },
  item: { GET: 'show', PUT: 'update', DELETE: 'delete' },
};

/** What Neutron answers to operations that a resource does not offer. */
async function refuse(scene: Scene, match: Match, operation: Operation | undefined): Promise<Error> {
  const { verbs } = scene.resource;
  // PUT and DELETE on a collection are those of an item without id.
  if (operation === 'update_all' && verbs.update !== undefined) return notFound(scene, 'None');
  if (operation === 'delete_all' && verbs.delete !== undefined) return notFound(scene, 'None');
  // The body of an update is checked before anything else: attributes that cannot change are a 400.
  if (operation === 'update' && match.kind === 'item') prepareUpdate(scene, await readBody(scene));
  return methodNotAllowed(scene.c.req.method);
}

async function serve(scene: Scene, match: Match): Promise<Response> {
  if (match.kind === 'action') {
    if (match.action.definition.method !== scene.c.req.method) throw methodNotAllowed(scene.c.req.method);
    return act(scene, match.action, match.id);
  }
  const { resource } = scene;
  const operation = OPERATION[match.kind][scene.c.req.method];
  const verb = operation === undefined ? undefined : resource.verbs[operation];
  if (operation === undefined || verb === undefined) throw await refuse(scene, match, operation);
  const id = match.kind === 'item' ? match.id : undefined;
  if (resource.definition.raw) return serveRaw(scene, operation, verb, id);
  if (id === undefined) return operation === 'list' ? index(scene, verb) : create(scene, verb);
  if (operation === 'show') return show(scene, id, verb);
  return operation === 'update' ? update(scene, id, verb) : remove(scene, id, verb);
}

/** Answers requests below `/v2.0/`. */
export function createDispatcher(
  router: Router,
  resources: ResourceIndex,
  policy: Policy,
  services: Services,
): (c: ApiContext, path: string) => Promise<Response> {
  return async (c, path) => {
    const match = router.resolve(path);
    if (match === undefined) throw new HttpNotFound();
    c.env.trace.route = match.route;
    const context = c.get('context');
    return serve(
      {
        c,
        services,
        context,
        authorizer: new Authorizer(policy, resources, context),
        resource: match.resource,
        parents: match.parents,
      },
      match,
    );
  };
}
