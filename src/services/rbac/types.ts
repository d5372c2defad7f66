/** The types of objects that can be shared: what all plugins declare as `rbac`. */
import type { PluginDirectory, RbacObjectType, Verb } from '#src/lib/plugin.ts';

export interface SharedType extends RbacObjectType {
  /** Reads one object as its caller sees it; throws its NotFound. */
  readonly reader: Verb;
}

/** By the value of `object_type`; read when all plugins are there. */
export function sharedTypes(plugins: PluginDirectory): ReadonlyMap<string, SharedType> {
  const types = plugins.all().flatMap((plugin) =>
    (plugin.rbac ?? []).map((type): readonly [string, SharedType] => {
      const reader = plugin.verbs[`get_${type.type}`];
      if (reader === undefined) {
        throw new Error(
          `plugin '${plugin.type}' shares objects of type '${type.type}', and has no verb get_${type.type}`,
        );
      }
      return [type.type, { ...type, reader }];
    }),
  );
  return new Map(types);
}
