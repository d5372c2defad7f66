/**
 * Two projects that must not learn of each other: whatever one does with an id of the other is answered as for an id that
 * nothing has, word for word, and what lists, filters, sorts and markers give never holds the other's.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, admin, type CallOptions, member, Stack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('isolation');
});
afterAll(() => stack.stop());

const alice = member('alice');
const bob = member('bob');

interface World {
  readonly network: string;
  readonly subnet: string;
  readonly port: string;
  readonly address_group: string;
  readonly rbac_policy: string;
}

async function worldOf(who: typeof alice, cidr: string): Promise<World> {
  const network = (await stack.create('network', { name: `of ${who.project}` }, who)).id;
  const subnet = (
    await stack.create('subnet', { network_id: network, ip_version: 4, cidr, name: `of ${who.project}` }, who)
  ).id;
  const port = (await stack.create('port', { network_id: network, name: `of ${who.project}` }, who)).id;
  const address_group = (await stack.create('address_group', { addresses: ['10.0.0.0/8'] }, who)).id;
  const share = {
    object_type: 'network',
    object_id: network,
    action: 'access_as_shared',
    target_tenant: 'c'.repeat(32),
  };
  const shared = await stack.call('POST', '/v2.0/rbac-policies', { as: who, body: { rbac_policy: share } });
  return { network, subnet, port, address_group, rbac_policy: shared.body.rbac_policy.id };
}

let hers: World;
let his: World;
beforeAll(async () => {
  hers = await worldOf(alice, '10.1.0.0/24');
  his = await worldOf(bob, '10.2.0.0/24');
});

/** What is told, with the id that was asked for taken out. */
function told({ status, text, headers }: Answer, id: string): unknown {
  const shown = [...headers].filter(([name]) => name !== 'x-openstack-request-id');
  return { status, text: text.replaceAll(id, '<id>'), headers: shown };
}

/** A request that names an id. */
type Naming = readonly [
  what: string,
  method: string,
  path: (id: string) => string,
  options?: (id: string) => CallOptions,
];

const item = (collection: string): readonly Naming[] => {
  const name = collection.slice(0, -1);
  const path = (id: string) => `/v2.0/${collection}/${id}`;
  return [
    [`shows ${name}`, 'GET', path],
    [`shows ${name} with fields`, 'GET', (id) => `${path(id)}?fields=id&fields=project_id`],
    [`updates ${name}`, 'PUT', path, () => ({ body: { [name]: { name: 'taken' } } })],
    [`updates nothing of ${name}`, 'PUT', path, () => ({ body: { [name]: {} } })],
    [
      `updates ${name} if its revision is`,
      'PUT',
      path,
      () => ({ body: { [name]: { name: 'taken' } }, headers: { 'If-Match': 'revision_number=1' } }),
    ],
    [
      `updates ${name} if its revision is not`,
      'PUT',
      path,
      () => ({ body: { [name]: { name: 'taken' } }, headers: { 'If-Match': 'revision_number=99' } }),
    ],
    [`deletes ${name}`, 'DELETE', path],
    [`deletes ${name} if its revision is`, 'DELETE', path, () => ({ headers: { 'If-Match': 'revision_number=1' } })],
    [`pages behind ${name}`, 'GET', (id) => `/v2.0/${collection}?limit=1&marker=${id}`],
    [`pages before ${name}`, 'GET', (id) => `/v2.0/${collection}?limit=1&page_reverse=true&marker=${id}`],
    [`filters by the id of ${name}`, 'GET', (id) => `/v2.0/${collection}?id=${id}`],
  ];
};

