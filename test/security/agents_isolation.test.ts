/**
 * Two hosts with ports of two tenants: whatever one asks about what is the other's is answered word for word as for what nobody
 * has, and changes nothing of it. What is sent to a host has nothing of the other's in it. Every method of every endpoint and
 * every filter of every object, found by program.
 *
 * Not secret among hosts are their names, the ends of their tunnels and the addresses that they route with: each needs all.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '#src/lib/log.ts';
import { type OutboxRow, renderRows } from '#src/outbox/mod.ts';
import { dhcpDeviceId } from '#src/plugins/ml2/dhcp/contract.ts';
import { sourcesOf } from '#src/server/workers/relay.ts';
import { admin, member } from '../support/stack.ts';
import { EXAMPLES, filtersOf } from './agents_methods.ts';
import {
  AgentWorld,
  type Anything,
  type Method,
  methodsOf,
  nobody,
  type Side,
  shortly,
  unnamed,
} from './agents_support.ts';

let world: AgentWorld;
let alice: Side;
let bob: Side;
beforeAll(async () => {
  world = await AgentWorld.start('agents_isolation');
});
beforeEach(async () => {
  await world.clear();
  alice = await world.furnish(1, 'alice');
  bob = await world.furnish(2, 'bob');
  for (const side of [alice, bob]) await ask(side, 'tunnel_sync');
  await ask(alice, 'get_dvr_mac_address_by_host');
});
afterAll(() => world.stop());

const named = (name: string): Method => methodsOf(world.stack).find((method) => method.name === name)!;
const ask = (side: Side, method: string) =>
  world.ask(side.host, named(`q-plugin ${method}`), EXAMPLES[`q-plugin ${method}`]!(side)[0]);

/** What hosts must know of each other. */
const OF_ALL: ReadonlySet<string> = new Set(['q-plugin tunnel_sync', 'q-plugin get_dvr_mac_address_list']);

/** Words that stand nowhere but in what is hers: names, ids, addresses. */
const secrets = ({ host: _, tunnel_ip: __, project, ...side }: Side): readonly string[] => [
  ...Object.values(side),
  `of-${project}`,
  `about-${project}`,
  `10.61.0.`,
];
/** The first of her words that the text holds. */
const told = (text: string, side: Side, known: readonly string[] = []): string | undefined =>
  secrets(side).find((word) => !known.includes(word) && text.replaceAll(side.host, '').includes(word));

/** Every row of any table that has to do with her. */
async function rowsOf(side: Side): Promise<readonly string[]> {
  const dump = await world.stack.dump(['outbox', 'quota_usages']);
  return dump.split('\n').filter((row) => row.includes(side.host) || told(row, side) !== undefined);
}

/** All ids of what has to do with a host. */
const idsOf = async (side: Side): Promise<readonly string[]> => [
  ...new Set((await rowsOf(side)).join('\n').match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)),
];

describe.each(Object.keys(EXAMPLES))('%s', (name) => {
  it("of what is another host's is answered as of what there is not, and changes nothing of it", async () => {
    const method = named(name);
    const before = await rowsOf(alice);
    const whose = (side: Side, device_id: string) => [
      { ...side, host: bob.host },
      { ...side, host: bob.host, device_id },
      { ...side, host: alice.host },
    ];
    const others = await idsOf(bob);
    const none = nobody(bob.host, alice, others);
    const [hers, nobodys] = await Promise.all(
      [alice, none].map(async (side) => whose(side, await dhcpDeviceId(side.network, bob.host))),
    );
    for (const [variant, side] of hers!.entries()) {
      const examples = EXAMPLES[name]!(side);
      const likewise = EXAMPLES[name]!(nobodys![variant]!);
      for (const [place, args] of examples.entries()) {
        const answer = await world.ask(bob.host, method, args);
        if (OF_ALL.has(name)) continue;
        const expected = await world.ask(bob.host, method, likewise[place]);
        expect(unnamed(answer, side), shortly(args)).toEqual(unnamed(expected, nobodys![variant]!));
      }
    }
    expect(await rowsOf(alice)).toEqual(before);
  });

  it('of what is the own tells nothing of the other', async () => {
    for (const args of EXAMPLES[name]!(bob)) {
      const { bytes: _, ...answer } = await world.ask(bob.host, named(name), args);
      expect(told(JSON.stringify(answer), alice), shortly(args)).toBeUndefined();
    }
  });
});

/** Methods that answer nothing of what there is. */
const SILENT =
  /has_alive|report_state|delete_agent|report_agent|update_device_up|tunnel_sync|get_dvr|release_dhcp|dhcp_ready|get_agents|get_subnet_for_dvr|get_service_plugin|_statuses$|ha_router|delete_agent_gateway/;

