/** A plugin that is of the core plugin's type. */
import type { PluginModule } from '#src/plugin_api/mod.ts';

export default { create: () => ({ type: 'CORE', extensions: [], verbs: {} }) } satisfies PluginModule;
