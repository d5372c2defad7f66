/** An agent's connection: a session that is kept through an absence, presence, and an RPC client on it. */
import type { Clock } from '#src/lib/clock.ts';
import { Lifetime, type Stoppable } from '#src/lib/lifetime.ts';
import { createRpcClient, type RpcClient } from './client.ts';
import { presencePayload } from './presence.ts';
import { encodeLevel, type Topics } from './topics.ts';
import { connectMqtt, type MqttConnection, type MqttOptions } from './transport.ts';

export interface AgentOptions extends Omit<MqttOptions, 'clientId' | 'clean' | 'will' | 'onConnect'> {
  readonly topics: Topics;
  readonly host: string;
  /** `neutron-openvswitch-agent` */
  readonly binary: string;
  readonly clock: Clock;
  /** Called after every connection; where the session was not resumed, messages may be missing: fetch everything. */
  readonly onConnect?: (resumed: boolean) => void;
}

export interface AgentConnection extends Stoppable {
  readonly connection: MqttConnection;
  readonly client: RpcClient;
  /** Ends without a good-bye, as a process that is killed: the broker sends the will. */
  drop(): Promise<void>;
}

/**
 * Connects as an agent of the host: client id `<host>.<binary>` (encoded), session kept for 300 s, a birth after each connection
 * and a will with its epoch. `stop` says that the agent is gone before it goes.
 */
export async function connectAgent(options: AgentOptions): Promise<AgentConnection> {
  const { topics, host, binary, clock } = options;
  const topic = topics.presence(host, binary);
  let epoch = 0;
  const announce = (connection: MqttConnection, alive: boolean) =>
    connection.publish(topic, presencePayload(epoch, alive), { retain: true });
  const lifetime = new Lifetime();
  const connection = await connectMqtt({
    ...options,
    clientId: `${encodeLevel(host)}.${encodeLevel(binary)}`,
    clean: false,
    will: () => {
      epoch = Math.max(epoch + 1, clock.now());
      return { topic, payload: presencePayload(epoch, false), retain: true };
    },
    onConnect: (connected, resumed) => {
      announce(connected, true).catch((error: unknown) => options.log.warn('birth not published', { topic, error }));
      options.onConnect?.(resumed);
    },
  });
  lifetime.add(connection);
  try {
    lifetime.onStop(async () => {
      if (connection.connected) await announce(connection, false);
    });
    const client = await createRpcClient({ connection, topics, host, log: options.log });
    lifetime.add(client);
    const drop = async () => {
      await connection.drop();
      await lifetime.stop();
    };
    return { connection, client, stop: () => lifetime.stop(), drop };
  } catch (error) {
    await lifetime.stop();
    throw error;
  }
}
