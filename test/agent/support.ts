/** The whole of Nucleon in one process, over a real database and a real broker: the API, what answers agents, and the relay. */

import { type SimulatedHost, type SimulatedHostOptions, startSimulatedHost } from '#src/agent/simulated/mod.ts';
import type { Logger } from '#src/lib/log.ts';
import { startRelay } from '#src/outbox/mod.ts';
import { encodeLevel, notificationPublisher, startRpcServer, watchPresence } from '#src/rpc/mod.ts';
import { sourcesOf } from '#src/server/workers/relay.ts';
import type { BrokerKind } from '../broker/brokers.ts';
import { base, topics, World } from '../rpc/support.ts';
import { Stack } from '../support/stack.ts';

export interface Cloud {
  readonly stack: Stack;
  readonly world: World;
  /** A simulated host, stopped at the end. */
  host(name: string, options?: Partial<SimulatedHostOptions>): Promise<SimulatedHost>;
  stop(): Promise<void>;
}

type Options = Parameters<typeof Stack.start>[1];

/** Starts it; the broker knows these hosts. */
export async function startCloud(
  name: string,
  kind: BrokerKind,
  hosts: readonly string[],
  options: Options = {},
  log: Logger = base.log,
): Promise<Cloud> {
  const stack = await Stack.start(name, {
    ...options,
    DEFAULT: { service_plugins: ['router', 'port_forwarding'], ...options?.['DEFAULT'] },
    ml2: { mechanism_drivers: ['openvswitch', 'l2population'], ...options?.['ml2'] },
  });
  const world = await World.start(kind, hosts);
  const { plugins, database } = stack;
  const connection = await world.connect('server');
  const listeners = plugins.flatMap((plugin) => [
    ...(plugin.rpcListeners?.() ?? []),
    ...(plugin.stateReportListeners?.() ?? []),
  ]);
  world.add(await startRpcServer({ ...base, log, connection, topics, listeners, drainMs: 5000 }));
  const handlers = plugins.flatMap((plugin) => plugin.presence?.() ?? []);
  world.add(await watchPresence({ connection, topics, handlers, log }));
  world.add(
    await startRelay({
      ...base,
      log,
      url: database.url,
      publish: notificationPublisher(await world.connect('server'), topics),
      sources: sourcesOf(plugins),
      pollMs: 1000,
    }),
  );
  return {
    stack,
    world,
    host: async (host, more = {}) =>
      world.add(
        await startSimulatedHost({
          host,
          broker: world.credentials(encodeLevel(host)),
          resyncSpread: 0,
          log,
          ...more,
        }),
      ),
    async stop() {
      await world.stop();
      await stack.stop();
    },
  };
}