it('the same questions of their own host are answered with what is secret', async () => {
  for (const name of Object.keys(EXAMPLES).filter((one) => !SILENT.test(one))) {
    const answers = [];
    for (const args of EXAMPLES[name]!(alice)) answers.push(await world.ask(alice.host, named(name), args));
    expect(told(JSON.stringify(answers), alice), name).toBeDefined();
  }
});

describe('objects', () => {
  const types = () => world.stack.plugins.flatMap(({ objects = [] }) => objects);

  it('of all types are asked for', () => {
    const examples = EXAMPLES['q-plugin pull']!(alice);
    expect(examples.map(({ resource_type }) => resource_type).toSorted()).toEqual(
      types()
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  it('are not found by any value of theirs, in pages or whole', async () => {
    const { sql } = world.stack.database.db;
    let asked = 0;
    for (const type of types()) {
      const found = await type.find(sql, alice.host, {}, { limit: 100 });
      const objects = await type.read(
        sql,
        found.map(({ id }) => id),
      );
      const about = { resource_type: type.name, version: type.version };
      for (const field of await filtersOf(world, bob.host, type.name, type.version)) {
        for (const data of objects.values()) {
          const value = data[field];
          if (value === undefined || (typeof value === 'object' && !Array.isArray(value))) continue;
          for (const page of [{}, { limit: 1000 }]) {
            const args = { ...about, filter_kwargs: { [field]: value }, ...page };
            const { result } = await world.ask(bob.host, named('q-plugin bulk_pull'), args);
            expect(told(JSON.stringify(result), alice), shortly(args)).toBeUndefined();
            asked += 1;
          }
        }
      }
      const known = Object.fromEntries(found.map(({ id }) => [id, 0]));
      const synced = await world.ask(bob.host, named('q-plugin nucleon.sync'), { ...about, known });
      const { changed, gone } = synced.result;
      expect(told(JSON.stringify(changed), alice), type.name).toBeUndefined();
      // What one host never had is gone for it.
      expect(gone.toSorted()).toEqual(Object.keys(known).toSorted());
    }
    expect(asked).toBeGreaterThan(100);
  });
});

describe('what is sent to a host', () => {
  interface Sent {
    readonly text: string;
    /** Null: to all. */
    readonly hosts: readonly (string | null)[];
    readonly topic: string;
    readonly method: string;
  }

  /** What waits in the outbox, as the relay sends it now. */
  async function sent(): Promise<readonly Sent[]> {
    const rows = await world.sql<OutboxRow[]>`
      delete from outbox returning id, key, host, topic, payload, recipients, reads, object_id`;
    const sorted = rows.toSorted((a, b) => Number(a.id) - Number(b.id));
    const complaints: unknown[] = [];
    const log = { ...silentLogger, error: (...said: unknown[]) => void complaints.push(said) };
    const rendered = await renderRows(world.sql, sorted, sourcesOf(world.stack.plugins), log);
    expect(complaints).toEqual([]);
    return rendered.flatMap(({ topic, payload, hosts }) =>
      hosts.length === 0 ? [] : [{ topic, hosts, text: payload, method: JSON.parse(payload).method }],
    );
  }

  const change = async (path: string, body: object) => {
    const [collection, id] = path.split('/');
    const { status, text } = await world.stack.call('PUT', `/v2.0/${collection}/${id}`, {
      as: collection === 'ports' || collection === 'networks' ? { project: 'alice', roles: 'admin' } : member('alice'),
      body: { [collection!.slice(0, -1)]: body },
    });
    expect(status, text).toBe(200);
  };
  const remove = async (path: string) => {
    const { status, text } = await world.stack.call('DELETE', `/v2.0/${path}`, {
      as: { project: 'alice', roles: 'admin' },
    });
    expect(status, text).toBe(204);
  };

  const leave = async (router: string, subnet_id: string) => {
    const { status, text } = await world.stack.call('PUT', `/v2.0/routers/${router}/remove_router_interface`, {
      as: admin,
      body: { subnet_id },
    });
    expect(status, text).toBe(200);
  };

  /** What becomes of all that is hers, to its end. */
  async function life(): Promise<readonly Sent[]> {
    const messages: Sent[] = [...(await sent())];
    const then = async (work: () => Promise<unknown>) => {
      await work();
      messages.push(...(await sent()));
    };
    const pair = { ip_address: '10.61.0.99', mac_address: 'fa:16:3e:61:61:09' };
    await then(() => ask(alice, 'get_device_details'));
    await then(() => ask(alice, 'dhcp_ready_on_ports'));
    await then(() => ask(alice, 'update_device_up'));
    await then(() => change(`ports/${alice.port}`, { name: 'other-of-alice', allowed_address_pairs: [pair] }));
    await then(() =>
      change(`ports/${alice.port}`, { fixed_ips: [{ subnet_id: alice.subnet, ip_address: '10.61.0.77' }] }),
    );
    await then(() => change(`ports/${alice.port}`, { admin_state_up: false }));
    await then(() => change(`ports/${alice.port}`, { security_groups: [], admin_state_up: true }));
    await then(() => change(`ports/${alice.port}`, { security_groups: [alice.group] }));
    await then(() => change(`networks/${alice.network}`, { name: 'lan-of-alice', mtu: 1400 }));
    await then(() => change(`subnets/${alice.subnet}`, { dns_nameservers: ['10.61.0.8'], enable_dhcp: false }));
    await then(() => change(`security_groups/${alice.group}`, { name: 'group2-of-alice' }));
    await then(() => remove(`security_group_rules/${alice.rule}`));
    await then(() => change(`ports/${alice.port}`, { 'binding:host_id': '' }));
    await then(() => change(`ports/${alice.port}`, { 'binding:host_id': alice.host }));
    await then(() => ask(alice, 'update_device_down'));
    await then(() => remove(`ports/${alice.port}`));
    await then(() => remove(`ports/${alice.dhcp_port}`));
    await then(() => change(`routers/${alice.router}`, { name: 'router2-of-alice' }));
    await then(() => change(`floatingips/${alice.floatingip}`, { port_id: null }));
    await then(() => change(`floatingips/${alice.floatingip}`, { port_id: alice.led }));
    await then(() => remove(`ports/${alice.led}`));
    await then(() => remove(`floatingips/${alice.floatingip}`));
    await then(() => leave(alice.router, alice.subnet));
    await then(() => change(`routers/${alice.router}`, { external_gateway_info: null }));
    for (const router of [alice.router, alice.ha_router]) await then(() => remove(`routers/${router}`));
    await then(() => remove(`subnets/${alice.subnet}`));
    await then(() => remove(`networks/${alice.network}`));
    await then(() => remove(`security_groups/${alice.group}`));
    return messages;
  }

  it("has nothing of another's", async () => {
    await sent();
    const messages = await life();
    for (const { hosts, text, topic } of messages) {
      // To all: the id of a network that is gone, and what hosts must know of each other.
      if (hosts.includes(null)) expect(told(text, alice, [alice.network]), `${topic}: ${text}`).toBeUndefined();
      if (hosts.includes(null)) expect(text).not.toMatch(/user of alice|"project_id"/);
      if (hosts.includes(bob.host)) expect(told(text, alice), `${topic}: ${text}`).toBeUndefined();
    }
    const toHer = messages.filter(({ hosts }) => hosts.includes(alice.host));
    const topics = new Set(toHer.map(({ topic }) => topic));
    for (const topic of [
      'neutron-vo-Port-1.11',
      'dhcp_agent',
      'l3_agent',
      'q-agent-notifier-port-update',
      'q-agent-notifier-port-delete',
    ]) {
      expect(topics).toContain(topic);
    }
    expect(toHer.filter(({ text }) => told(text, alice) !== undefined).length).toBeGreaterThan(20);
  });

  it('of members of remote groups is their addresses, where its agents do not follow ports', async () => {
    const rule = {
      security_group_id: bob.group,
      direction: 'ingress',
      ethertype: 'IPv4',
      remote_group_id: alice.group,
    };
    await world.stack.create('security_group_rule', rule);
    await sent();
    const messages = (await life()).filter(({ hosts }) => hosts.includes(bob.host));
    const about = messages.filter(({ text }) => told(text, alice) !== undefined);
    let told_of = 0;
    for (const { method, text } of about) {
      expect(method).toBe('security_groups_member_updated');
      const { args } = JSON.parse(text) as Anything;
      const members = Object.values(args.members).flatMap((one: Anything) => [...one.added, ...one.removed]);
      told_of += members.length;
      for (const one of members)
        expect(one).toEqual([expect.stringMatching(/^10\.61\.0\./), expect.stringMatching(/^fa:/)]);
      const rest = JSON.stringify({ ...args, members: Object.keys(args.members) });
      expect(told(rest, alice, [alice.group])).toBeUndefined();
    }
    expect(told_of).toBeGreaterThan(3);
    const info = await ask(bob, 'security_group_info_for_devices');
    expect(told(JSON.stringify(info.result.devices), alice, [alice.group])).toBeUndefined();
  });
});
