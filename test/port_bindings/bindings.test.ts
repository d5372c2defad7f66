/** `/v2.0/ports/{id}/bindings`: a port prepared on further hosts, moved, and let go, with what agents are told and report. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Anything, Cloud } from '../l2_rpc/support.ts';
import { type Answer, admin, member, type Who } from '../support/stack.ts';

const NOVA: Who = { project: 'service', roles: 'service' };
/** May also change bindings, for which there is no rule but the default one. */
const ADMIN_NOVA: Who = { project: 'service', roles: 'admin,service' };
const VIF_DETAILS = { connectivity: 'l2', port_filter: true, datapath_type: 'system', bridge_name: 'br-int' };

let cloud: Cloud;
let network: Anything;
let id: string;

beforeAll(async () => {
  cloud = await Cloud.start('port_bindings');
  for (const host of ['host1', 'host2', 'host3']) await cloud.agent(host);
  network = await cloud.lan('10.0.0.0/16', { project_id: 'alice' });
});
afterAll(() => cloud.stop());
beforeEach(async () => {
  ({ id } = await newPort());
});

const newPort = (attributes: Readonly<Record<string, unknown>> = {}): Promise<Anything> =>
  cloud.port(network.id, 'host1', { project_id: 'alice', device_id: crypto.randomUUID(), ...attributes });
const call = (method: string, path = '', body?: unknown, as = NOVA, port = id): Promise<Answer> =>
  cloud.stack.call(method, `/v2.0/ports/${port}/bindings${path}`, { as, body });
const create = (host: string, attributes: Readonly<Record<string, unknown>> = {}) =>
  call('POST', '', { binding: { host, ...attributes } });
const change = (host: string, binding: Readonly<Record<string, unknown>>) =>
  call('PUT', `/${host}`, { binding }, ADMIN_NOVA);
const activate = (host: string, as = NOVA) => call('PUT', `/${host}/activate`, undefined, as);
const port = () => cloud.show('port', id);
const refusal = ({ status, body }: Answer) => [status, body?.NeutronError?.type];
/** `{host1: 'ACTIVE ovs', host2: ...}` */
const bindings = async (of = id): Promise<Record<string, string>> => {
  const { body } = await call('GET', '', undefined, NOVA, of);
  return Object.fromEntries(body.bindings.map((one: Anything) => [one.host, `${one.status} ${one.vif_type}`]));
};
const levels = async (): Promise<readonly string[]> => {
  const rows = await cloud.sql<
    { host: string }[]
  >`select host from port_binding_levels where port_id = ${id} order by 1`;
  return rows.map(({ host }) => host);
};

