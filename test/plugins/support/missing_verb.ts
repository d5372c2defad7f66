/** A plugin that declares a resource and has no verb for it. */
import type { PluginModule } from '#src/plugin_api/mod.ts';

export default {
  create: () => ({
    type: 'SPEECHLESS',
    extensions: [],
    resources: [{ collection: 'things', member: 'thing', operations: ['list'], attributes: {} }],
    verbs: {},
  }),
} satisfies PluginModule;
