/**
 * The whole API over a migrated PostgreSQL, assembled as a worker assembles it, with the database at hand: what a request
 * did to it is compared as text.
 */
import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { declareResources } from '#src/api/router/declared.ts';
import { serveExtensions } from '#src/api/router/extensions.ts';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { EXTENSION_DRIVERS } from '#src/config/options/without_files.ts';
import type { ResourceDefinition } from '#src/lib/api/definition.ts';
import { systemClock } from '#src/lib/clock.ts';
import type { OptionValue } from '#src/lib/config.ts';
import { type LogFields, type Logger, silentLogger } from '#src/lib/log.ts';
import { type Metrics, silentMetrics } from '#src/lib/metrics.ts';
import type { Plugin } from '#src/lib/plugin.ts';
import { type ApiApp, createApi } from '#src/server/api_app.ts';
import { assemble } from '#src/server/assembly.ts';
import { loadModules } from '#src/server/registry.ts';
import { migratedDatabase, type TestDatabase } from './database.ts';
import { difference, Fingerprints } from './fingerprint.ts';
import { AnswerCheck } from './openapi.ts';

const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

type Options = Readonly<Record<string, Readonly<Record<string, OptionValue>>>>;

const OPTIONS: Options = {
  DEFAULT: { auth_strategy: 'noauth', api_workers: 1 },
  ml2: { project_network_types: ['vxlan'], extension_drivers: EXTENSION_DRIVERS, mechanism_drivers: [] },
  ml2_type_vlan: { network_vlan_ranges: ['physnet1:100:199'] },
  ml2_type_flat: { flat_networks: ['*'] },
  ml2_type_vxlan: { vni_ranges: ['1:10000'] },
  ml2_type_gre: { tunnel_id_ranges: ['1:1000'] },
  ml2_type_geneve: { vni_ranges: ['1:1000'] },
};

/** Tables that a test may fill, those that point to others first; what cascades is left out. */
const EMPTIED = [
  ...[
    'port_forwardings',
    'floatingips',
    'router_ha_ports',
    'router_ports',
    'routers',
    'flavors',
    'service_profiles',
    'ip_allocations',
    'ports',
    'subnets',
    'networks',
    'subnetpools',
    'address_scopes',
  ],
  ...[
    'security_group_rules',
    'security_groups',
    'security_groups_default_statefulness',
    'address_groups',
    'agents',
    'quotas',
    'quota_usages',
    'outbox',
  ],
];

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'DELETE']);

export type Roles = readonly string[];
/** Who asks, under `auth_strategy = noauth`: headers; or a token. */
export type Who = { readonly project: string; readonly roles: string } | { readonly token: string } | 'nobody';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are looked into by tests
  readonly body: any;
}

export interface CallOptions {
  readonly as?: Who;
  /** A string and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const admin = { project: 'admin', roles: 'admin' } as const;
export const member = (project: string) => ({ project, roles: 'member' }) as const;

export class Stack {
  readonly database: TestDatabase;
  readonly api: ApiApp;
  readonly plugins: readonly Plugin[];
  /** What was logged as an error since the last look. */
  readonly errors: { readonly message: string; readonly fields: LogFields | undefined }[];

  /** What was counted: `name{label="value"}`. */
  readonly counts: Map<string, number>;
  /** Whether a request that is refused while no other is under way must have changed no table. */
  refusalsChangeNothing = true;
  /** Holds every answer to the API's own description. */
  #check: Promise<AnswerCheck> | undefined;
  readonly #fingerprints: Fingerprints;
  #begun = 0;
  #underWay = 0;

  private constructor(parts: Pick<Stack, 'database' | 'api' | 'plugins' | 'errors' | 'counts'>) {
    this.database = parts.database;
    this.api = parts.api;
    this.plugins = parts.plugins;
    this.errors = parts.errors;
    this.counts = parts.counts;
    this.#fingerprints = new Fingerprints(parts.database.url);
  }

  static async start(
    name: string,
    options: Options = {},
    poolSize = 4,
    policyTexts: readonly string[] = [],
  ): Promise<Stack> {
    const counts = new Map<string, number>();
    const metrics: Metrics = {
      ...silentMetrics,
      counter: (name) => ({
        add(labels = {}, amount = 1) {
          const key = `${name}{${Object.entries(labels).map(([label, value]) => `${label}="${value}"`)}}`;
          counts.set(key, (counts.get(key) ?? 0) + amount);
        },
      }),
    };
    const database = await migratedDatabase(name, { poolSize, metrics });
    const errors: Stack['errors'] = [];
    const log: Logger = {
      ...silentLogger,
      error: (message, fields) => void errors.push({ message, fields }),
      child: () => log,
    };
    const groups = Object.keys({ ...OPTIONS, ...options });
    const config = configFrom(
      allOptions,
      Object.fromEntries(groups.map((group) => [group, { ...OPTIONS[group], ...options[group] }])),
    );
    const shared = { config, db: database.db, log, metrics, clock: systemClock };
    const assembly = await assemble({ ...shared, modules: await loadModules({ config, log }) });
    const api = await createApi({
      ...shared,
      assembly,
      scrypt: (password, salt, { logN, r, p, length }) =>
        derive(password, salt, length, { N: 2 ** logN, r, p, maxmem: 2 ** 28 }),
      policyTexts,
      endpoint: new URL('http://127.0.0.1:9696'),
    });
    return new Stack({ database, api, plugins: assembly.plugins, errors, counts });
  }

