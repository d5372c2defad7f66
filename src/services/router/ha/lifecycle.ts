/**
 * Routers become highly available when they are made so or changed to it, and stop when they are changed back or deleted. All that
 * belongs to it comes and goes in the router's own transaction: its virtual router id, its project's network, its agents and their
 * ports, and the owner of its interfaces.
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import { BadRequest } from '#src/lib/errors.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { RouterHost } from '../host.ts';
import { interfaceOwner } from '../routers/store.ts';
import { HAS_HA_ROUTERS } from './attributes.ts';
import { HaNetworkInUse } from './errors.ts';
import type { HaNetworks, HaRouter, NetworkWork } from './networks.ts';
import { deletePorts } from './ports.ts';

type Payload = CallbackPayload<Resource>;

/** Precommit events of routers are in a transaction that ports and networks can be made in. */
function workOf({ tx, context, verbs, notify }: Payload): NetworkWork {
  if (tx === undefined || verbs === undefined || notify === undefined) {
    throw new TypeError('routers are written in a joint transaction');
  }
  return { tx, context, verbs, notify };
}

const identityOf = (router: Resource): HaRouter => ({
  id: String(router['id']),
  project_id: String(router['project_id']),
});

export function followRouters(host: RouterHost, networks: HaNetworks): void {
  const { callbacks, scheduling, acting } = host;

  const stop = async (work: NetworkWork, router: Resource) => {
    await deletePorts(host, work, String(router['id']));
    await networks.leave(work, identityOf(router));
  };

  /** The interfaces are of another kind then; those of distributed routers are seen to where routers are distributed. */
  const changeInterfaces = async ({ tx, context, verbs }: NetworkWork, original: Resource, latest: Resource) => {
    if (original['distributed'] === true || latest['distributed'] === true) return;
    const [from, device_owner] = [interfaceOwner(original), interfaceOwner(latest)];
    const ports = await tx<{ port_id: string }[]>`
      update router_ports set port_type = ${device_owner}
      where router_id = ${String(latest['id'])} and port_type = ${from} returning port_id`;
    const own = acting.as(context);
    for (const id of ports.map(({ port_id }) => port_id).toSorted()) {
      await verbs['update_port']?.(own, { id, parents: {}, body: { device_owner } });
    }
  };

  callbacks.subscribe('router', 'precommit_create', async (payload) => {
    const router = (payload.latest ?? {}) as Resource;
    if (router['ha'] === true) await networks.enter(workOf(payload as Payload), identityOf(router));
  });

  callbacks.subscribe('router', 'precommit_update', async (payload) => {
    const [original, latest] = [payload.original ?? {}, payload.latest ?? {}] as [Resource, Resource];
    if (original['ha'] === latest['ha']) return;
    if (latest['admin_state_up'] === true) {
      throw new BadRequest(
        'router',
        'Cannot change HA attribute of active routers. Please set router admin_state_up to False prior to upgrade',
      );
    }
    const work = workOf(payload as Payload);
    await changeInterfaces(work, original, latest);
    await scheduling.unschedule(work, [payload.resource_id]);
    if (latest['ha'] === true) await networks.enter(work, identityOf(latest));
    else await stop(work, latest);
    await scheduling.schedule(work, [payload.resource_id]);
  });

  callbacks.subscribe('router', 'precommit_delete', async (payload) => {
    const router = (payload.original ?? {}) as Resource;
    if (router['ha'] === true) await stop(workOf(payload as Payload), router);
  });

  callbacks.subscribe('network', 'precommit_delete', ({ resource_id, original }) => {
    if ((original as Resource | undefined)?.[HAS_HA_ROUTERS] === true) throw new HaNetworkInUse(resource_id);
  });
}
