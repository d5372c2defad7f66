/**
 * Addresses that ports get with a subnet, and lose with it, are changes of the ports: drivers and listeners are told of them as of
 * any other, and so are agents.
 */
import { showRows } from '#src/db/mod.ts';
import type { FixedIp } from '#src/ipam/mod.ts';
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { portReading } from '../ports/reading.ts';
import type { Ml2 } from '../state.ts';

/** A port with an address that it has got or lost. */
export interface PortAddress extends FixedIp {
  readonly port_id: string;
}

export interface PortChange {
  readonly original: Resource;
  readonly latest: Resource;
}

type Notify = NonNullable<CallbackPayload['notify']>;

const fixedIpsOf = (port: Resource) => (port['fixed_ips'] ?? []) as readonly FixedIp[];
const idOf = (port: Resource): string => String(port['id']);

/** What is done when the addresses have been written; the ports are locked. */
export function portAddresses(ml2: Ml2) {
  const { mechanisms, callbacks } = ml2;
  const reading = portReading(ml2.extensions.ports);

  const tell = async (
    tx: Transaction,
    context: Context,
    addresses: readonly PortAddress[],
    notify: Notify,
    before: (latest: Resource, addresses: readonly PortAddress[]) => readonly FixedIp[],
  ): Promise<readonly PortChange[]> => {
    if (addresses.length === 0) return [];
    const byPort = Map.groupBy(addresses, ({ port_id }) => port_id);
    const changes = (await showRows(tx, reading, [...byPort.keys()])).map((latest) => {
      const fixed_ips = before(latest, byPort.get(idOf(latest)) ?? []);
      return { latest, original: { ...latest, fixed_ips, revision_number: Number(latest['revision_number']) - 1 } };
    });
    for (const { original, latest } of changes) {
      await mechanisms.precommit('update_port', { context, tx, current: latest, original, notify });
    }
    // At once: who writes something for each of them can write it for all.
    await Promise.all(
      changes.map(({ original, latest }) => {
        const request = { fixed_ips: latest['fixed_ips'] };
        const payload = { context, resource_id: idOf(latest), original, latest, request, tx, notify };
        return callbacks.publish('port', 'precommit_update', payload);
      }),
    );
    return changes;
  };

  return {
    added: (tx: Transaction, context: Context, addresses: readonly PortAddress[], notify: Notify) =>
      tell(tx, context, addresses, notify, (latest, added) =>
        fixedIpsOf(latest).filter(({ subnet_id }) => !added.some((address) => address.subnet_id === subnet_id)),
      ),

    removed: (tx: Transaction, context: Context, addresses: readonly PortAddress[], notify: Notify) =>
      tell(tx, context, addresses, notify, (latest, removed) => [
        ...fixedIpsOf(latest),
        ...removed.map(({ subnet_id, ip_address }) => ({ subnet_id, ip_address })),
      ]),

    /** After the commit. */
    async published(context: Context, changes: readonly PortChange[]): Promise<void> {
      for (const { original, latest } of changes) {
        const request = { fixed_ips: latest['fixed_ips'] };
        await callbacks.publish('port', 'after_update', {
          context,
          resource_id: idOf(latest),
          original,
          latest,
          request,
        });
        await mechanisms.postcommit('update_port', { context, current: latest, original });
      }
    },
  };
}
