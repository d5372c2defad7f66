/**
 * The router: a tree as pecan walks it, `/v2.0` → collection → item → member action or sub-resource, generated from the
 * resources of all loaded plugins and fixed once built. No route is written by hand, and a plugin that is not loaded
 * leaves none.
 *
 * `-` and `_` are alike, one trailing slash is allowed, and a `.json` at the end is dropped.
 */
import { ApiSetupError } from '../errors.ts';
import type { DeclaredAction } from './declared.ts';
import type { ApiResource, ResourceIndex } from './resource.ts';

interface ActionNode {
  readonly action: DeclaredAction;
  readonly route: string;
}

interface ItemNode {
  readonly route: string;
  readonly actions: Map<string, ActionNode>;
  readonly collections: Map<string, CollectionNode>;
}

interface CollectionNode {
  readonly resource: ApiResource;
  readonly route: string;
  readonly actions: Map<string, ActionNode>;
  readonly item: ItemNode;
}

/** A step of the path that is a prefix (`qos`), a collection, or both. */
interface PathNode {
  readonly children: Map<string, PathNode>;
  collection: CollectionNode | undefined;
}

interface Place {
  readonly resource: ApiResource;
  /** Ids of the items above, by member name. */
  readonly parents: Readonly<Record<string, string>>;
  /** The template, for metrics. */
  readonly route: string;
}

/** What a path names. */
export type Match =
  | (Place & { readonly kind: 'collection' })
  | (Place & { readonly kind: 'item'; readonly id: string })
  | (Place & { readonly kind: 'action'; readonly action: DeclaredAction; readonly id: string | undefined });

export interface Router {
  /** Resolves the part of a path behind `/v2.0/`, as sent; undefined when it names nothing. */
  resolve(path: string): Match | undefined;
}

const alike = (segment: string) => segment.replaceAll('-', '_');
const shown = (segment: string) => segment.replaceAll('_', '-');

function actionNodes(route: string, actions: readonly DeclaredAction[]): Map<string, ActionNode> {
  return new Map(actions.map((action) => [alike(action.name), { action, route: `${route}/${action.name}` }]));
}

function collectionNode(resource: ApiResource, above: string): CollectionNode {
  const { collection, member } = resource.definition;
  const route = `${above}/${shown(collection)}`;
  const item = `${route}/{${member}_id}`;
  return {
    resource,
    route,
    actions: actionNodes(route, resource.collection_actions),
    item: { route: item, actions: actionNodes(item, resource.member_actions), collections: new Map() },
  };
}

function conflict(route: string, left: ApiResource, right: ApiResource): ApiSetupError {
  return new ApiSetupError(
    `the route ${route} is declared by plugin '${left.plugin.type}' and by plugin '${right.plugin.type}': unload one of them`,
  );
}

function mount(root: PathNode, resource: ApiResource): CollectionNode {
  const prefix = (resource.definition.path_prefix ?? '').split('/').filter((segment) => segment !== '');
  let node = root;
  for (const segment of [...prefix, resource.definition.collection]) {
    let next = node.children.get(alike(segment));
    if (next === undefined) {
      next = { children: new Map(), collection: undefined };
      node.children.set(alike(segment), next);
    }
    node = next;
  }
  const mounted = collectionNode(resource, ['/v2.0', ...prefix.map(shown)].join('/'));
  if (node.collection !== undefined) throw conflict(mounted.route, node.collection.resource, resource);
  node.collection = mounted;
  return mounted;
}

function mountBelow(parent: CollectionNode, resource: ApiResource): CollectionNode {
  const name = alike(resource.definition.collection);
  const mounted = collectionNode(resource, parent.item.route);
  const other = parent.item.collections.get(name)?.resource;
  if (other !== undefined) throw conflict(mounted.route, other, resource);
  if (parent.item.actions.has(name)) throw conflict(mounted.route, parent.resource, resource);
  parent.item.collections.set(name, mounted);
  return mounted;
}

/** A segment decoded; undefined when it is no valid encoding, or holds what no name can. */
function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    const text = decodeURIComponent(segment);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function segments(path: string): string[] | undefined {
  const whole = path.endsWith('/') ? path.slice(0, -1) : path;
  const bare = whole.endsWith('.json') ? whole.slice(0, -5) : whole;
  const parts: string[] = [];
  for (const segment of bare.split('/')) {
    const part = decode(segment);
    if (part === undefined || part === '') return undefined;
    parts.push(part);
  }
  return parts;
}

function walk(start: CollectionNode, parts: readonly string[], from: number): Match | undefined {
  let node = start;
  let parents: Readonly<Record<string, string>> = {};
  for (let at = from; ; ) {
    const { resource } = node;
    const first = parts[at];
    if (first === undefined) return { kind: 'collection', resource, parents, route: node.route };
    const rest = parts.length - at;
    const onCollection = rest === 1 ? node.actions.get(alike(first)) : undefined;
    if (onCollection !== undefined) {
      return {
        kind: 'action',
        resource,
        action: onCollection.action,
        parents,
        id: undefined,
        route: onCollection.route,
      };
    }
    const second = parts[at + 1];
    if (second === undefined) return { kind: 'item', resource, parents, id: first, route: node.item.route };
    const onItem = rest === 2 ? node.item.actions.get(alike(second)) : undefined;
    if (onItem !== undefined) {
      return { kind: 'action', resource, action: onItem.action, parents, id: first, route: onItem.route };
    }
    const below = node.item.collections.get(alike(second));
    if (below === undefined) return undefined;
    parents = { ...parents, [resource.definition.member]: first };
    node = below;
    at += 2;
  }
}

/** Builds the tree. */
export function buildRouter(resources: ResourceIndex): Router {
  const root: PathNode = { children: new Map(), collection: undefined };
  const mounted = new Map<ApiResource, CollectionNode>();
  for (const resource of resources.all) {
    if (resource.parent === undefined) mounted.set(resource, mount(root, resource));
  }
  for (const resource of resources.all) {
    if (resource.parent !== undefined) mountBelow(mounted.get(resource.parent)!, resource);
  }
  return {
    resolve(path) {
      const parts = segments(path);
      if (parts === undefined) return undefined;
      let node = root;
      for (const [at, part] of parts.entries()) {
        const next = node.children.get(alike(part));
        if (next === undefined) return node.collection === undefined ? undefined : walk(node.collection, parts, at);
        node = next;
      }
      return node.collection === undefined ? undefined : walk(node.collection, parts, parts.length);
    },
  };
}
