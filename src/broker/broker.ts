/** Starts the broker: listeners, the connections they accept, and the tick that looks at deadlines. */
import type { Clock } from '#src/lib/clock.ts';
import { Lifetime, type Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { Connection, Network, TlsOptions } from '#src/lib/runtime.ts';
import { Hub } from './hub.ts';
import { type BrokerLimits, DEFAULT_LIMITS } from './limits.ts';
import { Link } from './link.ts';
import { Stats } from './stats.ts';
import type { UserStore } from './users.ts';

export interface BrokerOptions {
  readonly network: Network;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Undefined: no WebSocket; 0 picks a free port. */
  readonly wsPort?: number;
  /** Default `/mqtt`. */
  readonly wsPath?: string;
  /** For both listeners. */
  readonly tls?: TlsOptions;
  readonly users: UserStore;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Over DEFAULT_LIMITS. */
  readonly limits?: Partial<BrokerLimits>;
}

export interface Broker extends Stoppable {
  readonly port: number;
  /** Undefined where no WebSocket port was asked for. */
  readonly wsPort: number | undefined;
}

/** Connections over `maxConnections` that are still told why they are refused; the rest is closed unheard. */
const REFUSED_POLITELY = 64;

/** Starts the broker and resolves when it listens. Stopping tells every client and forgets all sessions. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { network, host, tls, users, log, clock } = options;
  const limits: BrokerLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const stats = new Stats(options.metrics);
  const hub = new Hub({ limits, clock, log, stats });
  const links = new Set<Link>();
  const parts = {
    hub,
    users,
    limits,
    clock,
    log,
    stats,
    hasRoom: () => links.size <= limits.maxConnections,
    closed: (link: Link) => links.delete(link),
  };
  let stopping = false;
  const accept = (connection: Connection): void => {
    if (stopping) {
      connection.close();
      return;
    }
    if (links.size >= limits.maxConnections + REFUSED_POLITELY) {
      stats.refused('serverBusy');
      connection.close();
      return;
    }
    links.add(new Link(connection, parts));
  };

  const lifetime = new Lifetime();
  const publishStats = (): void => {
    stats.publish({ connections: links.size, sessions: hub.sessions, retained: hub.retained });
  };
  const timer = setInterval(() => {
    const now = clock.now();
    for (const link of [...links]) link.tick(now);
    hub.tick();
    publishStats();
  }, limits.tick);
  lifetime.onStop(() => clearInterval(timer));
  try {
    const tcp = lifetime.add(await network.listenTcp({ host, port: options.port, tls }, accept));
    const path = options.wsPath ?? '/mqtt';
    const ws =
      options.wsPort === undefined
        ? undefined
        : lifetime.add(
            await network.listenWebSocket({ host, port: options.wsPort, path, protocol: 'mqtt', tls }, accept),
          );
    // Before the listeners stop, for they close what is open without a word.
    lifetime.onStop(() => {
      stopping = true;
      for (const link of [...links]) link.shutDown();
      publishStats();
    });
    log.info('the embedded MQTT broker listens', { host, port: tcp.port, ws_port: ws?.port, tls: tls !== undefined });
    return { port: tcp.port, wsPort: ws?.port, stop: () => lifetime.stop() };
  } catch (error) {
    await lifetime.stop();
    throw error;
  }
}
