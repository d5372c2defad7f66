/**
 * What port forwardings hold, and what they follow. Inside the transactions of others, under their locks; where there are no
 * forwardings it costs no statement, because it is read along whether there are.
 */
import type { CallbackRegistry } from '#src/lib/callbacks.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { RouterInterfaceInUseByFloatingIP } from '#src/services/router/floatingips/contract.ts';
import { FORWARDED_TO, FORWARDS, MEETS_FORWARDINGS } from './attributes.ts';
import { FipInUseByPortForwarding, PortHasPortForwarding } from './errors.ts';
import { forwardingChanged } from './objects.ts';
import { deleteForwardings, forwardedSubnet, lockLosing } from './store.ts';

const resourceOf = (value: unknown): Resource => (value ?? {}) as Resource;
const hasForwardings = (floatingip: Resource): boolean =>
  ((floatingip['port_forwardings'] ?? []) as readonly unknown[]).length > 0;
const addresses = (port: Resource): readonly string[] =>
  ((port['fixed_ips'] ?? []) as readonly { readonly ip_address: string }[]).map(({ ip_address }) => ip_address);

export function followOthers(callbacks: CallbackRegistry): void {
  for (const event of ['precommit_create', 'precommit_update'] as const) {
    callbacks.subscribe('floatingip', event, (payload) => {
      const [original, latest] = [payload.original, payload.latest].map(resourceOf) as [Resource, Resource];
      const { port_id } = latest;
      if (port_id === null || port_id === undefined || port_id === original['port_id']) return;
      if (hasForwardings(original)) throw new FipInUseByPortForwarding(payload.resource_id);
      // The port may be bound nowhere yet, or move to a host that leads floating IPs itself.
      if (latest[MEETS_FORWARDINGS] === true) throw new PortHasPortForwarding(String(port_id));
    });
  }

  callbacks.subscribe('floatingip', 'precommit_delete', ({ resource_id, original }) => {
    if (hasForwardings(resourceOf(original))) throw new FipInUseByPortForwarding(resource_id);
  });

  /** Forwardings go with the address that they lead to. */
  for (const event of ['precommit_update', 'precommit_delete'] as const) {
    callbacks.subscribe('port', event, async ({ tx, notify, resource_id, ...payload }) => {
      const [original, latest] = [payload.original, payload.latest].map(resourceOf) as [Resource, Resource];
      if (tx === undefined || original[FORWARDED_TO] !== true) return;
      const staying = event === 'precommit_update' ? addresses(latest) : [];
      if (addresses(original).every((address) => staying.includes(address))) return;
      const lost = await lockLosing(tx, resource_id, staying);
      if (lost.length === 0) return;
      const gone = await deleteForwardings(tx, lost);
      notify?.(...gone.map(({ id, router_id }) => forwardingChanged(id, router_id)));
    });
  }

  callbacks.subscribe('router_interface', 'precommit_delete', async ({ tx, resource_id, latest, metadata }) => {
    if (tx === undefined || resourceOf(latest)[FORWARDS] !== true) return;
    const leaving = (metadata?.['subnets'] ?? []) as readonly { readonly id: string }[];
    const needed = await forwardedSubnet(
      tx,
      resource_id,
      leaving.map(({ id }) => id),
    );
    if (needed !== undefined) throw new RouterInterfaceInUseByFloatingIP(resource_id, needed);
  });
}
