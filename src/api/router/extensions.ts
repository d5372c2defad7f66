/**
 * The extensions that are served: those of all loaded plugins, in order. Checked once at start: one alias is one extension,
 * and what an extension requires is served too.
 */
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import type { Plugin } from '#src/lib/plugin.ts';
import { ApiSetupError } from '../errors.ts';

export interface ServedExtension {
  readonly definition: ExtensionDefinition;
  readonly plugin: Plugin;
}

/** By alias, in the order of loading. */
export type ServedExtensions = ReadonlyMap<string, ServedExtension>;

function checkRequirements(served: ServedExtensions): void {
  const missing: string[] = [];
  for (const { definition, plugin } of served.values()) {
    for (const alias of definition.required_extensions ?? []) {
      if (!served.has(alias)) {
        missing.push(`'${alias}', which '${definition.alias}' of plugin '${plugin.type}' requires`);
      }
    }
  }
  if (missing.length > 0) {
    throw new ApiSetupError(
      `Extensions not found: ${missing.join('; ')}: load a plugin that serves them, or unload the one that requires them`,
    );
  }
}

/** Collects and checks the extensions of the plugins. A definition that plugins share is served once. */
export function serveExtensions(plugins: readonly Plugin[]): ServedExtensions {
  const served = new Map<string, ServedExtension>();
  for (const plugin of plugins) {
    for (const definition of plugin.extensions) {
      const other = served.get(definition.alias);
      if (other === undefined) served.set(definition.alias, { definition, plugin });
      else if (other.definition !== definition) {
        throw new ApiSetupError(
          `the extension alias '${definition.alias}' is declared by plugin '${other.plugin.type}' and, differently, by ` +
            `plugin '${plugin.type}': unload one of them`,
        );
      }
    }
  }
  checkRequirements(served);
  return served;
}

/** Each after those that it builds on, whatever was loaded first: in this order its attributes replace theirs. */
export function inOrder(served: ServedExtensions): readonly ServedExtension[] {
  const placed = new Map<string, ServedExtension>();
  const place = (alias: string, above: readonly string[]) => {
    const extension = served.get(alias);
    if (extension === undefined || placed.has(alias) || above.includes(alias)) return;
    const { required_extensions = [], optional_extensions = [] } = extension.definition;
    for (const base of [...required_extensions, ...optional_extensions]) place(base, [...above, alias]);
    placed.set(alias, extension);
  };
  for (const alias of served.keys()) place(alias, []);
  return [...placed.values()];
}
