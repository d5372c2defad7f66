/** A plugin that claims an alias of the core plugin's. */
import type { PluginModule } from '#src/plugin_api/mod.ts';

export default {
  create: () => ({
    type: 'COLLIDING',
    extensions: [{ alias: 'provider', name: 'Mine', description: '', updated: '2026-11-30T00:00:00-00:00' }],
    verbs: {},
  }),
} satisfies PluginModule;
