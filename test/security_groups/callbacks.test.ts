/** What other plugins are told of security groups and their rules, through the verbs of the plugin itself. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCallbacks } from '#src/callbacks/mod.ts';
import { allOptions, configFrom } from '#src/config/mod.ts';
import type { CallbackEvent, CallbackPayload } from '#src/lib/callbacks.ts';
import { systemClock } from '#src/lib/clock.ts';
import { adminContext } from '#src/lib/context.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import type { Plugin, PluginHost, Resource } from '#src/lib/plugin.ts';
import type { QuotaResource } from '#src/lib/quota.ts';
import { createOutbox } from '#src/outbox/mod.ts';
import ml2 from '#src/plugins/ml2/mod.ts';
import { createQuota } from '#src/quota/mod.ts';
import module from '#src/services/security_groups/mod.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';

const ALICE = {
  ...adminContext('req-test'),
  project_id: 'alice',
  is_admin: false,
  roles: ['member', 'reader'],
};

let database: TestDatabase;
let groups: Plugin;
let core: Plugin;
const told: string[] = [];
let refuse: string | undefined;

function subscribe({ callbacks }: Pick<PluginHost, 'callbacks'>): void {
  for (const kind of ['security_group', 'security_group_rule']) {
    for (const time of ['before', 'precommit', 'after'] as const) {
      for (const operation of ['create', 'update', 'delete'] as const) {
        const event: CallbackEvent = `${time}_${operation}`;
        callbacks.subscribe(kind, event, (payload: CallbackPayload<unknown>) => {
          const object = (payload.latest ?? payload.original ?? payload.request) as Resource;
          told.push(`${kind} ${event} ${object['name'] ?? object['direction'] ?? ''}`.trim());
          expect(payload.tx === undefined).toBe(time !== 'precommit');
          if (refuse === event) throw new Error('refused');
        });
      }
    }
  }
}

beforeAll(async () => {
  database = await migratedDatabase('security_group_callbacks', {});
  const config = configFrom(allOptions, {
    DEFAULT: { auth_strategy: 'noauth' },
    ml2: { project_network_types: ['local'], extension_drivers: ['port_security'], mechanism_drivers: [] },
  });
  const resources: QuotaResource[] = [];
  const log = silentLogger;
  const callbacks = createCallbacks({ log });
  const quota = createQuota({ resources, config, db: database.db, log });
  const added: Readonly<Record<string, AttributeExtension>> = module.attributes({ config, log, quota, callbacks });
  const host: PluginHost = {
    config,
    db: database.db,
    log,
    metrics: silentMetrics,
    clock: systemClock,
    callbacks,
    outbox: createOutbox(),
    quota,
    attributeExtensions: (collection) => [added[collection]].filter((one) => one !== undefined),
    plugins: { get: () => undefined, all: () => [] },
  };
  groups = module.create(host);
  core = await ml2.create(host);
  resources.push(...(groups.quotas ?? []), ...(core.quotas ?? []));
  subscribe(host);
});
afterAll(() => database.drop());
beforeEach(() => {
  told.length = 0;
  refuse = undefined;
});

const call = async (plugin: Plugin, verb: string, more: object): Promise<Resource> =>
  (await plugin.verbs[verb]!(ALICE, { parents: {}, ...more })) as Resource;

describe('other plugins', () => {
  it('are told of a group’s life, and of the default group that comes with a project’s first one', async () => {
    const group = await call(groups, 'create_security_group', { body: { name: 'g' } });
    const id = String(group['id']);
    await call(groups, 'update_security_group', { id, body: { name: 'h' } });
    await call(groups, 'delete_security_group', { id });
    expect(told).toEqual([
      'security_group before_create g',
      'security_group precommit_create default',
      'security_group precommit_create g',
      'security_group after_create default',
      'security_group after_create g',
      'security_group before_update g',
      'security_group precommit_update h',
      'security_group after_update h',
      'security_group before_delete h',
      'security_group precommit_delete h',
      'security_group after_delete h',
    ]);
  });

  it('are told of the default group that a network or a port brings about, once', async () => {
    await database.sql`delete from security_groups`;
    const network = await call(core, 'create_network', { body: { project_id: 'alice' } });
    expect(told).toEqual(['security_group precommit_create default', 'security_group after_create default']);
    await database.sql`delete from security_groups`;
    told.length = 0;
    const body = { network_id: network['id'], project_id: 'alice' };
    await call(core, 'create_port', { body });
    await call(core, 'create_port', { body });
    expect(told).toEqual(['security_group precommit_create default', 'security_group after_create default']);
  });

  it('are told of a rule’s life, also when it goes with the group that it names', async () => {
    const one = await call(groups, 'create_security_group', { body: { name: 'one' } });
    const two = await call(groups, 'create_security_group', { body: { name: 'two' } });
    told.length = 0;
    const rule = { security_group_id: one['id'], direction: 'ingress', project_id: 'alice' };
    const made = await call(groups, 'create_security_group_rule', { body: rule });
    await call(groups, 'delete_security_group_rule', { id: String(made['id']) });
    await call(groups, 'create_security_group_rule', { body: { ...rule, remote_group_id: two['id'] } });
    await call(groups, 'delete_security_group', { id: String(two['id']) });
    const created = ['before_create', 'precommit_create', 'after_create'];
    expect(told).toEqual([
      ...created.map((event) => `security_group_rule ${event} ingress`),
      ...['before_delete', 'precommit_delete', 'after_delete'].map((event) => `security_group_rule ${event} ingress`),
      ...created.map((event) => `security_group_rule ${event} ingress`),
      'security_group before_delete two',
      'security_group precommit_delete two',
      'security_group_rule precommit_delete',
      'security_group after_delete two',
      'security_group_rule after_delete',
    ]);
  });

  it.each(['before_create', 'precommit_create'])('who refuse in %s keep the group from being made', async (event) => {
    const count = async () => (await database.sql`select 1 from security_groups`).length;
    const before = await count();
    refuse = event;
    await expect(call(groups, 'create_security_group', { body: { name: 'g' } })).rejects.toThrow('refused');
    expect(await count()).toBe(before);
  });
});
