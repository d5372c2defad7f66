/**
 * The flavor of a router (neutron.services.l3_router.service_providers.driver_controller): chosen when the router is made, it says
 * which provider serves it, and the provider whether the router can be highly available or distributed.
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Context } from '#src/lib/context.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { RouterHost } from '../host.ts';
import { ROUTER_FLAVORS } from './definition.ts';

const FLAGS = ['distributed', 'ha'] as const;
type Support = Readonly<Record<(typeof FLAGS)[number], boolean>>;

const PATH = 'neutron.services.l3_router.service_providers';
/** By driver, what routers of its are. */
const DRIVERS: Readonly<Record<string, Support>> = {
  [`${PATH}.single_node.SingleNodeDriver`]: { distributed: false, ha: false },
  [`${PATH}.ha.HaDriver`]: { distributed: false, ha: true },
  [`${PATH}.dvr.DvrDriver`]: { distributed: true, ha: false },
  [`${PATH}.dvrha.DvrHaDriver`]: { distributed: true, ha: true },
};

export const flavorAttributes = (): AttributeExtension => ({
  attributes: {
    flavor_id: { select: 'r.flavor_id', type: 'uuid', sort: `coalesce(r.flavor_id::text, '')` },
  },
  columns: { flavor_id: 'uuid' },
  create: ({ body }) => ({ flavor_id: body['flavor_id'] ?? null }),
});

export function routerFlavors({ callbacks, plugins }: RouterHost): PluginPart {
  /** Throws where routers of the flavor cannot be what the request says. */
  const check = async (context: Context, flavor: unknown, request: Resource): Promise<void> => {
    const next = plugins.get('FLAVORS')?.verbs['get_flavor_next_provider'];
    const chosen = await next?.(context, { id: String(flavor), parents: {} });
    const { driver, provider } = chosen as { readonly driver: string; readonly provider: string };
    for (const flag of FLAGS) {
      const asked = request[flag];
      if (typeof asked !== 'boolean' || DRIVERS[driver]?.[flag] === asked) continue;
      const value = asked ? 'True' : 'False';
      throw new InvalidInput(`Provider ${provider} does not support ${flag}=${value}`);
    }
  };

  callbacks.subscribe('router', 'before_create', async ({ context, request = {} }) => {
    const flavor = request['flavor_id'];
    if (flavor !== undefined && flavor !== null) await check(context, flavor, request);
  });

  callbacks.subscribe('router', 'precommit_update', ({ original, request = {} }: CallbackPayload) => {
    const router = (original ?? {}) as Resource;
    if (router['flavor_id'] === null || FLAGS.every((flag) => (request[flag] ?? router[flag]) === router[flag])) return;
    throw new InvalidInput(
      "Changing the 'ha' and 'distributed' attributes on a router associated with a flavor is not supported",
    );
  });

  return { extensions: [ROUTER_FLAVORS] };
}
