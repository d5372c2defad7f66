/** Topologies that projects are given: whole, once, and taken back whole. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Cloud, OPTIONS } from '../router/support.ts';
import { type Answer, admin, member, Stack, type Who } from '../support/stack.ts';

const dana = member('dana');
const OF_DANA = 'auto-allocated-topology/dana';

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('auto_allocate', OPTIONS, 8);
  cloud = new Cloud(stack);
});
afterAll(() => stack.stop());

/** What the project has, by kind. */
async function held(project: string): Promise<Readonly<Record<string, number>>> {
  const kinds = ['networks', 'subnets', 'ports', 'routers'];
  const lists = await Promise.all(
    kinds.map(async (kind) => (await stack.call('GET', `/v2.0/${kind}?project_id=${project}`)).body[kind].length),
  );
  return Object.fromEntries(kinds.map((kind, at) => [kind, lists[at]]));
}

const NOTHING = { networks: 0, subnets: 0, ports: 0, routers: 0 };

async function furnish({ shared = true }: { shared?: boolean } = {}) {
  await stack.clear();
  const outside = await cloud.external('203.0.113.0/24', { is_default: true });
  const pool = (prefix: string, attributes: object) =>
    stack.create('subnetpool', { name: prefix, prefixes: [prefix], is_default: true, shared, ...attributes });
  const pools = [
    await pool('10.96.0.0/16', { default_prefixlen: 26 }),
    await pool('fd00:96::/56', { default_prefixlen: 64 }),
  ];
  return { outside, pools };
}

const get = (path = OF_DANA, as: Who = dana): Promise<Answer> => cloud.ask('GET', path, undefined, as);

describe('GET auto-allocated-topology', () => {
  it('gives the project a network with subnets of both default pools, and a router to the outside', async () => {
    const { outside, pools } = await furnish();
    const answer = await get();
    expect(answer.status).toBe(200);
    const { id } = answer.body.auto_allocated_topology;
    expect(answer.body).toEqual({ auto_allocated_topology: { id, tenant_id: 'dana', project_id: 'dana' } });
    const network = await cloud.show('network', id);
    expect(network).toMatchObject({ name: 'auto_allocated_network', admin_state_up: true, project_id: 'dana' });
    const { subnets } = (await stack.call('GET', `/v2.0/subnets?network_id=${id}&sort_key=name&sort_dir=asc`)).body;
    expect(subnets).toMatchObject([
      { name: 'auto_allocated_subnet_v4', subnetpool_id: pools[0].id, enable_dhcp: true },
      { name: 'auto_allocated_subnet_v6', subnetpool_id: pools[1].id },
    ]);
    const [router] = (await stack.call('GET', '/v2.0/routers?project_id=dana')).body.routers;
    expect(router).toMatchObject({
      name: 'auto_allocated_router',
      external_gateway_info: { network_id: outside.net.id },
    });
    const ports = await cloud.portsOf(router.id);
    const inside = ports.filter((port) => port.device_owner === 'network:router_interface');
    expect(inside.map((port) => port.fixed_ips[0].subnet_id).toSorted()).toEqual(
      subnets.map((subnet: { id: string }) => subnet.id).toSorted(),
    );
    expect(await cloud.used('dana')).toMatchObject({ network: 1, subnet: 2, router: 1, port: 2 });
    expect((await get()).body.auto_allocated_topology.id).toBe(id);
    expect(await held('dana')).toEqual({ networks: 1, subnets: 2, ports: 2, routers: 1 });
  });

  it('is of the pools that there are', async () => {
    const { pools } = await furnish();
    await stack.call('DELETE', `/v2.0/subnetpools/${pools[1].id}`);
    expect((await get()).status).toBe(200);
    expect(await held('dana')).toEqual({ networks: 1, subnets: 1, ports: 1, routers: 1 });
  });

  it('gives many who ask at once the same, and leaves nothing of what the others have made', async () => {
    await furnish();
    const answers = await Promise.all(Array.from({ length: 12 }, () => get()));
    const ids = new Set(answers.map(({ status, body }) => `${status} ${body.auto_allocated_topology?.id}`));
    expect([...ids]).toEqual([expect.stringMatching(/^200 [0-9a-f-]{36}$/)]);
    expect(await held('dana')).toEqual({ networks: 1, subnets: 2, ports: 2, routers: 1 });
    expect(await cloud.used('dana')).toMatchObject({ network: 1, subnet: 2, router: 1, port: 2 });
    expect(stack.errors.splice(0)).toEqual([]);
  });

  it('is of the caller where no project is named', async () => {
    await furnish();
    const { id } = (await get('auto-allocated-topology/None')).body.auto_allocated_topology;
    expect((await get('auto-allocated-topology/null')).body.auto_allocated_topology).toMatchObject({
      id,
      project_id: 'dana',
    });
  });

  it('is given by an administrator to anybody, and by others to nobody else', async () => {
    await furnish();
    expect((await get('auto-allocated-topology/erin')).body.NeutronError.type).toBe('NotAuthorized');
    expect(await held('erin')).toEqual(NOTHING);
    expect((await get('auto-allocated-topology/erin', admin)).status).toBe(200);
    expect(await held('erin')).toMatchObject({ networks: 1, routers: 1 });
  });

  it('refuses other fields', async () => {
    expect(await cloud.refusal('GET', `${OF_DANA}?fields=id`, undefined, dana)).toBe('400 BadRequest');
  });
});

