/** An agent: its connection, its reports, its calls, what it listens to, and when it fetches everything. */
import * as v from 'valibot';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import { type Clock, systemClock } from '#src/lib/clock.ts';
import { Lifetime, type Stoppable } from '#src/lib/lifetime.ts';
import { type Logger, silentLogger } from '#src/lib/log.ts';
import { type Metrics, silentMetrics } from '#src/lib/metrics.ts';
import type { RpcMessage } from '#src/lib/rpc.ts';
import { AGENT_STATUS, type AgentStatus, reportState } from '#src/plugins/ml2/agents/contract.ts';
import {
  createTopics,
  DEFAULT_PREFIX,
  type MessageHandlers,
  type MessageTopic,
  type PushedObject,
  type RemoteMethod,
} from '#src/rpc/contract.ts';
import {
  type AgentConnection,
  type CallOptions,
  type CastOptions,
  connectAgent,
  type MqttOptions,
} from '#src/rpc/mod.ts';
import { UnexpectedAnswer } from './errors.ts';
import { type FollowedObjects, type FollowHandlers, followObjects } from './following.ts';
import { messageReader } from './listening.ts';
import { Reports } from './reports.ts';
import { Resync, type ResyncReason } from './resync.ts';

export interface AgentOptions {
  /** `url`, and the user name and password of the host. */
  readonly broker: Pick<MqttOptions, 'url' | 'username' | 'password' | 'tls'>;
  /** `[mqtt] topic_prefix` (`neutron/v1`). */
  readonly topicPrefix?: string;
  readonly host: string;
  /** `Open vSwitch agent` */
  readonly agent_type: string;
  /** `neutron-openvswitch-agent` */
  readonly binary: string;
  /** What Neutron's agent of this type has: `dhcp_agent`, or `N/A`. */
  readonly topic: string;
  readonly availability_zone?: string;
  /** Versions of the objects that the agent understands: `{Port: '1.11'}`. */
  readonly resource_versions?: JsonObject;
  /** Asked for each report. */
  readonly configurations: () => JsonObject;
  /** Seconds between reports (30). */
  readonly reportInterval?: number;
  /** Seconds over which resynchronisations are spread (10). */
  readonly resyncSpread?: number;
  /** Told of what the first report is answered, and later ones when it is not `alive`. */
  readonly onStatus?: (status: AgentStatus) => void;
  /** Told of every message of the server's, before its handler. */
  readonly onMessage?: (topic: string, message: RpcMessage) => void;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  /** Gives up the first connection. */
  readonly signal?: AbortSignal;
}

/** `stop` says that the agent is gone, and goes. */
export interface Agent extends Stoppable {
  readonly host: string;
  readonly agent_type: string;
  readonly log: Logger;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
  /** The result, checked against the contract; MessagingTimeout, or a NeutronError with what the server answered. */
  call<Args extends JsonObject, Result>(
    method: RemoteMethod<Args, Result>,
    args: Args,
    options?: CallOptions,
  ): Promise<Result>;
  /** As a call that nobody answers. */
  cast<Args extends JsonObject>(method: RemoteMethod<Args, unknown>, args: Args, options?: CastOptions): Promise<void>;
  /** What the server says on a topic, one message after the other; `stop` ends it. */
  listen<Topic extends MessageTopic>(topic: Topic, handlers: MessageHandlers<Topic>): Promise<Stoppable>;
  /** Keeps the objects of a type that concern this host: from the start, and by what is pushed. */
  follow<Data extends { readonly id: string; readonly revision_number: number }>(
    type: PushedObject<Data>,
    handlers: FollowHandlers<Data>,
  ): Promise<FollowedObjects<Data>>;
  /** Work that fetches everything: done after `begin`, and when messages may have been missed. */
  onResync(work: (reason: ResyncReason) => Promise<void>): void;
  /** Has everything fetched now, with the spread of chance. */
  resync(): Promise<void>;
  /** Reports the start until a server answers, then every interval; resolves when everything has been fetched. */
  begin(): Promise<AgentStatus>;
  /** Reports soon what `configurations` says now. */
  report(): void;
  /** Ends as a process does that is killed: the broker sends the will. */
  drop(): Promise<void>;
}

