/** An ML2 plugin on a database of its own, called through its verbs, with the parts that a server gives it. */
import { createCallbacks } from '#src/callbacks/mod.ts';
import { allOptions, configFrom } from '#src/config/mod.ts';
import type { Filter, ListQuery } from '#src/lib/api/query.ts';
import type { CallbackRegistry } from '#src/lib/callbacks.ts';
import { systemClock } from '#src/lib/clock.ts';
import type { OptionValue } from '#src/lib/config.ts';
import { adminContext, type Context } from '#src/lib/context.ts';
import { NeutronError } from '#src/lib/errors.ts';
import { silentLogger } from '#src/lib/log.ts';
import { type Metrics, silentMetrics } from '#src/lib/metrics.ts';
import type { MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import type { Call, Plugin, PluginHost, Resource, ResourceList } from '#src/lib/plugin.ts';
import type { QuotaEngine, QuotaResource } from '#src/lib/quota.ts';
import { createOutbox, type OutboxRow, renderRows } from '#src/outbox/mod.ts';
import { createMechanismManager, manageMechanisms } from '#src/plugins/ml2/managers/mechanism.ts';
import { createMl2 } from '#src/plugins/ml2/mod.ts';
import { createQuota } from '#src/quota/mod.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';

type Options = Readonly<Record<string, Readonly<Record<string, OptionValue>>>>;

/** As a small cloud has it: tunnels for tenants, one physical network with VLANs, one without. */
const OPTIONS: Options = {
  ml2: {
    project_network_types: ['vxlan'],
    extension_drivers: ['port_security'],
    mechanism_drivers: [],
    physical_network_mtus: { physnet2: '9000' },
  },
  ml2_type_vlan: { network_vlan_ranges: ['physnet1:100:109', 'physnet2'] },
  ml2_type_vxlan: { vni_ranges: ['1:1000'] },
  ml2_type_gre: { tunnel_id_ranges: ['1:2'] },
  ml2_type_geneve: { vni_ranges: ['1:1000'] },
};

export const ADMIN: Context = { ...adminContext('req-test'), project_id: 'admin' };
/** A member of a project. */
export const member = (project_id: string): Context => ({
  ...ADMIN,
  project_id,
  is_admin: false,
  roles: ['member', 'reader'],
});
export const ALICE = member('alice');
export const BOB = member('bob');

export class World {
  readonly database: TestDatabase;
  readonly plugin: Plugin;
  readonly callbacks: CallbackRegistry;
  readonly quota: QuotaEngine;
  readonly #statements: { count: number };

  private constructor(database: TestDatabase, host: PluginHost, plugin: Plugin, statements: { count: number }) {
    this.database = database;
    this.plugin = plugin;
    this.callbacks = host.callbacks;
    this.quota = host.quota;
    this.#statements = statements;
  }

  /** With the drivers that the options name, or with drivers of the test's own. */
  static async start(options: Options = {}, drivers?: readonly MechanismDriver[], log = silentLogger): Promise<World> {
    const statements = { count: 0 };
    const metrics: Metrics = {
      ...silentMetrics,
      counter: (name) => ({ add: () => void (name === 'nucleon_sql_statements_total' && statements.count++) }),
    };
    const database = await migratedDatabase('ml2', { metrics });
    const groups = Object.keys({ ...OPTIONS, ...options });
    const config = configFrom(
      allOptions,
      Object.fromEntries(groups.map((group) => [group, { ...OPTIONS[group], ...options[group] }])),
    );
    const resources: QuotaResource[] = [];
    const host: PluginHost = {
      config,
      db: database.db,
      log,
      metrics,
      clock: systemClock,
      callbacks: createCallbacks({ log }),
      outbox: createOutbox(),
      quota: createQuota({ resources, config, db: database.db, log }),
      attributeExtensions: () => [],
      plugins: { get: () => undefined, all: () => [] },
    };
    const mechanisms = drivers === undefined ? createMechanismManager(config, log) : manageMechanisms(drivers, log);
    const plugin = createMl2(host, mechanisms);
    resources.push(...(plugin.quotas ?? []));
    return new World(database, host, plugin, statements);
  }

  stop(): Promise<void> {
    return this.database.drop();
  }

  async call<Answer = Resource>(verb: string, call: Partial<Call>, context: Context = ADMIN): Promise<Answer> {
    const found = this.plugin.verbs[verb];
    if (found === undefined) throw new Error(`there is no verb ${verb}`);
    return (await found(context, { parents: {}, ...call })) as Answer;
  }

  create(kind: string, body: Resource, context?: Context): Promise<Thing> {
    return this.call<Thing>(`create_${kind}`, { body }, context);
  }

  update(kind: string, id: string, body: Resource, context?: Context): Promise<Thing> {
    return this.call<Thing>(`update_${kind}`, { id, body }, context);
  }

  show(kind: string, id: string, context?: Context): Promise<Thing> {
    return this.call<Thing>(`get_${kind}`, { id }, context);
  }

  remove(kind: string, id: string, context?: Context): Promise<void> {
    return this.call<void>(`delete_${kind}`, { id }, context);
  }

  async list(kind: string, query: Partial<ListQuery> = {}, context?: Context): Promise<readonly Thing[]> {
    const { items } = await this.call<ResourceList>(`get_${kind}s`, { query: { ...ALL, ...query } }, context);
    return items as readonly Thing[];
  }

  /** A network with one IPv4 subnet. */
  async lan(subnet: Resource = {}, context?: Context): Promise<{ network: Thing; subnet: Thing }> {
    const network = await this.create('network', { name: 'lan' }, context);
    const made = await this.create(
      'subnet',
      { network_id: network.id, ip_version: 4, cidr: '10.0.0.0/24', ...subnet },
      context,
    );
    return { network, subnet: made };
  }

  /** What waits in the outbox for L2 agents, oldest first, as it would be sent; taken away. */
  async notifications(): Promise<readonly Told[]> {
    const rows = await this.database.sql<OutboxRow[]>`
      with gone as (delete from outbox returning *)
      select id, key, host, topic, payload, recipients, reads, object_id from gone
      where topic like 'q-agent-notifier-port%' or topic like 'q-agent-notifier-network%' order by id`;
    const { audiences = {}, readers = {} } = this.plugin;
    const sources = {
      audiences: new Map(Object.entries(audiences)),
      readers: new Map(Object.entries(readers)),
      objects: new Map(),
    };
    const rendered = await renderRows(this.database.sql, rows, sources, silentLogger);
    return rendered.flatMap(({ topic, payload, hosts }) =>
      hosts.map((host) => ({ topic, host, message: JSON.parse(payload) as Resource })),
    );
  }

  /** Statements sent while `work` runs. */
  async statements(work: () => Promise<unknown>): Promise<number> {
    const before = this.#statements.count;
    await work();
    return this.#statements.count - before;
  }

  /** Everything in the tables of networks, subnets, ports and quota usage: equal before and after what has no effect. */
  async snapshot(): Promise<unknown> {
    const tables = [
      'networks',
      'network_segments',
      'network_rbacs',
      'external_networks',
      'subnets',
      'ports',
      'ip_allocations',
      'port_bindings',
      'outbox',
      'quota_usages',
    ];
    const contents: Record<string, unknown> = {};
    for (const table of tables) {
      contents[table] = await this.database.sql.unsafe(
        `select to_jsonb(t) as row from ${table} t order by to_jsonb(t)::text`,
      );
    }
    return contents;
  }
}

export interface Told {
  readonly topic: string;
  /** Null: all hosts. */
  readonly host: string | null;
  readonly message: Resource;
}

export interface FixedIp {
  readonly subnet_id: string;
  readonly ip_address: string;
}

/** A resource with the attributes that tests look at often. */
export type Thing = Resource & {
  readonly id: string;
  readonly revision_number: number;
  readonly mac_address: string;
  readonly fixed_ips: readonly FixedIp[];
};

const ALL: ListQuery = { filters: [], sorts: [{ attribute: 'id', direction: 'asc' }], reverse: false };

export const filter = (attribute: string, ...values: Filter['values']): Filter => ({
  attribute,
  operator: 'in',
  values,
});

/** The type and status of the error that the promise ends in; fails when it does not. */
export async function refusal(
  promise: Promise<unknown>,
): Promise<{ readonly type: string; readonly status: number; readonly message: string }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof NeutronError) return { type: error.type, status: error.status, message: error.message };
    throw error;
  }
  throw new Error('it was not refused');
}

/** Addresses of a port, in order. */
export const addresses = (port: Thing): readonly string[] => port.fixed_ips.map(({ ip_address }) => ip_address);
