/** Port forwardings: what they are, what two of them may not be, and what they may not lead to. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, bob, Cloud, erin } from '../router/support.ts';
import { Stack } from '../support/stack.ts';
import { Forwarding, OPTIONS } from './support.ts';

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('port_forwardings', OPTIONS, 8);
  cloud = new Cloud(stack);
  const quota = { network: -1, subnet: -1, port: -1, router: -1, floatingip: -1 };
  for (const project of ['alice', 'bob']) await stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota } });
});
afterAll(() => stack.stop());

const scene = () => Forwarding.make(stack, cloud);
const TAKEN = '400 BadRequest';

describe('a port forwarding', () => {
  it('shows what Neutron shows', async () => {
    const here = await scene();
    const made = await here.forward({ external_port: 8080 });
    const { ip_address } = here.port.fixed_ips[0];
    const inside = { internal_port_id: here.port.id, internal_ip_address: ip_address };
    const expected = {
      ...{ id: made.id, external_port: 8080, external_port_range: '8080:8080', protocol: 'tcp', ...inside },
      ...{ internal_port: 80, internal_port_range: '80:80', description: '' },
    };
    expect(made).toEqual(expected);
    expect((await cloud.done('GET', here.path(made.id))).port_forwarding).toEqual(expected);
    expect(await here.list()).toEqual([expected]);
    expect(await here.change(made.id, { external_port: 8081 })).toEqual({
      ...expected,
      ...{ external_port: 8081, external_port_range: '8081:8081' },
    });
  });

  it('is shown by its floating IP, which goes by the router from then on', async () => {
    const here = await scene();
    expect(await here.show()).toMatchObject({ port_forwardings: [], router_id: null, revision_number: 0 });
    const { id } = await here.forward({ external_port: 8080 });
    const port = { internal_ip_address: here.port.fixed_ips[0].ip_address, internal_port_id: here.port.id };
    expect(await here.show()).toMatchObject({
      ...{ router_id: here.router.id, port_id: null, fixed_ip_address: null, revision_number: 1 },
      port_forwardings: [{ id, protocol: 'tcp', ...port, internal_port: 80, external_port: 8080 }],
    });
    await cloud.done('DELETE', here.path(id));
    expect(await here.show()).toMatchObject({ port_forwardings: [], router_id: null, revision_number: 2 });
  });

  it('gives its floating IP and its port another revision', async () => {
    const here = await scene();
    const revisions = async () =>
      [await here.show(), await cloud.show('port', here.port.id)].map(({ revision_number }) => revision_number);
    const [floatingip, port] = await revisions();
    const { id } = await here.forward({ external_port: 1 });
    expect(await revisions()).toEqual([floatingip + 1, port + 1]);
    await here.change(id, { description: 'new' });
    expect(await revisions()).toEqual([floatingip + 2, port + 2]);
    await here.change(id, { description: 'new' });
    expect(await revisions()).toEqual([floatingip + 2, port + 2]);
    await cloud.done('DELETE', here.path(id));
    expect(await revisions()).toEqual([floatingip + 3, port + 3]);
  });

  it('may be of as many ports outside as inside, or of many outside and one inside', async () => {
    const here = await scene();
    const many = { external_port_range: '100:109', internal_port_range: '200:209' };
    const none = { internal_port: null, external_port: null };
    const range = await here.forward(many);
    expect(range).toMatchObject({ ...many, ...none });
    const toOne = await here.forward({ external_port_range: '300:309', internal_port: 22 });
    expect(toOne).toMatchObject({ external_port: null, internal_port: 22, internal_port_range: '22:22' });
    expect(await here.forward({ external_port_range: '400', internal_port_range: 23 })).toMatchObject({
      ...{ external_port: 400, internal_port: 23 },
    });
    expect(await here.refused({ external_port_range: '500:509', internal_port_range: '600:608' })).toBe(TAKEN);
    expect(await here.refused({ external_port: 500, internal_port_range: '600:608' })).toBe(TAKEN);
    expect(await here.refusedChange(range.id, { external_port_range: '100:108' })).toBe(TAKEN);
    const shown = (await here.show()).port_forwardings.find(({ id }: { id: string }) => id === range.id);
    expect(shown).toEqual({
      ...{ id: range.id, protocol: 'tcp', internal_port_id: here.port.id },
      internal_ip_address: here.port.fixed_ips[0].ip_address,
    });
  });

  it.each([
    ['no port outside', {}],
    ['no port inside', { external_port: 1, internal_port: null }],
    ['a port and a range that differ', { external_port: 1, external_port_range: '1:2', internal_port_range: '1:2' }],
    ['an IPv6 address', { external_port: 1, internal_ip_address: '2001:db8::1' }],
    ['an address of another port', { external_port: 1, internal_ip_address: '10.0.0.250' }],
  ])('is refused with %s', async (_, attributes) => {
    const here = await scene();
    expect(await here.refused(attributes)).toBe('400 BadRequest');
  });

  it.each([
    ['port 0', { external_port: 0 }],
    ['port 65536', { external_port: 65536 }],
    ['a range that goes down', { external_port_range: '9:8' }],
    ['an unknown protocol', { external_port: 1, protocol: 'foo' }],
  ])('is refused with %s', async (_, attributes) => {
    const here = await scene();
    expect(await here.refused(attributes)).toMatch(/^400 (InvalidInput|HTTPBadRequest)$/);
  });

  it('takes numbers as text', async () => {
    const here = await scene();
    expect(await here.forward({ external_port: '8080', internal_port: '80' })).toMatchObject({
      ...{ external_port: 8080, internal_port: 80 },
    });
  });

  it('is listed by what is looked for, in order, in pages', async () => {
    const here = await scene();
    for (const [external_port, protocol] of [
      [30, 'tcp'],
      [10, 'udp'],
      [20, 'tcp'],
    ]) {
      await here.forward({ external_port, internal_port: external_port, protocol });
    }
    const ports = (list: { external_port: number }[]) => list.map(({ external_port }) => external_port);
    expect(ports(await here.list('?sort_key=external_port&sort_dir=asc'))).toEqual([10, 20, 30]);
    expect(ports(await here.list('?sort_key=external_port_range&sort_dir=desc&protocol=tcp'))).toEqual([30, 20]);
    expect(ports(await here.list('?external_port=10'))).toEqual([10]);
    expect(ports(await here.list('?external_port_range=20:20'))).toEqual([20]);
    expect(ports(await here.list(`?internal_port_id=${here.port.id}&protocol=udp`))).toEqual([10]);
    const [first, second] = await here.list('?sort_key=external_port&sort_dir=asc&limit=2');
    expect(ports([first, second])).toEqual([10, 20]);
    expect(ports(await here.list(`?sort_key=external_port&sort_dir=asc&marker=${second.id}`))).toEqual([30]);
    expect(Object.keys((await here.list('?fields=id'))[0])).toEqual(['id']);
  });

  it('comes with others in one request, or none of them', async () => {
    const here = await scene();
    const several = (...bodies: object[]) => ({ port_forwardings: bodies.map((body) => here.wish(body)) });
    const { port_forwardings } = await cloud.done(
      'POST',
      here.path(),
      several({ external_port: 1 }, { external_port: 2, internal_port: 81 }),
    );
    expect(port_forwardings.map(({ internal_port }: { internal_port: number }) => internal_port)).toEqual([80, 81]);
    const overlapping = several({ external_port: 3, internal_port: 82 }, { external_port: 3, internal_port: 83 });
    expect(await cloud.refusal('POST', here.path(), overlapping)).toBe(TAKEN);
    expect((await here.show()).port_forwardings).toHaveLength(2);
  });
});

describe('two port forwardings', () => {
  it('do not overlap outside: of one floating IP and protocol', async () => {
    const here = await scene();
    await here.forward({ external_port_range: '100:199', internal_port: 1 });
    for (const external_port_range of ['100:100', '50:100', '199:250', '50:250', '150:160']) {
      expect(await here.refused({ external_port_range, internal_port: 2 }), external_port_range).toBe(TAKEN);
    }
    await here.forward({ external_port_range: '200:201', internal_port: 2 });
    await here.forward({ external_port: 150, internal_port: 1, protocol: 'udp' });
    const other = await cloud.floating(here.outside.net);
    await here.forward({ external_port: 150, internal_port: 3 }, other);
  });

  it('do not overlap inside: of one address and protocol, whatever floating IP they are of', async () => {
    const here = await scene();
    await here.forward({ external_port_range: '100:109', internal_port_range: '200:209' });
    const other = await cloud.floating(here.outside.net);
    for (const floatingip of [here.floatingip, other]) {
      expect(await here.refused({ external_port: 1, internal_port: 205 }, floatingip)).toBe(TAKEN);
    }
    await here.forward({ external_port: 1, internal_port: 205, protocol: 'udp' });
    await here.forward({ external_port: 1, internal_port: 205, port: await here.another() }, other);
  });

  it('do not come to overlap by a change of any of it', async () => {
    const here = await scene();
    const other = await here.another();
    await here.forward({ external_port: 1, internal_port: 11 });
    await here.forward({ external_port: 2, internal_port: 12, protocol: 'udp' });
    const { id } = await here.forward({ external_port: 2, internal_port: 11, port: other });
    const inside = { internal_port_id: here.port.id, internal_ip_address: here.port.fixed_ips[0].ip_address };
    expect(await here.refusedChange(id, { external_port: 1 })).toBe(TAKEN);
    expect(await here.refusedChange(id, { protocol: 'udp' })).toBe(TAKEN);
    expect(await here.refusedChange(id, inside)).toBe(TAKEN);
    expect(await here.change(id, { ...inside, internal_port: 13 })).toMatchObject({ ...inside, internal_port: 13 });
  });

  it('that are asked for at once do not both come', async () => {
    const here = await scene();
    const other = await cloud.floating(here.outside.net);
    const outside = await Promise.all(
      [1, 2, 3, 4].map((internal_port) =>
        cloud.ask('POST', here.path(), {
          port_forwarding: here.wish({ external_port_range: `${internal_port}:10`, internal_port }),
        }),
      ),
    );
    expect(outside.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
    const inside = await Promise.all(
      [here.floatingip, other, here.floatingip, other].map((floatingip, at) =>
        cloud.ask('POST', here.path('', floatingip), {
          port_forwarding: here.wish({ external_port: 100 + at, internal_port: 50 }),
        }),
      ),
    );
    expect(inside.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
  });
});

describe('where a port forwarding leads', () => {
  it('is a port that the caller sees, with an IPv4 address', async () => {
    const here = await scene();
    const nobody = { ...here.port, id: '00000000-0000-4000-8000-000000000000' };
    expect(await here.refused({ external_port: 1, port: nobody })).toBe('404 PortNotFound');
    const foreign = await cloud.lan(undefined, bob);
    const theirs = await stack.create('port', { network_id: foreign.net.id }, bob);
    expect(await here.refused({ external_port: 1, port: theirs })).toBe('404 PortNotFound');
    const bare = await here.another({ fixed_ips: [] });
    const without = here.wish({ external_port: 1, port: { id: bare.id, fixed_ips: here.port.fixed_ips } });
    expect(await cloud.refusal('POST', here.path(), { port_forwarding: without })).toBe('400 BadRequest');
  });

  it('is reached by a router with a gateway to the network of the floating IP', async () => {
    const here = await scene();
    const apart = await cloud.lan();
    const unreached = await stack.create('port', { network_id: apart.net.id }, alice);
    expect(await here.refused({ external_port: 1, port: unreached })).toBe('400 BadRequest');
    const second = await cloud.router(here.outside.net);
    await cloud.add(second, { subnet_id: apart.sub.id });
    await here.forward({ external_port: 1 });
    // All of a floating IP go by one router.
    expect(await here.refused({ external_port: 2, port: unreached })).toBe('400 BadRequest');
  });

  it('changes with its port: to the first address unless told', async () => {
    const here = await scene();
    const { id } = await here.forward({ external_port: 1 });
    const other = await here.another();
    const inside = { internal_port_id: other.id, internal_ip_address: other.fixed_ips[0].ip_address };
    expect(await here.change(id, { internal_port_id: other.id })).toMatchObject(inside);
    expect(await here.refusedChange(id, { internal_ip_address: here.port.fixed_ips[0].ip_address })).toBe(
      '400 BadRequest',
    );
    const revision = (await cloud.show('port', here.port.id)).revision_number;
    await here.change(id, { internal_port_id: here.port.id });
    expect((await cloud.show('port', here.port.id)).revision_number).toBe(revision + 1);
  });

  it('is no port that a floating IP leads to', async () => {
    const here = await scene();
    const { id } = await here.forward({ external_port: 1, port: await here.another() });
    const leading = await cloud.floating(here.outside.net, { port_id: here.port.id });
    expect(await here.refused({ external_port: 2 })).toBe('409 PortHasBindingFloatingIP');
    expect(await here.refusedChange(id, { internal_port_id: here.port.id })).toBe('409 PortHasBindingFloatingIP');
    expect(await here.refused({ external_port: 2, port: await here.another() }, leading)).toBe(
      '409 FloatingIPPortAlreadyAssociated',
    );
  });
});

describe('who may', () => {
  it('is the project of the floating IP; others learn of none', async () => {
    const here = await scene();
    const { id } = await here.forward({ external_port: 1 });
    const refused = (method: string, path: string, as = erin) =>
      cloud.refusal(method, path, method === 'GET' || method === 'DELETE' ? undefined : { port_forwarding: {} }, as);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await refused(method, here.path(id)), method).toBe('404 FloatingIPNotFound');
    }
    expect(await refused('GET', here.path())).toBe('404 FloatingIPNotFound');
    expect(await here.refused({ external_port: 2 }, here.floatingip, erin)).toBe('404 FloatingIPNotFound');
  });

  it('finds a forwarding below its own floating IP alone', async () => {
    const here = await scene();
    const other = await cloud.floating(here.outside.net);
    const { id } = await here.forward({ external_port: 1 });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { port_forwarding: { description: 'x' } } : undefined;
      expect(await cloud.refusal(method, here.path(id, other), body)).toBe('404 PortForwardingNotFound');
    }
    expect(await cloud.refusal('GET', here.path('nothing'))).toBe('404 PortForwardingNotFound');
    expect(await cloud.refusal('GET', here.path('', { id: 'nothing' }))).toBe('404 FloatingIPNotFound');
  });
});