describe('what it stands on', () => {
  beforeEach(() => stack.clear());

  it('is checked, and nothing made, by fields=dry-run', async () => {
    const check = () => cloud.ask('GET', `${OF_DANA}?fields=dry-run`, undefined, dana);
    const refusal = async () => {
      const { type, message } = (await check()).body.NeutronError;
      return `${type}: ${message}`;
    };
    expect(await refusal()).toBe('AutoAllocationFailure: Deployment error: No default router:external network.');
    await cloud.external('203.0.113.0/24', { is_default: true });
    expect(await refusal()).toBe('AutoAllocationFailure: Deployment error: No default subnetpools defined.');
    const pool = { name: 'p', prefixes: ['10.0.0.0/16'], default_prefixlen: 24, is_default: true };
    const { id } = await stack.create('subnetpool', pool);
    // It is the administrator's alone.
    expect(await refusal()).toBe('AutoAllocationFailure: Deployment error: No default subnetpools defined.');
    await stack.call('DELETE', `/v2.0/subnetpools/${id}`);
    await stack.create('subnetpool', { ...pool, shared: true });
    expect((await check()).body).toEqual({
      auto_allocated_topology: { id: 'dry-run=pass', tenant_id: 'dana', project_id: 'dana' },
    });
    expect(await held('dana')).toEqual(NOTHING);
  });

  it('is named where it is missing, and nothing is left', async () => {
    await cloud.external('203.0.113.0/24', { is_default: true });
    const pool = { name: 'p', prefixes: ['10.0.0.0/24'], default_prefixlen: 24, is_default: true, shared: true };
    const { id } = await stack.create('subnetpool', pool);
    const network = await stack.create('network', {});
    await stack.create('subnet', { network_id: network.id, ip_version: 4, subnetpool_id: id });
    const { status, body } = await get();
    expect([status, body.NeutronError.type]).toEqual([409, 'AutoAllocationFailure']);
    expect(body.NeutronError.message).toBe('Deployment error: Unable to provide project private network.');
    expect(await held('dana')).toEqual(NOTHING);
    expect(await cloud.used('dana')).toMatchObject({ network: 0, router: 0 });
  });

  it('overlaps with the outside: there is no way there', async () => {
    await cloud.external('10.0.0.0/24', { is_default: true });
    const pool = { name: 'p', prefixes: ['10.0.0.0/24'], default_prefixlen: 24, is_default: true, shared: true };
    await stack.create('subnetpool', pool);
    const { body } = await get();
    expect(body.NeutronError.message).toBe('Deployment error: Unable to provide external connectivity.');
    expect(await held('dana')).toEqual(NOTHING);
  });
});

describe('DELETE auto-allocated-topology', () => {
  const remove = (path = OF_DANA, as: Who = dana) => cloud.ask('DELETE', path, undefined, as);

  it('takes all of it back, and again has nothing to do', async () => {
    await furnish();
    await get();
    expect((await remove()).status).toBe(204);
    expect(await held('dana')).toEqual(NOTHING);
    expect(await cloud.used('dana')).toMatchObject({ network: 0, subnet: 0, router: 0, port: 0 });
    expect((await remove()).status).toBe(204);
    expect((await get()).status).toBe(200);
  });

  it('takes back what is still there', async () => {
    await furnish();
    await get();
    const [router] = (await stack.call('GET', '/v2.0/routers?project_id=dana')).body.routers;
    for (const port of await cloud.portsOf(router.id)) {
      if (port.device_owner !== 'network:router_interface') continue;
      await cloud.done('PUT', `routers/${router.id}/remove_router_interface`, { port_id: port.id }, dana);
    }
    await cloud.done('DELETE', `routers/${router.id}`, undefined, dana);
    expect((await remove()).status).toBe(204);
    expect(await held('dana')).toEqual(NOTHING);
  });

  it('is refused, and changes nothing, while something is on the network', async () => {
    await furnish();
    const { id } = (await get()).body.auto_allocated_topology;
    const port = await stack.create('port', { network_id: id }, dana);
    expect(await cloud.refusal('DELETE', OF_DANA, undefined, dana)).toBe('409 NetworkInUse');
    expect(await held('dana')).toEqual({ networks: 1, subnets: 2, ports: 3, routers: 1 });
    await stack.call('DELETE', `/v2.0/ports/${port.id}`);
    const answers = await Promise.all([remove(), remove(), remove()]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await held('dana')).toEqual(NOTHING);
  });

  it('is for the project and administrators', async () => {
    await furnish();
    await get();
    expect(await cloud.refusal('DELETE', OF_DANA, undefined, member('erin'))).toBe('403 NotAuthorized');
    expect(await cloud.refusal('DELETE', OF_DANA, undefined, { project: 'dana', roles: 'reader' })).toBe(
      '403 PolicyNotAuthorized',
    );
    expect((await remove(OF_DANA, admin)).status).toBe(204);
  });
});
