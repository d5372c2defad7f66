/**
 * State reports: the first one says that the process has started and is repeated until a server answers; then a heartbeat of
 * QoS 0 each interval, which is worth nothing after the next one. An answer other than `alive` says that the server knows
 * nothing of this agent, or had given it up: messages may have been missed.
 */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { pause } from '#src/lib/pause.ts';
import type { AgentState, AgentStatus } from '#src/plugins/ml2/agents/contract.ts';
import { reportState } from '#src/plugins/ml2/agents/contract.ts';
import type { CallOptions } from '#src/rpc/mod.ts';
import { backOff } from './back_off.ts';

export interface ReportsOptions {
  readonly state: () => Omit<AgentState, 'start_flag'>;
  /** Milliseconds. */
  readonly interval: number;
  readonly call: (args: JsonObject, options: CallOptions) => Promise<AgentStatus>;
  readonly now: () => number;
  readonly answered: (status: AgentStatus) => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const FIRST = { first: 1000, cap: 15_000 };

/** UTC, as Python writes it without a zone. */
const timeText = (now: number): string => new Date(now).toISOString().replace('Z', '000');

export class Reports {
  readonly #options: ReportsOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #begun = false;
  /** The last one was not answered: the answer that the agent had been given up may be lost, or come to the next. */
  #unanswered = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  /** Reports the start until it is answered, then goes on by itself; resolves with the answer. */
  async begin(): Promise<AgentStatus> {
    const { log, signal, interval } = this.#options;
    for (let failures = 0; ; failures += 1) {
      const timeout = Math.min(FIRST.first * 2 ** failures, FIRST.cap);
      try {
        const status = await this.#report(true, { timeout, retries: 0 });
        this.#begun = true;
        // The first one anywhere within the interval: agents that start together do not stay in step.
        this.#schedule(interval * Math.random());
        return status;
      } catch (error) {
        signal.throwIfAborted();
        if (!isWaiting(error)) throw error;
        if (failures > 0) log.warn('no server has answered the state report yet; it is sent again', { error });
        await pause(backOff(0, FIRST.first / 10, FIRST.cap), signal);
      }
    }
  }

  /** A report soon, within the time: the connection is back, or there is news in it. */
  soon(within = 0): void {
    if (this.#begun) this.#schedule(within * Math.random(), 1);
  }

  /** Of QoS 1 where it must come through: after a broker was started again, its workers may be back later than we are. */
  #schedule(milliseconds: number, qos: 0 | 1 = 0): void {
    clearTimeout(this.#timer);
    if (this.#options.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#heartbeat(qos), milliseconds);
  }

  async #heartbeat(qos: 0 | 1): Promise<void> {
    const { interval, log, signal, answered } = this.#options;
    this.#schedule(interval * (0.95 + Math.random() / 10));
    try {
      const status = await this.#report(false, { timeout: interval, retries: 0, qos: this.#unanswered ? 1 : qos });
      this.#unanswered = false;
      answered(status);
    } catch (error) {
      this.#unanswered = true;
      if (!signal.aborted) log.warn('a state report was not answered', { error });
    }
  }

  #report(started: boolean, options: CallOptions): Promise<AgentStatus> {
    const { state, call, now } = this.#options;
    const agent_state: AgentState = { ...state(), ...(started ? { start_flag: true as const } : {}) };
    return call({ agent_state: { agent_state }, time: timeText(now()) }, { version: reportState.version, ...options });
  }
}

/** A server may answer later. Anything else (`InvalidInput`, `ForeignHost`) will be answered the same again. */
const WAITING: ReadonlySet<string> = new Set([
  'MessagingTimeout',
  'BrokerUnavailable',
  'ServiceUnavailable',
  'InternalError',
]);

const isWaiting = (error: unknown): boolean => error instanceof NeutronError && WAITING.has(error.type);
