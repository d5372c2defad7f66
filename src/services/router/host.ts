/** What the parts of the router plugin lean on, beside the server's own. */
import type { ResourceExtensions } from '#src/db/mod.ts';
import { type Context, elevated } from '#src/lib/context.ts';
import type { JointOptions, JointWork, PluginHost } from '#src/lib/plugin.ts';
import type { RouterScheduling } from './agents/mod.ts';
import type { Reading } from './reading.ts';

export interface RouterHost extends PluginHost {
  readonly routers: ResourceExtensions;
  readonly floatingips: ResourceExtensions;
  readonly reading: Reading;
  readonly acting: Acting;
  /** Which L3 agents have a router. */
  readonly scheduling: RouterScheduling;
  /** One transaction with the verbs of the core plugin. */
  together<Result>(options: JointOptions<Result>, work: JointWork<Result>): Promise<Result>;
}

/**
 * Contexts in which this plugin itself writes ports. The ports of routers and floating IPs are closed to everybody else; who
 * has such a context is known by its identity, which nobody can make up.
 */
export class Acting {
  readonly #known = new WeakSet<Context>();

  /** The same request as the server's own act. */
  as(context: Context): Context {
    const acting = { ...elevated(context) };
    this.#known.add(acting);
    return acting;
  }

  is(context: Context): boolean {
    return this.#known.has(context);
  }
}

/** The core plugin's joint transactions; known when all plugins are there. */
export function coreTransactions(plugins: PluginHost['plugins']): RouterHost['together'] {
  return (options, work) => {
    const core = plugins.get('CORE');
    if (core?.together === undefined) {
      throw new Error('the router plugin needs a core plugin that has joint transactions');
    }
    return core.together(options, work);
  };
}
