/**
 * What agents call: AgentExtRpcCallback 1.4 (neutron.db.agents_db), on `q-plugin` and, for state reports alone, on
 * `q-reports-plugin`. Reports are idempotent: the same one again gives the agent the same row.
 */
import * as v from 'valibot';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Clock } from '#src/lib/clock.ts';
import type { Context } from '#src/lib/context.ts';
import type { Logger } from '#src/lib/log.ts';
import type { RpcEndpoint } from '#src/lib/rpc.ts';
import { parseArguments as parse, RESOURCE_VERSIONS } from '#src/rpc/contract.ts';
import type { AgentReport, AgentStatus, Reporter, ReportOutcome } from './reports.ts';

export interface AgentRpcOptions {
  readonly report: Reporter;
  /** Told of agents that are new, revived or started again. */
  readonly changed: (context: Context, report: AgentReport, outcome: ReportOutcome) => Promise<void>;
  /** The agents of a host, as versioned objects. */
  readonly agentObjects: (filter: { readonly host: string; readonly is_active?: boolean }) => Promise<readonly Json[]>;
  readonly deleteAgent: (host: string, agent_type: string) => Promise<void>;
  /** `[DEFAULT] dhcp_load_type` */
  readonly dhcpLoadType: string;
  /** Seconds. */
  readonly downTime: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(255));
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const object = v.custom<object>(isObject, 'must be an object');
/** Shown in every list of agents, and written with every report. */
const MAX_CONFIGURATIONS = 64 * 1024;
const CONFIGURATIONS = v.pipe(
  object,
  v.check(
    (value) => JSON.stringify(value).length <= MAX_CONFIGURATIONS,
    `must have at most ${MAX_CONFIGURATIONS} characters`,
  ),
);

const STATE = v.object({
  agent_type: text,
  binary: text,
  host: text,
  topic: text,
  availability_zone: v.nullish(v.pipe(v.string(), v.maxLength(255))),
  configurations: v.optional(CONFIGURATIONS, () => ({})),
  resource_versions: v.nullish(RESOURCE_VERSIONS),
  start_flag: v.nullish(v.boolean()),
});
const ARGS = v.object({ agent_state: v.object({ agent_state: STATE }), time: v.optional(v.string()) });
const DELETE_ARGS = v.object({ host: text, agent_type: text });
const GET_ARGS = v.object({ is_active: v.nullish(v.boolean()) });

/** The number that schedulers compare: of a DHCP agent the networks (or subnets, or ports) it serves. */
function loadOf(agent_type: string, configurations: JsonObject, dhcpLoadType: string): number {
  const load = agent_type === 'DHCP agent' ? configurations[dhcpLoadType] : 0;
  return Number.isSafeInteger(load) ? Math.min(Math.max(Number(load), 0), 0x7fffffff) : 0;
}

/** The agent's clock against ours, in seconds; null when it did not say or cannot be read. Python writes UTC without zone. */
function skew(time: string | undefined, now: number): number | null {
  const told = time === undefined ? Number.NaN : Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
  return Number.isNaN(told) ? null : Math.abs(told - now) / 1000;
}

/** The endpoint; one for each topic it is served on. */
export function agentEndpoint(options: AgentRpcOptions): RpcEndpoint {
  const { clock, log, downTime } = options;

  async function reportState(context: Context, args: JsonObject): Promise<AgentStatus> {
    const { agent_state, time } = parse(ARGS, 'report_state', args);
    const { start_flag, availability_zone, resource_versions, ...state } = agent_state.agent_state;
    const started = start_flag === true;
    const configurations = state.configurations as JsonObject;
    const report: AgentReport = {
      ...state,
      configurations,
      started,
      load: loadOf(state.agent_type, configurations, options.dhcpLoadType),
      ...(availability_zone == null ? {} : { availability_zone }),
      ...(resource_versions == null ? {} : { resource_versions }),
    };
    const apart = started ? skew(time, clock.now()) : null;
    if (apart !== null && apart > downTime) {
      log.error("the clock of an agent differs from the server's by more than agent_down_time: set one of them right", {
        host: state.host,
        agent_type: state.agent_type,
        agent_time: time,
        seconds: Math.round(apart),
      });
    }
    const outcome = await options.report(report);
    if (started || outcome.status !== 'alive') await options.changed(context, report, outcome);
    return outcome.status;
  }

  return {
    version: '1.4',
    methods: {
      has_alive_neutron_server: async () => true,
      report_state: ({ context }, args) => reportState(context, args),
      // Of other hosts nothing is told: an agent asks for its own.
      get_agents: async ({ host }, args) => {
        const { is_active } = parse(GET_ARGS, 'get_agents', args);
        return await options.agentObjects({ host, ...(is_active == null ? {} : { is_active }) });
      },
      delete_agent: async (_call, args) => {
        const { host, agent_type } = parse(DELETE_ARGS, 'delete_agent', args);
        await options.deleteAgent(host, agent_type);
        return null;
      },
    },
  };
}
