/** Hears of changes and deletions of networks, subnets and ports, and tells DHCP agents; hears of agents that come. */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { PluginHost, Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { networkMessages, portMessages, subnetMessages } from './messages.ts';
import type { DhcpSettings } from './settings.ts';
import type { Sweep } from './sweep.ts';

type Messages = (original: Resource, latest: Resource | undefined) => readonly Notification[];

const MESSAGES: Readonly<Record<string, Messages>> = {
  network: networkMessages,
  subnet: subnetMessages,
  port: portMessages,
};

/** Subscribes to all of it. */
export function listen(
  { callbacks, log }: Pick<PluginHost, 'callbacks' | 'log'>,
  settings: DhcpSettings,
  sweep: Sweep,
): void {
  for (const [kind, messages] of Object.entries(settings.notify ? MESSAGES : {})) {
    const tell = ({ original, latest, notify }: CallbackPayload) =>
      notify?.(...messages(original as Resource, latest as Resource | undefined));
    callbacks.subscribe(kind, 'precommit_update', tell);
    callbacks.subscribe(kind, 'precommit_delete', tell);
  }
  const come = ({ latest }: CallbackPayload) => {
    const { agent_type, agent_status } = latest as Resource;
    if (agent_type !== 'DHCP agent' || agent_status === 'alive') return;
    // The report is answered meanwhile.
    sweep().catch((error: unknown) => log.error('networks without DHCP agents could not be scheduled', { error }));
  };
  callbacks.subscribe('agent', 'after_create', come);
  callbacks.subscribe('agent', 'after_update', (payload) => {
    if ((payload.latest as Resource)['agent_status'] !== undefined) come(payload);
  });
}
