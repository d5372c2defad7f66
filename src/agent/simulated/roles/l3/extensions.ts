/**
 * What hangs on routers and is told by itself, as versioned objects: port forwardings, conntrack helpers, NDP proxies. Which of
 * them there are follows from the server's plugins, so it is asked first. When one changes, its router is read anew.
 */
import * as v from 'valibot';
import type { Agent, FollowedObjects } from '#src/agent/sdk/mod.ts';
import { getServicePluginList } from '#src/services/router/contract.ts';
import type { HostState } from '../../state.ts';

const OF_ROUTER = v.looseObject({ id: v.string(), router_id: v.string(), revision_number: v.number() });
type OfRouter = v.InferOutput<typeof OF_ROUTER>;

/** By the type of the plugin that has them. */
const OBJECTS: Readonly<Record<string, { readonly name: string; readonly version: string }>> = {
  PORTFORWARDING: { name: 'PortForwarding', version: '1.3' },
  conntrack_helper: { name: 'ConntrackHelper', version: '1.0' },
  ndp_proxy: { name: 'NDPProxy', version: '1.0' },
};

/** Follows them from the first time on that everything is fetched. */
export function followExtensions(
  agent: Agent,
  state: HostState,
  again: (routers: readonly string[]) => void,
): { settled(): Promise<void> } {
  const followed: FollowedObjects<OfRouter>[] = [];
  let plugins: readonly string[] | undefined;

  async function follow({ name, version }: { readonly name: string; readonly version: string }): Promise<void> {
    /** The routers of what is gone are not told. */
    const routers = new Map<string, string>();
    const objects = await agent.follow<OfRouter>(
      { name, version, data: OF_ROUTER },
      {
        async changed(found) {
          for (const { id, router_id } of found) routers.set(id, router_id);
          again(found.map(({ router_id }) => router_id));
        },
        async gone(ids) {
          again(ids.flatMap((id) => routers.get(id) ?? []));
          for (const id of ids) routers.delete(id);
        },
      },
    );
    state.ofRouters.set(name, objects.known);
    followed.push(objects);
  }

  agent.onResync(async () => {
    // What follows objects adds its own work to this one.
    const known = plugins ?? [];
    plugins = await agent.call(getServicePluginList, {});
    for (const [plugin, type] of Object.entries(OBJECTS)) {
      if (plugins.includes(plugin) && !known.includes(plugin)) await follow(type);
    }
  });
  return {
    async settled() {
      for (const objects of followed) await objects.settled();
    },
  };
}
