/** What takes replicas away beside the word of their hosts: a port that becomes another, a router or the last L2 agent that leaves a host. */
import type { CallbackPayload, CallbackRegistry } from '#src/lib/callbacks.ts';
import { Messages } from '#src/lib/messages.ts';
import type { PluginDirectory, Resource } from '#src/lib/plugin.ts';
import type { Outbox } from '#src/lib/rpc.ts';
import type { MechanismManager } from '../managers/mechanism.ts';
import { portUpdate } from '../notifications/mod.ts';
import { portChanged } from '../objects/mod.ts';
import { isBehindManyTunnels } from '../owners.ts';
import type { Replicas } from './mod.ts';
import { hostsOfRouters } from './routers.ts';
import { type Place, replicasOfLastAgent, replicasOfPort, replicasOfRouter } from './store.ts';

interface Following {
  readonly callbacks: CallbackRegistry;
  readonly outbox: Outbox;
  readonly plugins: PluginDirectory;
  readonly replicas: Pick<Replicas, 'setInside'>;
  readonly mechanisms: Pick<MechanismManager, 'drivers'>;
}

const gone = (places: readonly Place[]) => places.map((place) => ({ ...place, status: 'DOWN', goes: true }) as const);

/** Follows ports, routers and agents from now on. */
export function followReplicas({ callbacks, outbox, plugins, replicas, mechanisms }: Following): void {
  const l2Types = mechanisms.drivers.flatMap(({ agent_type }) => agent_type ?? []);

  callbacks.subscribe('port', 'precommit_update', async (payload) => {
    const { context, original, latest, tx, notify } = payload as CallbackPayload<Resource>;
    if (tx === undefined || notify === undefined || original === undefined || latest === undefined) return;
    const owner = original['device_owner'];
    if (owner === latest['device_owner'] || !isBehindManyTunnels(owner)) return;
    const id = String(latest['id']);
    const places = await replicasOfPort(tx, id);
    if (places.length === 0) return;
    await replicas.setInside(tx, context, gone(places), notify);
    const hosts = places.map(({ host }) => host);
    notify(portUpdate(id, { hosts }), portChanged(id, places));
  });

  callbacks.subscribe('router_agents', 'precommit_delete', async (payload) => {
    const { context, resource_id, metadata, tx, notify } = payload;
    // Interfaces of other routers are in one place; thousands of those may move at once.
    if (tx === undefined || notify === undefined || !(metadata?.['ha'] || metadata?.['distributed'])) return;
    const hosts = ((metadata?.['agents'] ?? []) as readonly Place[]).map(({ host }) => host);
    // A distributed router may still have servers there.
    const still = (await hostsOfRouters(tx, plugins, [resource_id])).get(resource_id) ?? [];
    const left = hosts.filter((host) => !still.includes(host));
    if (left.length === 0) return;
    await replicas.setInside(tx, context, gone(await replicasOfRouter(tx, resource_id, left)), notify);
  });

  callbacks.subscribe('agent', 'precommit_delete', async (payload) => {
    const { context, resource_id, original, tx } = payload as CallbackPayload<Resource>;
    if (tx === undefined || original === undefined || !l2Types.includes(String(original['agent_type']))) return;
    const messages = new Messages();
    const places = await replicasOfLastAgent(tx, String(original['host']), resource_id, l2Types);
    await replicas.setInside(tx, context, gone(places), messages.notify);
    messages.send(outbox, tx, context);
  });
}