const NAMING: Readonly<Record<keyof World, readonly Naming[]>> = {
  network: [
    ...item('networks'),
    ['lists ports of the network', 'GET', (id) => `/v2.0/ports?network_id=${id}`],
    ['reads its tags', 'GET', (id) => `/v2.0/networks/${id}/tags`],
    ['tags it', 'PUT', (id) => `/v2.0/networks/${id}/tags/a`],
    ['takes its tags away', 'DELETE', (id) => `/v2.0/networks/${id}/tags`],
    [
      'shares it',
      'POST',
      () => '/v2.0/rbac-policies',
      (id) => ({
        body: {
          rbac_policy: {
            object_type: 'network',
            object_id: id,
            action: 'access_as_shared',
            target_tenant: 'b'.repeat(32),
          },
        },
      }),
    ],
    ['lists its shares', 'GET', (id) => `/v2.0/rbac-policies?object_id=${id}`],
    ['lists subnets of the network', 'GET', (id) => `/v2.0/subnets?network_id=${id}`],
    ['makes a port on it', 'POST', () => '/v2.0/ports', (id) => ({ body: { port: { network_id: id } } })],
    [
      'makes a port with an address on it',
      'POST',
      () => '/v2.0/ports',
      (id) => ({ body: { port: { network_id: id, fixed_ips: [{ ip_address: '10.1.0.9' }] } } }),
    ],
    [
      'makes a port with a MAC address on it',
      'POST',
      () => '/v2.0/ports',
      (id) => ({ body: { port: { network_id: id, mac_address: 'fa:16:3e:00:00:01' } } }),
    ],
    [
      'makes ports on it and elsewhere',
      'POST',
      () => '/v2.0/ports',
      (id) => ({ body: { ports: [{ network_id: his.network }, { network_id: id }] } }),
    ],
    [
      'makes a subnet on it',
      'POST',
      () => '/v2.0/subnets',
      (id) => ({ body: { subnet: { network_id: id, ip_version: 4, cidr: '10.9.0.0/24' } } }),
    ],
    [
      'makes an overlapping subnet on it',
      'POST',
      () => '/v2.0/subnets',
      (id) => ({ body: { subnet: { network_id: id, ip_version: 4, cidr: '10.1.0.0/24' } } }),
    ],
    [
      'makes subnets on it and elsewhere',
      'POST',
      () => '/v2.0/subnets',
      (id) => ({
        body: {
          subnets: [his.network, id].map((network_id) => ({ network_id, ip_version: 4, cidr: '10.9.0.0/24' })),
        },
      }),
    ],
  ],
  subnet: [
    ...item('subnets'),
    ['lists ports of the subnet', 'GET', (id) => `/v2.0/ports?fixed_ips=subnet_id%3D${id}`],
    [
      'makes a port in it',
      'POST',
      () => '/v2.0/ports',
      (id) => ({ body: { port: { network_id: his.network, fixed_ips: [{ subnet_id: id }] } } }),
    ],
    [
      'gives its port an address in it',
      'PUT',
      () => `/v2.0/ports/${his.port}`,
      (id) => ({ body: { port: { fixed_ips: [{ subnet_id: id }] } } }),
    ],
  ],
  port: item('ports'),
  address_group: [
    ...item('address_groups'),
    ...(['add', 'remove'] as const).map(
      (action): Naming => [
        `${action}s addresses`,
        'PUT',
        (id) => `/v2.0/address-groups/${id}/${action}_addresses`,
        () => ({ body: { addresses: ['10.0.0.0/8'] } }),
      ],
    ),
  ],
  rbac_policy: [
    ['shows the share', 'GET', (id) => `/v2.0/rbac-policies/${id}`],
    [
      'gives the share to another',
      'PUT',
      (id) => `/v2.0/rbac-policies/${id}`,
      () => ({ body: { rbac_policy: { target_tenant: 'b'.repeat(32) } } }),
    ],
    ['ends the share', 'DELETE', (id) => `/v2.0/rbac-policies/${id}`],
    ['pages behind the share', 'GET', (id) => `/v2.0/rbac-policies?limit=1&marker=${id}`],
    ['filters by the id of the share', 'GET', (id) => `/v2.0/rbac-policies?id=${id}`],
  ],
};

