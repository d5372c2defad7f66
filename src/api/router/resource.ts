/**
 * A resource as the API serves it: its declaration with everything that can be worked out once, at start, from the
 * declarations of all plugins.
 */
import type { AttributeMap } from '#src/lib/api/attributes.ts';
import type { ResourceDefinition } from '#src/lib/api/definition.ts';
import { type CompiledAttributes, compileAttributes } from '#src/lib/api/prepare.ts';
import type { AttributeRules } from '#src/lib/api/rules.ts';
import type { Plugin } from '#src/lib/plugin.ts';
import type { Policy } from '#src/lib/policy.ts';
import { ApiSetupError } from '../errors.ts';
import { resourceName } from '../naming.ts';
import { parentAttribute } from '../policy/parents.ts';
import { compileRules, type ResourceRules } from '../policy/rules.ts';
import type { PolicyIndex, PolicyResource } from '../policy/subject.ts';
import { compileQuery, type QueryParser } from '../query/mod.ts';
import { compileView, type View } from '../view/view.ts';
import { type DeclaredAction, type DeclaredResource, declareResources } from './declared.ts';
import type { ServedExtensions } from './extensions.ts';
import { findReader, findVerbs, type Verbs } from './verbs.ts';

export interface ApiResource extends PolicyResource {
  readonly definition: ResourceDefinition;
  readonly plugin: Plugin;
  readonly attributes: AttributeMap;
  /** What `prepareBody` takes. */
  readonly compiled: CompiledAttributes;
  readonly verbs: Verbs;
  readonly rules: ResourceRules;
  readonly query: QueryParser;
  readonly view: View;
  /** The quota it is counted against. */
  readonly quota: string | undefined;
  readonly member_actions: readonly DeclaredAction[];
  readonly collection_actions: readonly DeclaredAction[];
  /** Set once all resources are known. */
  parent: ApiResource | undefined;
}

export interface ResourceIndex extends PolicyIndex {
  readonly all: readonly ApiResource[];
}

export interface ResourceSettings {
  /** The most items of a page; undefined: no limit. */
  readonly maxLimit: number | undefined;
  /** The rules and converters that attribute maps name. */
  readonly attributes: AttributeRules;
}

/** The attributes through which the resource's read rules reach its parents. */
function foreignKeys(policy: Policy, rules: ResourceRules, definition: ResourceDefinition): string[] {
  const keys = [rules.operation.show, rules.operation.list, ...rules.read.values()].flatMap((rule) =>
    policy.parents(rule),
  );
  return keys
    .map((key) => parentAttribute(key))
    .map(({ parent }) => definition.policy_parents?.[parent] ?? `${parent}_id`);
}

function build(
  declared: DeclaredResource,
  aliases: ReadonlySet<string>,
  quotas: ReadonlySet<string>,
  policy: Policy,
  settings: ResourceSettings,
): ApiResource {
  const { definition, plugin, attributes } = declared;
  const key = definition.key ?? 'id';
  const quota = definition.quota === false ? undefined : (definition.quota ?? definition.member);
  const rules = compileRules(policy, definition, attributes);
  const compiled = compileAttributes(attributes, settings.attributes);
  return {
    name: resourceName(definition),
    definition,
    plugin,
    attributes,
    compiled,
    verbs: findVerbs(plugin, definition),
    reader: findReader(plugin, definition),
    rules,
    query: compileQuery({
      attributes,
      compiled,
      key,
      aliases,
      maxLimit: settings.maxLimit,
      policyAttributes: foreignKeys(policy, rules, definition),
    }),
    view: compileView(attributes, rules.read),
    key,
    quota: quota !== undefined && quotas.has(quota) ? quota : undefined,
    member_actions: declared.member_actions,
    collection_actions: declared.collection_actions,
    parent: undefined,
  };
}

function findParent(resource: ApiResource, all: readonly ApiResource[]): ApiResource | undefined {
  const wanted = resource.definition.parent;
  if (wanted === undefined) return undefined;
  const parent = all.find(
    ({ definition }) =>
      definition.parent === undefined &&
      definition.collection === wanted.collection &&
      (wanted.path_prefix === undefined || definition.path_prefix === wanted.path_prefix),
  );
  if (parent === undefined) {
    throw new ApiSetupError(
      `the resource '${resource.definition.collection}' of plugin '${resource.plugin.type}' stands below ` +
        `'${wanted.collection}', which no loaded plugin serves: load a plugin that does`,
    );
  }
  return parent;
}

/** Builds all resources of all plugins. */
export function buildResources(
  plugins: readonly Plugin[],
  extensions: ServedExtensions,
  policy: Policy,
  settings: ResourceSettings,
): ResourceIndex {
  const aliases = new Set(extensions.keys());
  const quotas = new Set(plugins.flatMap((plugin) => (plugin.quotas ?? []).map((quota) => quota.name)));
  const all = declareResources(plugins, extensions).map((declared) =>
    build(declared, aliases, quotas, policy, settings),
  );
  for (const resource of all) resource.parent = findParent(resource, all);
  const names = new Map(all.map((resource) => [resource.name, resource]));
  return { all, byName: (name) => names.get(name) };
}
