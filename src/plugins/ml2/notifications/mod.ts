/**
 * Messages to L2 agents about networks and ports, and what messages of all plugins read and whom they reach: the readers
 * `network`, `subnet`, `port`, `port_segment`, the audiences `network` and `port`.
 */
import type { CallbackPayload, CallbackRegistry } from '#src/lib/callbacks.ts';
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { Notification } from '#src/lib/rpc.ts';
import type { ExtensionManager } from '../managers/extension.ts';
import { networkHosts, portHosts } from './audiences.ts';
import { type Change, networkMessages, portMessages } from './messages.ts';
import { resourceReaders } from './readers.ts';

export { networkUpdate, portUpdate } from './messages.ts';
export { agentNetworkReading, agentPortReading } from './readers.ts';

interface Host {
  readonly callbacks: CallbackRegistry;
  readonly extensions: ExtensionManager;
}

/** The notifier's part of the plugin; it listens to networks and ports from now on. */
export function notifications({ callbacks, extensions }: Host): PluginPart {
  const tell =
    (messages: (change: Change) => readonly Notification[]) =>
    ({ original, latest, notify }: CallbackPayload) =>
      notify?.(...messages({ original, latest } as Change));
  const network = tell(networkMessages);
  const port = tell(portMessages(extensions.ports.notifies));
  for (const operation of ['update', 'delete'] as const) {
    callbacks.subscribe('network', `precommit_${operation}`, network);
    callbacks.subscribe('port', `precommit_${operation}`, port);
  }
  return { audiences: { network: networkHosts, port: portHosts }, readers: resourceReaders(extensions) };
}
