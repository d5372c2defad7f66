/**
 * Clients that create, change and delete ports of a host and do not mind what dies: each change sets a mark that no other has,
 * so that afterwards the database can be held against what the host has heard.
 */
import { expect } from 'vitest';
import { until } from '../../support/nucleon.ts';
import type { Cluster } from './cluster.ts';
import type { Hearing } from './hearing.ts';

export interface Traffic {
  /** Requests that were answered well. */
  readonly done: number;
  /** Requests without an answer, or with one of 500 and more. */
  readonly failed: number;
  /** When the deletion of a port was answered, by its id. */
  readonly deleted: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const UPDATE = 'q-agent-notifier-port-update';
const DELETE = 'q-agent-notifier-port-delete';
const PUSH = 'neutron-vo-Port-1.11';

/** A network with a subnet, for ports. */
export async function createNetwork(cluster: Cluster): Promise<string> {
  const { network } = await cluster.must('POST', 'networks', { network: { name: 'lan' } });
  const subnet = { network_id: network.id, ip_version: 4, cidr: '10.0.0.0/16' };
  await cluster.must('POST', 'subnets', { subnet });
  return network.id;
}

/** An L2 agent of the host that has reported itself and lives for an hour. */
export async function createAgent(cluster: Cluster, host: string): Promise<void> {
  const configurations = {
    tunnel_types: ['vxlan'],
    tunneling_ip: '192.0.2.1',
    bridge_mappings: {},
    l2_population: true,
  };
  await cluster.sql`
    insert into agents (id, agent_type, "binary", topic, host, admin_state_up, created_at, started_at, heartbeat_timestamp, configurations)
    values (gen_random_uuid(), 'Open vSwitch agent', 'neutron-openvswitch-agent', 'N/A', ${host}, true, now(), now(),
      now() + interval '1 hour', ${JSON.stringify(configurations)}::text::json)`;
}

/** Begins; every third port is deleted again. */
export function startTraffic(cluster: Cluster, network_id: string, host: string, clients = 6): Traffic {
  let going = true;
  const counts = { done: 0, failed: 0 };
  const deleted = new Map<string, number>();
  let marks = 0;
  const attempt = async (method: string, path: string, body?: unknown) => {
    try {
      const answer = await cluster.ask(method, path, body, 3000);
      if (answer.status < 300) counts.done += 1;
      else if (answer.status >= 500) counts.failed += 1;
      return answer;
    } catch {
      counts.failed += 1;
      // The server may be away: others wait, too.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return undefined;
    }
  };
  const client = async (n: number) => {
    for (let round = 0; going; round += 1) {
      const port = { network_id, 'binding:host_id': host, device_owner: 'compute:new', name: `client ${n}` };
      const created = await attempt('POST', 'ports', { port });
      const id = created?.body?.port?.id;
      if (id === undefined) continue;
      for (let change = 0; change < 3 && going; change += 1) {
        marks += 1;
        await attempt('PUT', `ports/${id}`, { port: { device_owner: `compute:${n}-${marks}` } });
      }
      if (round % 3 === 0 && (await attempt('DELETE', `ports/${id}`))?.status === 204) deleted.set(id, Date.now());
    }
  };
  const running = Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return {
    deleted,
    get done() {
      return counts.done;
    },
    get failed() {
      return counts.failed;
    },
    async stop() {
      going = false;
      await running;
    },
  };
}

/**
 * Resolves when the host has been told of every change that is in the database (`after`: that came to it after a time); fails
 * with what it was not told.
 */
export async function expectTold(
  cluster: Cluster,
  hearing: Hearing,
  after?: { readonly since: number; readonly traffic: Traffic },
): Promise<number> {
  await cluster.quiet();
  const ports = await cluster.sql<{ id: string; device_owner: string; late: boolean }[]>`
    select id, device_owner, extract(epoch from updated_at) * 1000 >= ${after?.since ?? 0} as late from ports
    where device_owner like 'compute:%'`;
  const untold = () => {
    const updates = hearing.last(UPDATE, ({ port }) => port?.id);
    const pushes = hearing.last(PUSH, ({ resource_list: [object] }) => object['versioned_object.data'].id);
    const deletions = hearing.last(DELETE, ({ port_id }) => port_id);
    const there = new Map(ports.map((port) => [port.id, port]));
    const missing: string[] = [];
    for (const { id, device_owner, late } of ports) {
      if (!late) continue;
      if (!pushes.has(id)) missing.push(`${id}: created`);
      if (device_owner !== 'compute:new' && updates.get(id)?.args.port.device_owner !== device_owner)
        missing.push(`${id}: ${device_owner}, heard ${updates.get(id)?.args.port.device_owner}`);
    }
    for (const id of updates.keys()) {
      const late = after === undefined || (after.traffic.deleted.get(id) ?? 0) >= after.since;
      if (late && !there.has(id) && !deletions.has(id)) missing.push(`${id}: deleted`);
    }
    return missing;
  };
  await until('nothing untold', async () => untold().length === 0, 10_000).catch(() => {});
  expect(untold()).toEqual([]);
  return ports.length;
}