  async stop(): Promise<void> {
    await this.#fingerprints.end();
    await this.database.drop();
  }

  /** All resources that are served, extensions' included. */
  resources(): readonly ResourceDefinition[] {
    return declareResources(this.plugins, serveExtensions(this.plugins)).map(({ definition, attributes }) => ({
      ...definition,
      attributes,
    }));
  }

  /** Sends a request; throws when its answer is not as described, or a refusal and something has changed. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    if (!WRITES.has(method) || !this.refusalsChangeNothing || !path.startsWith('/v2.0/')) {
      return this.#counting(() => this.#send(method, path, options));
    }
    return this.#counting(async (alone) => {
      // Those who race are begun together: they are not told apart by waiting for a first look at the tables.
      await undefined;
      const before = alone() ? await this.#fingerprints.take() : undefined;
      const answer = await this.#send(method, path, options);
      if (before === undefined || answer.status < 400 || !alone()) return answer;
      const after = await this.#fingerprints.take();
      if (after !== before && alone())
        throw new Error(
          `${method} ${path} was refused and changed something:\n${difference(before, after)}\n${answer.text}`,
        );
      return answer;
    });
  }

  /** `alone` tells whether no other request has been under way since this one began. */
  async #counting<Result>(work: (alone: () => boolean) => Promise<Result>): Promise<Result> {
    const nth = ++this.#begun;
    const first = this.#underWay++ === 0;
    try {
      return await work(() => first && this.#begun === nth);
    } finally {
      this.#underWay -= 1;
    }
  }

  async #send(method: string, path: string, { as = admin, body, headers = {} }: CallOptions): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const sent = body === undefined ? null : raw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body);
    const response = await this.api.fetch(
      new Request(`http://127.0.0.1:9696${path}`, {
        method,
        headers: {
          ...identityHeaders(as),
          ...(sent === null ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: sent,
      }),
      { address: '192.0.2.1' },
    );
    const text = await response.text();
    const json = text !== '' && response.headers.get('Content-Type')?.startsWith('application/json') === true;
    const { status } = response;
    const answer = { status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
    this.#check ??= this.#describe();
    const fault = (await this.#check).fault({ method, path }, answer);
    if (fault !== undefined)
      throw new Error(
        `${method} ${path}: the answer is not as /v2.0/openapi.json has it (\`response\` of an attribute tells what rules do not): ${fault}\n${text}`,
      );
    return answer;
  }

  async #describe(): Promise<AnswerCheck> {
    const response = await this.api.fetch(new Request('http://127.0.0.1:9696/v2.0/openapi.json'), {
      address: '192.0.2.1',
    });
    return new AnswerCheck(await response.json());
  }

  /** Creates one object, which must work; its attributes. */
  // biome-ignore lint/suspicious/noExplicitAny: attributes of any shape
  async create(member: string, body: Readonly<Record<string, unknown>>, as: Who = admin): Promise<any> {
    const answer = await this.call('POST', `/v2.0/${member}s`, { as, body: { [member]: body } });
    if (answer.status !== 201) throw new Error(`POST ${member}: ${answer.status} ${answer.text}`);
    return answer.body[member];
  }

  /** How often what begins so was counted. */
  counted(start: string): number {
    return [...this.counts].reduce((sum, [key, count]) => (key.startsWith(start) ? sum + count : sum), 0);
  }

  /** Takes away all that the Networking API keeps. */
  async clear(): Promise<void> {
    // Those that come with the installation stay.
    await this.database.sql`
      delete from default_security_group_rules where created_at > (select min(created_at) from default_security_group_rules)`;
    await this.database.sql.unsafe(EMPTIED.map((table) => `delete from ${table}`).join('; '));
  }

  /** Every row of every table but those named, as text: equal before and after what has no effect. */
  async dump(without: readonly string[] = []): Promise<string> {
    const { sql } = this.database;
    const tables = await sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' order by tablename`;
    const parts = tables
      .filter(({ name }) => !without.includes(name))
      .map(
        ({ name }) =>
          `select '${name}' as t, coalesce(string_agg(r.x, E'\\n' order by r.x), '') as rows from (select to_json(q)::text as x from "${name}" q) r`,
      );
    // PostgreSQL may read the tables in parallel, and give them in any order.
    const rows = await sql.unsafe(`${parts.join(' union all ')} order by t`);
    return rows.map((row) => `${row['t']}\n${row['rows']}`).join('\n');
  }
}

function identityHeaders(as: Who): Readonly<Record<string, string>> {
  if (as === 'nobody') return { 'X-User-Id': 'nobody', 'X-Roles': ',' };
  if ('token' in as) return { 'X-Auth-Token': as.token };
  return { 'X-User-Id': `user of ${as.project}`, 'X-Project-Id': as.project, 'X-Roles': as.roles };
}
