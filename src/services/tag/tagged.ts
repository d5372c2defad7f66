/** Which collections carry tags: what all other plugins declare as `tagged`, with the definitions of those collections. */
import type { ResourceDefinition } from '#src/lib/api/definition.ts';
import type { Plugin, PluginDirectory, Verb } from '#src/lib/plugin.ts';

/** A collection whose items carry tags. */
export interface Tagged {
  readonly definition: ResourceDefinition;
  /** The table of its rows. */
  readonly table: string;
  /** Reads one item as its caller sees it. */
  readonly reader: Verb;
}

export const TAG_PLUGIN = 'TAG';

function definitionOf(plugin: Plugin, collection: string): ResourceDefinition {
  const extended = plugin.extensions.flatMap(({ resources }) => resources ?? []);
  const found = [...(plugin.resources ?? []), ...extended].find(
    (definition) => definition.collection === collection && definition.parent === undefined,
  );
  if (found === undefined) {
    throw new Error(`plugin '${plugin.type}' says that '${collection}' carry tags, and has no such collection`);
  }
  return found;
}

/** Those of all plugins, in their order. */
export function taggedCollections(plugins: PluginDirectory): readonly Tagged[] {
  return plugins
    .all()
    .filter(({ type }) => type !== TAG_PLUGIN)
    .flatMap((plugin) =>
      Object.entries(plugin.tagged ?? {}).map(([collection, table]) => {
        const definition = definitionOf(plugin, collection);
        const reader = plugin.verbs[`get_${definition.member}`];
        if (reader === undefined) {
          throw new Error(`plugin '${plugin.type}' has no verb get_${definition.member}, by which tags are read`);
        }
        return { definition, table, reader };
      }),
    );
}
