/**
 * Routers become distributed, and centralised again, in one transaction: their interfaces are others' then, SNAT ports come or go,
 * and their agents are chosen anew (neutron.db.l3_dvr_db, `_handle_distributed_migration`). They are down meanwhile.
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { RouterHost } from '../host.ts';
import { INTERFACE_OWNERS, interfaceOwner, portsOf } from '../routers/store.ts';
import { linksHaveCome, linksHaveGone, linksOf } from './interfaces.ts';
import { type JointWork, jointOf, settleMigrated } from './snat.ts';

/** Before others see that the router has changed, and after they have made it what it is to be. */
const [EARLY, LATE] = [-10, 10];

/** Makes the interfaces of the locked router those of its kind. */
async function changeOwners({ acting }: RouterHost, work: JointWork, router: Resource): Promise<void> {
  const { tx, verbs, context } = work;
  const id = String(router['id']);
  const device_owner = interfaceOwner(router);
  const others = (await portsOf(tx, id)).filter(
    ({ port_type }) => INTERFACE_OWNERS.includes(port_type) && port_type !== device_owner,
  );
  const own = acting.as(context);
  for (const port of others) await verbs['update_port']?.(own, { id: port.id, parents: {}, body: { device_owner } });
  await tx`
    update router_ports set port_type = ${device_owner}
    where router_id = ${id} and port_id = any(${others.map((port) => port.id)}::uuid[])`;
}

/** Subscribes to changes of `distributed`. */
export function followMigrations(router: RouterHost): void {
  const { callbacks, config, scheduling } = router;
  const dhcp = config.boolean('DEFAULT', 'host_dvr_for_dhcp');

  /** The joint transaction of a router that is not of the kind that it was. */
  const migrated = (payload: CallbackPayload): (JointWork & Required<Pick<CallbackPayload, 'notify'>>) | undefined => {
    const [original, latest] = [payload.original, payload.latest] as [Resource, Resource];
    const work = jointOf(payload);
    if (original['distributed'] === latest['distributed'] || work === undefined) return undefined;
    return { ...work, notify: payload.notify! };
  };

  callbacks.subscribe(
    'router',
    'precommit_update',
    async (payload) => {
      const work = migrated(payload);
      if (work === undefined) return;
      const latest = payload.latest as Resource;
      const id = payload.resource_id;
      const links = linksOf(await portsOf(work.tx, id));
      if (latest['distributed'] !== true) await linksHaveGone(work, id, links, dhcp);
      await changeOwners(router, work, latest);
      if (latest['distributed'] === true) await linksHaveCome(work, id, links, dhcp);
      await settleMigrated(router, work, id);
      await scheduling.unschedule(work, [id]);
    },
    EARLY,
  );

  callbacks.subscribe(
    'router',
    'precommit_update',
    async (payload) => {
      const work = migrated(payload);
      if (work !== undefined) await scheduling.schedule(work, [payload.resource_id]);
    },
    LATE,
  );
}
