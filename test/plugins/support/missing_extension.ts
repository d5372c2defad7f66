/** A plugin that requires an extension which nobody serves. */
import type { PluginModule } from '#src/plugin_api/mod.ts';

export default {
  create: () => ({
    type: 'WISHFUL',
    extensions: [
      {
        alias: 'wishful',
        name: 'Wishful',
        description: 'Needs what is not there',
        updated: '2026-11-30T00:00:00-00:00',
        required_extensions: ['no-such-extension'],
      },
    ],
    verbs: {},
  }),
} satisfies PluginModule;