describe('a binding on a further host', () => {
  it('is bound there, not active, and the port stays where it is', async () => {
    const before = await port();
    const { status, body } = await create('host2', { profile: { pci: 'a' } });
    expect([status, body]).toEqual([
      201,
      {
        binding: {
          host: 'host2',
          vif_type: 'ovs',
          vif_details: expect.objectContaining(VIF_DETAILS),
          vnic_type: 'normal',
          profile: { pci: 'a' },
          status: 'INACTIVE',
        },
      },
    ]);
    expect(body.binding.vif_details).not.toHaveProperty('bound_drivers');
    expect((await call('GET', '/host2')).body).toEqual(body);
    expect(await bindings()).toEqual({ host1: 'ACTIVE ovs', host2: 'INACTIVE ovs' });
    expect(await levels()).toEqual(['host1', 'host2']);
    const after = await port();
    expect(after).toEqual({ ...before, revision_number: before.revision_number + 1, updated_at: after.updated_at });
  });

  it('is told as a change of the object alone: nothing is to be wired yet', async () => {
    const told = await cloud.told('', () => create('host2'));
    expect(told.map(({ topic, to }) => [topic, to])).toEqual([['neutron-vo-Port-1.11', ['host1', 'host2']]]);
  });

  it('is made once', async () => {
    await create('host2');
    expect(refusal(await create('host2'))).toEqual([409, 'PortBindingAlreadyExists']);
    expect(refusal(await create('host1'))).toEqual([409, 'PortBindingAlreadyExists']);
  });

  it('is made once by two at the same time', async () => {
    const answers = await Promise.all([create('host2'), create('host2'), create('host2')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  it('that no driver can bind is an error, and is not there', async () => {
    const { revision_number } = await port();
    expect(refusal(await create('no-agent-there'))).toEqual([500, 'PortBindingError']);
    expect([await bindings(), (await port()).revision_number]).toEqual([{ host1: 'ACTIVE ovs' }, revision_number]);
  });

  it.each([
    ['no host', {}],
    ['an empty host', { host: '' }],
    ['a host that is a number', { host: 5 }],
    ['a host without end', { host: 'h'.repeat(256) }],
    ['a kind of NIC that there is not', { host: 'host2', vnic_type: 'wooden' }],
    ['a profile that is no object', { host: 'host2', profile: 'x' }],
    ['a profile without end', { host: 'host2', profile: { x: 'x'.repeat(5000) } }],
    ['a status', { host: 'host2', status: 'ACTIVE' }],
  ])('with %s is refused', async (_, binding) => {
    expect((await call('POST', '', { binding })).status).toBe(400);
  });

  it('is for compute ports and shared file systems only', async () => {
    const other = await cloud.port(network.id, 'host1', { device_owner: 'network:dhcp' });
    for (const [method, path, body] of [
      ['POST', '', { binding: { host: 'host2' } }],
      ['GET', '', undefined],
      ['GET', '/host1', undefined],
      ['PUT', '/host1/activate', undefined],
    ] as const) {
      expect(refusal(await call(method, path, body, NOVA, other.id))).toEqual([400, 'BadRequest']);
    }
    const share = await cloud.port(network.id, 'host1', { device_owner: 'manila:share' });
    expect((await call('POST', '', { binding: { host: 'host2' } }, NOVA, share.id)).status).toBe(201);
  });

  it('of a port that is nowhere yet is not active either', async () => {
    const nowhere = await newPort({ 'binding:host_id': '' });
    expect((await call('POST', '', { binding: { host: 'host2' } }, NOVA, nowhere.id)).body.binding.status).toBe(
      'INACTIVE',
    );
    expect(await bindings(nowhere.id)).toEqual({ '': 'ACTIVE unbound', host2: 'INACTIVE ovs' });
    expect((await call('PUT', '/host2/activate', undefined, NOVA, nowhere.id)).status).toBe(200);
    expect(await bindings(nowhere.id)).toEqual({ host2: 'ACTIVE ovs' });
  });

  it('of a port that does not exist is not found', async () => {
    for (const unknown of [crypto.randomUUID(), 'x']) {
      const answer = await call('POST', '', { binding: { host: 'host2' } }, NOVA, unknown);
      expect(refusal(answer)).toEqual([404, 'PortNotFound']);
    }
  });
});

describe('lists of bindings', () => {
  it('are filtered, sorted and paged', async () => {
    await create('host3');
    await create('host2', { vnic_type: 'normal' });
    const hosts = async (query: string) =>
      (await call('GET', `?${query}`)).body.bindings.map(({ host }: Anything) => host);
    expect(await hosts('status=INACTIVE')).toEqual(['host2', 'host3']);
    expect(await hosts('host=host1&host=host3')).toEqual(['host1', 'host3']);
    expect(await hosts('vif_type=unbound')).toEqual([]);
    expect(await hosts('limit=2')).toEqual(['host1', 'host2']);
    expect(await hosts('limit=2&marker=host2')).toEqual(['host3']);
    expect(await hosts('limit=1&marker=host3&page_reverse=true')).toEqual(['host2']);
    expect((await call('GET', '?fields=host')).body.bindings[0]).toEqual({ host: 'host1' });
    expect(refusal(await call('GET', '?limit=1&marker=nowhere'))).toEqual([404, 'PortBindingNotFound']);
  });
});

describe('activation', () => {
  it('moves the port, which is DOWN until the host has wired it', async () => {
    await cloud.call('host1', 'update_device_up', { agent_id: 'a', device: id, host: 'host1' });
    expect((await port()).status).toBe('ACTIVE');
    await create('host2', { profile: { moved: true } });
    const before = await port();
    const { status, body } = await activate('host2');
    expect([status, body]).toEqual([
      200,
      {
        host: 'host2',
        vif_type: 'ovs',
        vif_details: expect.objectContaining(VIF_DETAILS),
        vnic_type: 'normal',
        profile: { moved: true },
        status: 'ACTIVE',
      },
    ]);
    expect(await bindings()).toEqual({ host1: 'INACTIVE unbound', host2: 'ACTIVE ovs' });
    expect(await levels()).toEqual(['host2']);
    expect(await port()).toMatchObject({
      'binding:host_id': 'host2',
      'binding:profile': { moved: true },
      status: 'DOWN',
      revision_number: before.revision_number + 1,
    });
    await cloud.call('host1', 'update_device_down', { agent_id: 'a', device: id, host: 'host1' });
    await cloud.call('host1', 'update_device_up', { agent_id: 'a', device: id, host: 'host1' });
    expect((await port()).status).toBe('DOWN');
    await cloud.call('host2', 'update_device_up', { agent_id: 'b', device: id, host: 'host2' });
    expect((await port()).status).toBe('ACTIVE');
  });

  it('tells both hosts, and no other, what to do', async () => {
    await create('host2');
    const told = await cloud.told('q-agent-notifier-binding', () => activate('host2'));
    expect(told).toEqual([
      {
        topic: 'q-agent-notifier-binding-deactivate',
        method: 'binding_deactivate',
        version: '1.5',
        to: ['host1'],
        args: { port_id: id, host: 'host1', network_id: network.id },
      },
      {
        topic: 'q-agent-notifier-binding-activate',
        method: 'binding_activate',
        version: '1.5',
        to: ['host2'],
        args: { port_id: id, host: 'host2' },
      },
    ]);
  });

  it('pushes the port to whom it concerns', async () => {
    await create('host2');
    const told = await cloud.told('neutron-vo-Port', () => activate('host2'));
    expect(told.flatMap(({ to }) => to).toSorted()).toEqual(['host1', 'host2']);
  });

  it('of the active one, and of one that is not there, is refused', async () => {
    expect(refusal(await activate('host1'))).toEqual([409, 'PortBindingAlreadyActive']);
    expect(refusal(await activate('host2'))).toEqual([404, 'PortBindingNotFound']);
  });

  it('goes back again', async () => {
    await create('host2');
    await activate('host2');
    // The binding that was left is not bound any more: it is made again first.
    await call('DELETE', '/host1');
    await create('host1');
    expect((await activate('host1')).status).toBe(200);
    expect(await bindings()).toEqual({ host1: 'ACTIVE ovs', host2: 'INACTIVE unbound' });
  });

  it('of a whole card takes the MAC address that its profile names', async () => {
    const card = (mac: string) => ({ device_mac_address: mac });
    await cloud.sql`update port_bindings set vnic_type = 'direct-physical' where port_id = ${id}`;
    await create('host2');
    const [mac, taken] = ['fa:16:3e:aa:bb:cc', (await newPort()).mac_address];
    const profile = (value: object) =>
      cloud.sql`update port_bindings set vnic_type = 'direct-physical', profile = ${cloud.sql.json(value as never)} where port_id = ${id} and host = 'host2'`;
    await profile(card(taken));
    expect(refusal(await activate('host2'))).toEqual([409, 'MacAddressInUse']);
    await profile(card(mac));
    expect((await activate('host2')).status).toBe(200);
    expect((await port()).mac_address).toBe(mac);
  });

  it('happens once when it is asked for several times at once', async () => {
    await create('host2');
    const answers = await Promise.all(Array.from({ length: 4 }, () => activate('host2')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await bindings()).toEqual({ host1: 'INACTIVE unbound', host2: 'ACTIVE ovs' });
  });

  it('of two hosts at once leaves exactly one active', async () => {
    for (let round = 0; round < 5; round++) {
      ({ id } = await newPort());
      await create('host2');
      await create('host3');
      const answers = await Promise.all([activate('host2'), activate('host3')]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const active = Object.entries(await bindings()).filter(([, state]) => state.startsWith('ACTIVE'));
      expect(active).toEqual([[(await port())['binding:host_id'], 'ACTIVE ovs']]);
      expect(await levels()).toHaveLength(1);
    }
  });

  it('against a deletion, an update of the host, and the deletion of the port leaves what is whole', async () => {
    const rivals = [
      () => call('DELETE', '/host2'),
      () => call('DELETE', '/host1'),
      () => change('host1', { profile: { late: true } }),
      () => change('host2', { host: 'host3' }),
      () => cloud.stack.call('PUT', `/v2.0/ports/${id}`, { body: { port: { 'binding:host_id': 'host3' } } }),
      () => cloud.stack.call('PUT', `/v2.0/ports/${id}`, { body: { port: { 'binding:host_id': 'host2' } } }),
      () => cloud.stack.call('DELETE', `/v2.0/ports/${id}`),
    ];
    for (let round = 0; round < 28; round++) {
      ({ id } = await newPort());
      await create('host2');
      const rival = rivals[round % rivals.length]!;
      const answers = await Promise.all(round % 2 === 0 ? [activate('host2'), rival()] : [rival(), activate('host2')]);
      for (const { status, text } of answers) expect([200, 204, 404, 409], text).toContain(status);
      const rows = await cloud.sql<{ host: string; levels: number; bound: boolean }[]>`
        select b.host, b.vif_type = 'ovs' as bound, (
          select count(*)::int from port_binding_levels l where l.port_id = b.port_id and l.host = b.host) as levels
        from port_bindings b where b.port_id = ${id} and b.status = 'ACTIVE'`;
      const [exists] = await cloud.sql`select 1 from ports where id = ${id}`;
      expect(rows).toHaveLength(exists === undefined ? 0 : 1);
      for (const row of rows) expect(row.levels, JSON.stringify(row)).toBe(row.bound ? 1 : 0);
    }
  });
});

describe('a change of a binding', () => {
  it('that is not active binds it anew, and the port stays', async () => {
    await create('host2');
    const { status, body } = await change('host2', { host: 'host3', profile: { a: 1 } });
    expect([status, body.binding.host, body.binding.profile]).toEqual([200, 'host3', { a: 1 }]);
    expect(await bindings()).toEqual({ host1: 'ACTIVE ovs', host3: 'INACTIVE ovs' });
    expect(await levels()).toEqual(['host1', 'host3']);
  });

  it('of nothing changes nothing', async () => {
    await create('host2', { profile: { a: 1 } });
    const { revision_number } = await port();
    const { body } = await change('host2', { profile: { a: 1 } });
    expect(body.binding.profile).toEqual({ a: 1 });
    expect((await port()).revision_number).toBe(revision_number);
  });

  it('to a host that has another is refused', async () => {
    await create('host2');
    await create('host3');
    expect(refusal(await change('host2', { host: 'host3' }))).toEqual([409, 'PortBindingAlreadyExists']);
  });

  it('to a host that cannot have it is refused, and it stays', async () => {
    await create('host2');
    expect(refusal(await change('host2', { host: 'no-agent-there' }))).toEqual([500, 'PortBindingError']);
    expect(await bindings()).toEqual({ host1: 'ACTIVE ovs', host2: 'INACTIVE ovs' });
  });

  it('that is active is one of the port', async () => {
    await cloud.call('host1', 'update_device_up', { agent_id: 'a', device: id, host: 'host1' });
    const { status, body } = await change('host1', { host: 'host2', profile: { b: 2 } });
    expect([status, body.binding.host, body.binding.status]).toEqual([200, 'host2', 'ACTIVE']);
    expect(await port()).toMatchObject({ 'binding:host_id': 'host2', 'binding:profile': { b: 2 }, status: 'DOWN' });
  });

  it('of the port to a host that it was prepared on takes the place of what was prepared', async () => {
    await create('host2');
    expect((await cloud.update('port', id, { 'binding:host_id': 'host2' }))['binding:vif_type']).toBe('ovs');
    expect(await bindings()).toEqual({ host2: 'ACTIVE ovs' });
  });
});

describe('deletion of a binding', () => {
  it('that is not active leaves the port as it is', async () => {
    await create('host2');
    expect(await cloud.told('q-', () => call('DELETE', '/host2'))).toEqual([]);
    expect([await bindings(), await levels()]).toEqual([{ host1: 'ACTIVE ovs' }, ['host1']]);
  });

  it('that is active takes the port off its host', async () => {
    await create('host2');
    expect((await call('DELETE', '/host1')).status).toBe(204);
    expect(await bindings()).toEqual({ '': 'ACTIVE unbound', host2: 'INACTIVE ovs' });
    expect(await port()).toMatchObject({ 'binding:host_id': '', 'binding:vif_type': 'unbound', status: 'DOWN' });
    expect((await activate('host2')).status).toBe(200);
    expect(await bindings()).toEqual({ host2: 'ACTIVE ovs' });
  });

  it('of the port with it is told to all of its hosts', async () => {
    await create('host2');
    const told = await cloud.told('', () => cloud.remove('port', id));
    const of = (start: string) => told.filter(({ topic }) => topic.startsWith(start));
    expect(
      of('q-agent-notifier-port-delete')
        .flatMap(({ to }) => to)
        .toSorted(),
    ).toEqual(['host1', 'host2']);
    const [push] = of('neutron-vo-Port');
    expect([push?.args.event_type, push?.to]).toEqual(['deleted', ['host1', 'host2']]);
  });

  it('that is not there is not found', async () => {
    expect(refusal(await call('DELETE', '/host2'))).toEqual([404, 'PortBindingNotFound']);
  });
});

describe('who may', () => {
  const owner = member('alice');
  it.each([
    ['an administrator without the role service', admin, { list: 1, create: 403, activate: 403, delete: 403 }],
    ['the owner', owner, { list: 0, create: 403, activate: 404, delete: 404 }],
    ['a stranger', member('bob'), { list: 0, create: 403, activate: 404, delete: 404 }],
  ] as const)('%s', async (_, as, expected) => {
    const list = await call('GET', '', undefined, as);
    const seen = {
      list: (list.body.bindings ?? []).length,
      create: (await call('POST', '', { binding: { host: 'host3' } }, as)).status,
      activate: (await activate('host1', as)).status,
      delete: (await call('DELETE', '/host1', undefined, as)).status,
    };
    expect(seen).toEqual(expected);
  });
});
