/**
 * Tags: words that clients put on networks, ports and whatever else plugins declare as `tagged`, and find them by
 * (neutron.services.tag). They live in the rows of what carries them, so that reading and filtering cost no join.
 */
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import type { Plugin, PluginHost, PluginModule, Verb } from '#src/lib/plugin.ts';
import { tagExtensions } from './definition.ts';
import { tagVerbs } from './service.ts';
import { TAG_PLUGIN, taggedCollections } from './tagged.ts';

interface Served {
  readonly extensions: readonly ExtensionDefinition[];
  readonly verbs: Readonly<Record<string, Verb>>;
}

function create(host: Pick<PluginHost, 'db' | 'callbacks' | 'plugins'>): Plugin {
  // Known when all plugins are there: nobody asks earlier.
  let served: Served | undefined;
  const serve = (): Served => {
    if (served === undefined) {
      const tagged = taggedCollections(host.plugins);
      served = { extensions: tagExtensions(tagged), verbs: tagVerbs(host, tagged) };
    }
    return served;
  };
  return {
    type: TAG_PLUGIN,
    get extensions() {
      return serve().extensions;
    },
    get verbs() {
      return serve().verbs;
    },
  };
}

export default { create } satisfies PluginModule;