/** How long, in milliseconds, the report after a reconnection may wait. */
const REPORT_SPREAD = 2000;

/** Connects. Listen and follow next, then `begin`. */
export async function connect(options: AgentOptions): Promise<Agent> {
  const { broker, host, binary, clock = systemClock, metrics = silentMetrics, signal: giveUp } = options;
  const log = (options.log ?? silentLogger).child({ host, binary });
  const ending = new AbortController();
  const { signal } = ending;
  const resync = new Resync({ spread: (options.resyncSpread ?? 10) * 1000, log, signal });
  let reports: Reports | undefined;
  let begun = false;

  const connection: AgentConnection = await connectAgent({
    ...broker,
    topics: createTopics(options.topicPrefix ?? DEFAULT_PREFIX),
    host,
    binary,
    log,
    metrics,
    clock,
    ...(giveUp === undefined ? {} : { signal: giveUp }),
    onConnect: (resumed) => {
      if (!begun) return;
      reports?.soon(REPORT_SPREAD);
      if (!resumed) void resync.request('session lost');
    },
  });
  const { client } = connection;
  const lifetime = new Lifetime();
  lifetime.onStop(() => ending.abort());

  const call: Agent['call'] = async ({ topic, method, version, namespace, result }, args, callOptions) => {
    const answer = await client.call(topic, method, args, {
      version,
      ...(namespace === undefined ? {} : { namespace }),
      ...callOptions,
    });
    return parsed(result, method, answer);
  };

  const subscribe = (topic: string, handler: (message: RpcMessage) => Promise<void> | void) =>
    client.subscribe(topic, (message) => {
      options.onMessage?.(topic, message);
      return handler(message);
    });

  const state = () => ({
    agent_type: options.agent_type,
    binary,
    host,
    topic: options.topic,
    configurations: options.configurations(),
    ...(options.availability_zone === undefined ? {} : { availability_zone: options.availability_zone }),
    ...(options.resource_versions === undefined ? {} : { resource_versions: options.resource_versions }),
  });
  reports = new Reports({
    state,
    interval: (options.reportInterval ?? 30) * 1000,
    call: async (args, callOptions) =>
      parsed(
        AGENT_STATUS,
        reportState.method,
        await client.call(reportState.topic, reportState.method, args, callOptions),
      ),
    now: () => clock.now(),
    answered: (status) => {
      if (status === 'alive') return;
      options.onStatus?.(status);
      void resync.request(status);
    },
    log,
    signal,
  });

  const agent: Agent = {
    host,
    agent_type: options.agent_type,
    log,
    signal,
    call,
    cast: ({ topic, method, version, namespace }, args, castOptions) =>
      client.cast(topic, method, args, {
        version,
        ...(namespace === undefined ? {} : { namespace }),
        ...castOptions,
      }),
    listen: (topic, handlers) => subscribe(topic.topic, messageReader(topic, handlers, log)),
    async follow(type, handlers) {
      const followed = followObjects(agent, type, handlers);
      await subscribe(followed.topic, followed.pushed);
      resync.add(() => followed.synchronise());
      return followed;
    },
    onResync: (work) => resync.add(work),
    resync: () => resync.request('asked'),
    async begin() {
      const status = await reports.begin();
      begun = true;
      options.onStatus?.(status);
      await resync.request('start');
      return status;
    },
    report: () => reports.soon(),
    async stop() {
      await lifetime.stop();
      await connection.stop();
    },
    async drop() {
      await connection.drop();
      await lifetime.stop();
    },
  };
  return agent;
}

function parsed<Result>(shape: v.GenericSchema<unknown, Result>, method: string, answer: Json): Result {
  const read = v.safeParse(shape, answer);
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new UnexpectedAnswer(method, v.getDotPath(issue) ?? 'the whole of it', issue.message);
}
