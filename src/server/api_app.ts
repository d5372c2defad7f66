/**
 * The API over assembled plugins: policy, identity and the HTTP app. Knows no process and no socket, so that a server's
 * workers and an isolate at the edge are built alike.
 */
import { type Api, createApp, loadMiddleware } from '#src/api/mod.ts';
import { authStrategy } from '#src/config/mod.ts';
import {
  createEmbeddedIdentity,
  createKeystone,
  createNoauth,
  type EmbeddedIdentity,
  identitySettings,
  keystoneSettings,
} from '#src/identity/mod.ts';
import type { Authenticator } from '#src/lib/auth.ts';
import type { Clock } from '#src/lib/clock.ts';
import type { Config } from '#src/lib/config.ts';
import type { Database } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { Runtime } from '#src/lib/runtime.ts';
import { silentTracer, type Tracer } from '#src/lib/tracing.ts';
import { createPolicy } from '#src/policy/mod.ts';
import type { Assembly } from './assembly.ts';

export interface ApiAppOptions {
  readonly assembly: Assembly;
  readonly config: Config;
  readonly db: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly tracer?: Tracer;
  readonly scrypt: Runtime['scrypt'];
  /** The operator's policy, as YAML texts. */
  readonly policyTexts: readonly string[];
  /** `http://host:port` that the API listens on. */
  readonly endpoint: URL;
  /** True in isolates, where requests cannot share what they wait for. */
  readonly isolated?: boolean;
}

interface Who {
  readonly authenticator: Authenticator;
  readonly identity?: EmbeddedIdentity;
}

function whoAsks(options: ApiAppOptions): Who {
  const { config, db, clock, log, metrics, scrypt, endpoint, isolated = false } = options;
  const strategy = authStrategy(config);
  switch (strategy) {
    case 'noauth':
      return {
        authenticator: createNoauth({
          bindHost: endpoint.hostname,
          forced: config.boolean('identity', 'force_noauth'),
        }),
      };
    case 'keystone':
      return {
        authenticator: createKeystone({
          settings: keystoneSettings(config),
          // Called as a method, the one of workerd refuses.
          fetch: (input, init) => fetch(input, init),
          clock,
          log,
          metrics,
          isolated,
        }),
      };
    case 'embedded': {
      const identity = createEmbeddedIdentity({
        db,
        clock,
        scrypt,
        settings: identitySettings(config),
        log,
        metrics,
        fallbackEndpoint: endpoint.origin,
        isolated,
      });
      return { authenticator: identity.authenticator, identity };
    }
    default:
      return strategy satisfies never;
  }
}

export interface ApiApp extends Api {
  /** Where `auth_strategy` is embedded. */
  readonly identity: EmbeddedIdentity | undefined;
}

/** Builds the API. Throws when configuration, plugins and policy do not fit together. */
export async function createApi(options: ApiAppOptions): Promise<ApiApp> {
  const { assembly, config, log, metrics, clock, tracer = silentTracer } = options;
  const { plugins, quota } = assembly;
  const policy = createPolicy({
    defaults: plugins.flatMap((plugin) => plugin.policies ?? []),
    overrides: options.policyTexts,
    log,
    enforceScope: config.boolean('oslo_policy', 'enforce_scope'),
    defaultRule: config.string('oslo_policy', 'policy_default_rule'),
  });
  const who = whoAsks(options);
  const api = createApp({
    plugins,
    policy,
    quota,
    config,
    log,
    metrics,
    clock,
    tracer,
    ...who,
    middleware: await loadMiddleware(config),
    settings: {
      max_allowed_address_pair: config.integer('DEFAULT', 'max_allowed_address_pair'),
      dns_domain: config.string('DEFAULT', 'dns_domain'),
      base_mac: config.string('DEFAULT', 'base_mac'),
      serviceTypes: () => plugins.map(({ type }) => type),
      rbacObjectTypes: () => plugins.flatMap((plugin) => (plugin.rbac ?? []).map(({ type }) => type)),
    },
  });
  return { ...api, identity: who.identity };
}
