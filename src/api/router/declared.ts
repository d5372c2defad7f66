/**
 * The resources as plugins declare them, merged: attributes and member actions that extensions add to resources of others
 * are in, the last one winning. What comes out is complete; nothing reads the plugins' maps after this.
 */
import type { AttributeMap } from '#src/lib/api/attributes.ts';
import type { ActionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import type { Plugin, Verb } from '#src/lib/plugin.ts';
import { missingVerb } from '../errors.ts';
import { inOrder, type ServedExtension, type ServedExtensions } from './extensions.ts';

/** An action with the verb that answers it. */
export interface DeclaredAction {
  readonly name: string;
  readonly definition: ActionDefinition;
  readonly verb: Verb;
}

export interface DeclaredResource {
  readonly definition: ResourceDefinition;
  readonly plugin: Plugin;
  readonly attributes: AttributeMap;
  readonly member_actions: readonly DeclaredAction[];
  readonly collection_actions: readonly DeclaredAction[];
}

function actions(
  plugins: readonly Plugin[],
  declared: Readonly<Record<string, ActionDefinition>> | undefined,
  definition: ResourceDefinition,
): DeclaredAction[] {
  return Object.entries(declared ?? {}).map(([name, action]) => {
    const verbName = action.verb ?? name;
    const verb = plugins.map((plugin) => plugin.verbs[verbName]).find((found) => found !== undefined);
    if (verb === undefined) {
      throw missingVerb(plugins[0]!.type, verbName, definition.collection, `the action '${name}'`);
    }
    return { name, definition: action, verb };
  });
}

/** The names under which extensions may address a resource: a sub-resource also as `ports/bindings`. */
function names(definition: ResourceDefinition, topLevel: ReadonlySet<string>): ReadonlySet<string> {
  if (definition.parent === undefined) return new Set([definition.collection]);
  const qualified = `${definition.parent.collection}/${definition.collection}`;
  return new Set(topLevel.has(definition.collection) ? [qualified] : [qualified, definition.collection]);
}

function additions(extensions: readonly ServedExtension[], known: ReadonlySet<string>): ServedExtension[] {
  return extensions.filter(({ definition }) =>
    [...known].some(
      (name) => definition.attributes?.[name] !== undefined || definition.member_actions?.[name] !== undefined,
    ),
  );
}

/** All resources of all plugins with everything that extensions add to them. */
export function declareResources(
  plugins: readonly Plugin[],
  extensions: ServedExtensions,
): readonly DeclaredResource[] {
  const ordered = inOrder(extensions);
  const found: { definition: ResourceDefinition; plugin: Plugin }[] = [];
  for (const plugin of plugins) {
    for (const definition of plugin.resources ?? []) found.push({ definition, plugin });
  }
  for (const { definition: extension, plugin } of extensions.values()) {
    for (const definition of extension.resources ?? []) found.push({ definition, plugin });
  }
  const topLevel = new Set(
    found.filter(({ definition }) => definition.parent === undefined).map(({ definition }) => definition.collection),
  );
  return found.map(({ definition, plugin }) => {
    const known = names(definition, topLevel);
    const added = additions(ordered, known);
    const attributes: AttributeMap = Object.assign(
      {},
      definition.attributes,
      ...added.flatMap((extension) => [...known].map((name) => extension.definition.attributes?.[name])),
    );
    const member_actions = actions([plugin], definition.member_actions, definition);
    for (const extension of added) {
      for (const name of known) {
        const more = extension.definition.member_actions?.[name];
        member_actions.push(...actions([extension.plugin, plugin], more, definition));
      }
    }
    return {
      definition,
      plugin,
      attributes,
      member_actions,
      collection_actions: actions([plugin], definition.collection_actions, definition),
    };
  });
}
