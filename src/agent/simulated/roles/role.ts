/** What a role is given, and what it gives. */
import type { Agent } from '#src/agent/sdk/mod.ts';
import type { HostDescription } from '../configurations.ts';

export interface RoleHost extends HostDescription {
  readonly agent: Agent;
  /** Says what is done, for who watches. */
  readonly say: (what: string) => void;
}

/** A role that has been set up on its agent: it listens, and knows what to do when the agent begins. */
export interface RunningRole {
  /** Resolves when all that has come so far is dealt with. */
  settled(): Promise<void>;
}

export type StartRole = (host: RoleHost) => Promise<RunningRole>;
