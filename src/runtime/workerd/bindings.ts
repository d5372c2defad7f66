/**
 * What a Worker is given: variables, secrets and services of its configuration ("bindings"), and the context of one request.
 * Typed here because the type checker knows Node's globals only.
 */
import { databaseUrl } from '#src/config/mod.ts';
import type { Config } from '#src/lib/config.ts';

/** Bindings by name; which ones mean something to us is said below. */
export type Bindings = Readonly<Record<string, unknown>>;

/** The life of one request. */
export interface ExecutionContext {
  /** Keeps the request's I/O alive until the promise is settled, also when the answer is out or the client is gone. */
  waitUntil(promise: Promise<unknown>): void;
}

/** A pooler of the platform's that stands before the database (Hyperdrive). */
const POOLER = 'HYPERDRIVE';
/** The operator's policy, as the YAML text of a policy file. */
const POLICY = 'NUCLEON_POLICY';
/** `true`: statements get names, which a pooler must keep apart for its clients. */
const PREPARED_STATEMENTS = 'NUCLEON_PREPARED_STATEMENTS';

/** The variables among the bindings: what a process finds in its environment. Numbers and booleans are as good as texts. */
export function variables(bindings: Bindings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(bindings)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Policy texts that stand over the defaults. */
export function policyTexts(bindings: Bindings): readonly string[] {
  const text = variables(bindings)[POLICY];
  return text === undefined ? [] : [text];
}

/** How a request reaches PostgreSQL. */
export interface DatabaseBinding {
  readonly url: string;
  readonly prepare: boolean;
}

/** The pooler's URL where one is bound, else `[database] connection`; throws when there is neither. */
export function databaseBinding(bindings: Bindings, config: Config): DatabaseBinding {
  const url = poolerUrl(bindings[POOLER]) ?? databaseUrl(config);
  if (url === null) {
    throw new Error(
      `no database is configured: bind a Hyperdrive as ${POOLER}, or set the secret OS_DATABASE__CONNECTION to postgresql://...`,
    );
  }
  return { url, prepare: variables(bindings)[PREPARED_STATEMENTS] === 'true' };
}

function poolerUrl(binding: unknown): string | null {
  if (typeof binding !== 'object' || binding === null || !('connectionString' in binding)) return null;
  return typeof binding.connectionString === 'string' ? binding.connectionString : null;
}
