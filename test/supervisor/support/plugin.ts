/** A plugin without anything, so that the server's own migrations are all that a start has to do. */
import type { PluginModule } from '#src/lib/plugin.ts';

const module: PluginModule = { create: () => ({ type: 'CORE', extensions: [], verbs: {} }) };
export default module;