describe.each(Object.entries(NAMING))('who names a foreign %s', (kind, requests) => {
  for (const [what, method, path, options = () => ({})] of requests) {
    it(`${what}: the answer is that for an id that nothing has`, async () => {
      const foreign = hers[kind as keyof World];
      const absent = crypto.randomUUID();
      const before = await stack.dump();
      const answers = [];
      for (const id of [foreign, absent]) {
        answers.push(told(await stack.call(method, path(id), { as: bob, ...options(id) }), id));
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(await stack.dump()).toBe(before);
    });
  }
});

describe('lists', () => {
  const collections = ['networks', 'subnets', 'ports'] as const;

  it.each(collections)("%s never hold what is another project's, whatever is asked", async (collection) => {
    const attributes = stack.resources().find((resource) => resource.collection === collection)!.attributes;
    const queries = [
      '',
      '?project_id=alice',
      '?tenant_id=alice',
      '?project_id=alice&project_id=bob',
      '?tenant_id=bob&project_id=alice',
      '?name=of%20alice',
      '?shared=false',
      '?limit=1000',
      '?changed_since=2000-01-01T00:00:00Z',
      ...Object.keys(attributes).map((name) => `?fields=${encodeURIComponent(name)}`),
      ...Object.keys(attributes).map((name) => `?sort_key=${encodeURIComponent(name)}&sort_dir=desc`),
    ];
    for (const query of queries) {
      const answer = await stack.call('GET', `/v2.0/${collection}${query}`, { as: bob });
      expect(answer.status, query).toBeLessThan(500);
      for (const secret of ['alice', ...Object.values(hers)]) {
        // An error may name what was asked for, never more.
        if (answer.status === 200) expect(answer.text, query).not.toContain(secret);
      }
      if (answer.status === 200) expect(answer.body[collection].length, query).toBeLessThanOrEqual(1);
    }
  });

  it('do not tell by a page link or an empty page that there is more', async () => {
    const page = await stack.call('GET', '/v2.0/networks?limit=1', { as: bob });
    expect(page.body.networks.map(({ id }: { id: string }) => id)).toEqual([his.network]);
    const next = await stack.call('GET', `/v2.0/networks?limit=1&marker=${his.network}`, { as: bob });
    expect(next.body.networks).toEqual([]);
  });

  it("agents are the administrator's", async () => {
    await stack.database.sql`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, configurations, created_at, started_at, heartbeat_timestamp)
      values (gen_random_uuid(), 'DHCP agent', 'b', 't', 'host of the cloud', true, '{}', now(), now(), now())`;
    const listed = await stack.call('GET', '/v2.0/agents', { as: bob });
    expect(listed.text).not.toContain('host of the cloud');
    const [{ id }] = (await stack.call('GET', '/v2.0/agents')).body.agents;
    const shown = await stack.call('GET', `/v2.0/agents/${id}`, { as: bob });
    const absent = crypto.randomUUID();
    const none = await stack.call('GET', `/v2.0/agents/${absent}`, { as: bob });
    expect(told(shown, id)).toEqual(told(none, absent));
  });
});

describe('quotas', () => {
  beforeAll(async () => {
    for (const project of ['alice', 'bob']) {
      const answer = await stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota: { network: 77 } } });
      expect(answer.status).toBe(200);
    }
  });

  it('a manager lists those of the own project only', async () => {
    const { status, body } = await stack.call('GET', '/v2.0/quotas', { as: { project: 'bob', roles: 'manager' } });
    expect(status).toBe(200);
    expect(body.quotas.map((quota: { project_id: string }) => quota.project_id)).toEqual(['bob']);
  });

  it.each(['', '/default', '/details'])('%s of another project are refused, known or not', async (action) => {
    for (const roles of ['reader', 'member', 'manager']) {
      const as = { project: 'bob', roles };
      const known = await stack.call('GET', `/v2.0/quotas/alice${action}`, { as });
      const unknown = await stack.call('GET', `/v2.0/quotas/nobody${action}`, { as });
      expect(known.status).toBe(403);
      expect(told(known, 'alice')).toEqual(told(unknown, 'nobody'));
    }
  });
});

describe('a network that is shared', () => {
  it('shows its subnets and takes ports, but does not show the ports of others', async () => {
    const shared = await stack.create('network', { shared: true });
    const subnet = await stack.create('subnet', { network_id: shared.id, ip_version: 4, cidr: '10.3.0.0/24' });
    const hers = await stack.create('port', { network_id: shared.id, name: 'hers' }, alice);
    const his = await stack.create('port', { network_id: shared.id, name: 'his' }, bob);
    const subnets = await stack.call('GET', `/v2.0/subnets?network_id=${shared.id}`, { as: bob });
    expect(subnets.body.subnets.map(({ id }: { id: string }) => id)).toEqual([subnet.id]);
    const ports = await stack.call('GET', `/v2.0/ports?network_id=${shared.id}`, { as: bob });
    expect(ports.body.ports.map(({ id }: { id: string }) => id)).toEqual([his.id]);
    expect((await stack.call('GET', `/v2.0/ports/${hers.id}`, { as: bob })).status).toBe(404);
    // Known to be there, so the refusal may say so.
    const update = { network: { name: 'mine' } };
    expect((await stack.call('PUT', `/v2.0/networks/${shared.id}`, { as: bob, body: update })).status).toBe(403);
  });

  it('is closed to a project from the moment it is no longer shared', async () => {
    const network = await stack.create('network', { shared: true });
    const body = { network: { shared: false } };
    expect((await stack.call('PUT', `/v2.0/networks/${network.id}`, { as: admin, body })).status).toBe(200);
    const answer = await stack.call('POST', '/v2.0/ports', { as: bob, body: { port: { network_id: network.id } } });
    expect(answer.status).toBe(404);
  });

  it('is not closed under a port that is being made on it', async () => {
    const network = await stack.create('network', { shared: true });
    const port = { port: { network_id: network.id } };
    for (let round = 0; round < 20; round++) {
      const [made, closed] = await Promise.all([
        stack.call('POST', '/v2.0/ports', { as: bob, body: port }),
        stack.call('PUT', `/v2.0/networks/${network.id}`, { body: { network: { shared: false } } }),
      ]);
      expect([made.status, closed.status].toSorted()).toEqual(made.status === 201 ? [201, 409] : [200, 404]);
      if (made.status === 201) await stack.call('DELETE', `/v2.0/ports/${made.body.port.id}`);
      await stack.call('PUT', `/v2.0/networks/${network.id}`, { body: { network: { shared: true } } });
    }
  });
});
