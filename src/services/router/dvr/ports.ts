/**
 * Distributed routers follow ports: they come to a host with the first port that they serve there and leave it with the last, and
 * know the addresses of all of them by heart (neutron.db.l3_dvrscheduler_db, `_notify_l3_agent_port_update`).
 */
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import type { RouterHost } from '../host.ts';
import { arpEntry } from '../notifications/mod.ts';
import { connectedTo } from './hosts.ts';
import { type PortView, viewOf } from './port_view.ts';
import { mayHaveCome, mayHaveLeft } from './whereabouts.ts';

/** The routers, and those that are connected with them. */
async function withConnected(tx: Transaction, routers: readonly string[]): Promise<readonly string[]> {
  const found = await tx.unsafe<{ through: string }[]>(
    `select distinct through from (${connectedTo('$1::uuid[]')}) c`,
    [routers as string[]],
    { prepare: true },
  );
  return [...new Set([...routers, ...found.map(({ through }) => through)])].toSorted();
}

const without = (those: readonly string[], others: readonly string[]): readonly string[] =>
  those.filter((one) => !others.includes(one));

/** What the routers' hosts are told of addresses. */
function addressesChanged(before: PortView, after: PortView): readonly Notification[] {
  const gone = [...before.entries].filter(([key]) => !after.entries.has(key));
  const fresh = [...after.entries].filter(
    ([key, { entry }]) => before.entries.get(key)?.entry.mac_address !== entry.mac_address,
  );
  return [
    ...gone.map(([, { router_id, entry }]) => arpEntry(router_id, 'del', entry)),
    ...fresh.map(([, { router_id, entry }]) => arpEntry(router_id, 'add', entry)),
  ];
}

/** What hosts are told that a port has come to or left, or that have other routers for it than before. */
async function whereaboutsChanged(
  tx: Transaction,
  before: PortView,
  after: PortView,
): Promise<readonly Notification[]> {
  const sameRouters = String(before.routers) === String(after.routers);
  const left = sameRouters ? without(before.hosts, after.hosts) : before.hosts;
  const come = sameRouters ? without(after.hosts, before.hosts) : after.hosts;
  const leaving = left.length === 0 || before.routers.length === 0 ? [] : await withConnected(tx, before.routers);
  const coming = come.length === 0 || after.routers.length === 0 ? [] : await withConnected(tx, after.routers);
  return [...mayHaveLeft(leaving, left), ...mayHaveCome(coming, come)];
}

const GONE: PortView = { hosts: [], routers: [], entries: new Map() };

/** Subscribes to the life of ports. */
export function followServedPorts({ callbacks, config }: RouterHost): void {
  const dhcp = config.boolean('DEFAULT', 'host_dvr_for_dhcp');

  for (const event of ['precommit_create', 'precommit_update', 'precommit_delete'] as const) {
    callbacks.subscribe('port', event, async ({ original, latest, tx, notify }) => {
      if (tx === undefined || notify === undefined) return;
      const before = original === undefined ? GONE : viewOf(original as Resource, dhcp);
      const after = latest === undefined ? GONE : viewOf(latest as Resource, dhcp);
      if (before.routers.length === 0 && after.routers.length === 0) return;
      notify(...addressesChanged(before, after), ...(await whereaboutsChanged(tx, before, after)));
    });
  }

  // Hosts that migrations prepare, and give up.
  callbacks.subscribe('port_binding', 'precommit_update', async ({ latest, metadata, tx, notify }) => {
    const { routers } = viewOf((latest ?? {}) as Resource, dhcp);
    const { host, former } = (metadata ?? {}) as { readonly host?: string; readonly former?: readonly string[] };
    if (tx === undefined || notify === undefined || host === undefined || routers.length === 0) return;
    const concerned = await withConnected(tx, routers);
    notify(...mayHaveLeft(concerned, former ?? []), ...mayHaveCome(concerned, [host]));
  });
}
