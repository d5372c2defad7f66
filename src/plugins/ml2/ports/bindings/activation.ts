/**
 * Activation of a binding: the port moves to the host that was prepared for it. The host that it leaves is told to let go of it,
 * the other one to take it up, and the port is DOWN until that has reported.
 */
import { showRows, type TableSql, violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { randomMac } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { MessageNotification, Notification } from '#src/lib/rpc.ts';
import { revisePorts } from '../../binding/mod.ts';
import { MacAddressInUse } from '../../errors.ts';
import type { Ml2 } from '../../state.ts';
import { MAC_ONCE } from '../store.ts';
import { PortBindingAlreadyActive } from './errors.ts';
import { lockAndLookAt } from './scene.ts';
import { activateBinding, deletePlaceholder, type PortBinding, readBindings, shown } from './store.ts';

/** What is told to the agents of both hosts (neutron.plugins.ml2.rpc.AgentNotifierApi). */
function messages(port: Resource, from: string, to: string): readonly MessageNotification[] {
  const port_id = String(port['id']);
  const common = { version: '1.5', key: `port:${port_id}` };
  const deactivate = {
    ...common,
    to: { host: from },
    topic: 'q-agent-notifier-binding-deactivate',
    method: 'binding_deactivate',
    args: { port_id, host: from, network_id: String(port['network_id']) },
  };
  const activate = {
    ...common,
    to: { host: to },
    topic: 'q-agent-notifier-binding-activate',
    method: 'binding_activate',
    args: { port_id, host: to },
  };
  return from === '' ? [activate] : [deactivate, activate];
}

export function createActivation(ml2: Ml2, reading: TableSql) {
  const { db, callbacks, mechanisms, outbox, statuses, binder } = ml2;
  const baseMac = ml2.config.string('DEFAULT', 'base_mac');
  const agentOf = new Map(mechanisms.drivers.map(({ name, agent_type }) => [name, agent_type]));

  /** Writes it; the port is locked. */
  const write = async (tx: Transaction, port: Resource, former: string, binding: PortBinding): Promise<void> => {
    const id = String(port['id']);
    const awaited = binding.driver !== null && agentOf.get(binding.driver) !== undefined;
    // Where no agent is to report, nobody would make it ACTIVE again.
    const status = binding.driver === null || awaited ? 'DOWN' : null;
    // The address of a whole card is the card's.
    const mac_address =
      binding.vnic_type === 'direct-physical'
        ? String(binding.profile['device_mac_address'] ?? randomMac(baseMac))
        : null;
    await Promise.all([
      activateBinding(tx, id, binding.host),
      former === '' ? deletePlaceholder(tx, id) : undefined,
      revisePorts(tx, [{ id, status, mac_address }]),
      statuses.block(tx, awaited ? [{ port_id: id, entity: 'L2' }] : []),
    ]);
  };

  /** The binding as it is then. Throws PortBindingNotFound, PortBindingAlreadyActive. */
  return async (context: Context, port_id: string, host: string): Promise<Resource> => {
    let card: Resource | undefined;
    const work = async (tx: Transaction) => {
      const { port: original, active, on } = await lockAndLookAt(tx, reading, context, port_id);
      const wanted = on(host);
      if (wanted.status === 'ACTIVE') throw new PortBindingAlreadyActive(port_id, host);
      const former = active?.host ?? '';
      card = { network_id: original['network_id'], mac_address: wanted.profile['device_mac_address'] };
      const [, [latest], bindings] = await Promise.all([
        write(tx, original, former, wanted),
        showRows(tx, reading, [port_id]),
        readBindings(tx, port_id),
      ]);
      const told: Notification[] = [...messages(original, former, host)];
      const notify = (...more: readonly Notification[]) => void told.push(...more);
      const current = latest!;
      await mechanisms.precommit('update_port', { context, tx, current, original, notify });
      const payload = { context, resource_id: port_id, original, latest: current, tx, notify };
      await callbacks.publish('port', 'precommit_update', payload);
      // COMMIT goes out with it; if it fails, so does the transaction.
      outbox.add(tx, context, told).catch(() => {});
      return { original, latest: current, binding: bindings.find((one) => one.host === host)! };
    };
    const moved = await db.transaction({ label: 'activate_port_binding' }, work).catch((error: unknown) => {
      if (violatedConstraint(error) !== MAC_ONCE) throw error;
      throw new MacAddressInUse(String(card?.['network_id']), String(card?.['mac_address']));
    });
    const { original, latest, binding } = moved;
    await callbacks.publish('port', 'after_update', { context, resource_id: port_id, original, latest });
    await mechanisms.postcommit('update_port', { context, current: latest, original });
    await binder.released([String(latest['network_id'])]);
    return shown(binding);
  };
}
