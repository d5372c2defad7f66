/** Floating IPs: where they lead, as ports, routers and networks come and go. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, Stack } from '../support/stack.ts';
import { alice, bob, Cloud, erin, OPTIONS } from './support.ts';

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('floatingip', OPTIONS, 8);
  cloud = new Cloud(stack);
  const quota = { network: -1, subnet: -1, port: -1, router: -1, rbac_policy: -1 };
  for (const project of ['alice', 'admin']) await stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota } });
});
afterAll(() => stack.stop());

const NOWHERE = { port_id: null, fixed_ip_address: null, router_id: null, port_details: null };

describe('a floating IP', () => {
  it('has what Neutron says a floating IP has, and a port of nobody that holds its address', async () => {
    const { outside, port, router } = await cloud.connected();
    const made = await cloud.floating(outside.net, { port_id: port.id, description: 'mine' });
    expect(Object.keys(made).toSorted()).toEqual(
      [
        ...['created_at', 'description', 'dns_domain', 'dns_name', 'fixed_ip_address', 'floating_ip_address', 'id'],
        ...['floating_network_id', 'port_details', 'port_id', 'project_id', 'revision_number', 'router_id', 'status'],
        ...['tags', 'tenant_id', 'updated_at'],
      ].toSorted(),
    );
    expect(made).toMatchObject({
      ...{ status: 'DOWN', port_id: port.id, router_id: router.id, fixed_ip_address: port.fixed_ips[0].ip_address },
      ...{ description: 'mine', revision_number: 0, dns_name: '' },
      port_details: { device_id: '', status: 'DOWN', network_id: port.network_id },
    });
    const [holder] = await cloud.portsOf(made.id);
    expect(holder).toMatchObject({
      ...{ device_owner: 'network:floatingip', project_id: '', status: 'N/A', network_id: outside.net.id },
      fixed_ips: [{ ip_address: made.floating_ip_address }],
    });
    expect(await cloud.refusal('DELETE', `ports/${holder?.id}`, undefined, admin)).toBe('409 ServicePortInUse');
    await cloud.done('DELETE', `floatingips/${made.id}`);
    expect(await cloud.portsOf(made.id)).toEqual([]);
  });

  it('moves from port to port, and to nowhere', async () => {
    const { outside, inside, port, router } = await cloud.connected();
    const other = await stack.create('port', { network_id: inside.net.id }, alice);
    const { id } = await cloud.floating(outside.net);
    const to = (attributes: object) => cloud.change('floatingip', id, attributes);
    const leads = { router_id: router.id };
    expect(await to({ port_id: port.id })).toMatchObject({ ...leads, port_id: port.id, revision_number: 1 });
    expect(await to({ port_id: port.id })).toMatchObject({ ...leads, revision_number: 1 });
    expect(await to({ description: 'still there' })).toMatchObject({ ...leads, port_id: port.id });
    expect(await to({ port_id: other.id })).toMatchObject({ fixed_ip_address: other.fixed_ips[0].ip_address });
    expect(await to({ port_id: null })).toMatchObject(NOWHERE);
    expect(await cloud.refusal('PUT', `floatingips/${id}`, { floatingip: { fixed_ip_address: '10.0.0.1' } })).toBe(
      '400 BadRequest',
    );
  });

  it('is taken off its port by an update that says nothing, and by no other', async () => {
    const { outside, port } = await cloud.connected();
    const { id } = await cloud.floating(outside.net, { port_id: port.id });
    expect(await cloud.change('floatingip', id, { description: 'still' })).toMatchObject({ port_id: port.id });
    expect(await cloud.change('floatingip', id, {})).toMatchObject(NOWHERE);
  });

  it('moves between the addresses of a port', async () => {
    const { outside, inside } = await cloud.connected();
    const { subnet_id } = { subnet_id: inside.sub.id };
    const port = await stack.create(
      'port',
      { network_id: inside.net.id, fixed_ips: [{ subnet_id }, { subnet_id }] },
      alice,
    );
    const [first, second] = port.fixed_ips.map((one: { ip_address: string }) => one.ip_address);
    const path = 'floatingips';
    const body = { floatingip: { floating_network_id: outside.net.id, port_id: port.id } };
    expect(await cloud.refusal('POST', path, body)).toBe('400 BadRequest');
    const { id } = await cloud.floating(outside.net, { port_id: port.id, fixed_ip_address: first });
    const change = { port_id: port.id, fixed_ip_address: second };
    expect(await cloud.change('floatingip', id, change)).toMatchObject({ fixed_ip_address: second });
  });

  it('is taken off a port that is deleted', async () => {
    const { outside, port } = await cloud.connected();
    const made = await cloud.floating(outside.net, { port_id: port.id });
    await cloud.done('DELETE', `ports/${port.id}`);
    expect(await cloud.show('floatingip', made.id)).toMatchObject({ ...NOWHERE, revision_number: 1 });
  });

  it('of another project keeps a port from being deleted by its owner', async () => {
    const { outside, port } = await cloud.connected();
    const { id } = await cloud.floating(outside.net, { port_id: port.id, project_id: 'bob' }, admin);
    expect(await cloud.refusal('DELETE', `ports/${port.id}`)).toBe('409 FipAssociated');
    await cloud.done('DELETE', `ports/${port.id}`, undefined, admin);
    expect(await cloud.show('floatingip', id)).toMatchObject(NOWHERE);
  });

  it('holds the interface and the gateway that it goes by', async () => {
    const { outside, inside, port, router } = await cloud.connected();
    const { id } = await cloud.floating(outside.net, { port_id: port.id });
    const leave = `routers/${router.id}/remove_router_interface`;
    const none = { router: { external_gateway_info: null } };
    expect(await cloud.refusal('PUT', leave, { subnet_id: inside.sub.id })).toBe(
      '409 RouterInterfaceInUseByFloatingIP',
    );
    expect(await cloud.refusal('PUT', `routers/${router.id}`, none)).toBe('409 RouterExternalGatewayInUseByFloatingIp');
    await cloud.change('floatingip', id, { port_id: null });
    await cloud.done('PUT', leave, { subnet_id: inside.sub.id });
    await cloud.change('router', router.id, { external_gateway_info: null });
  });

  it('goes by the router that is the gateway of the subnet, where there are several', async () => {
    const { outside, inside, port, router } = await cloud.connected();
    const second = await cloud.router(outside.net);
    const other = await stack.create('port', { network_id: inside.net.id }, alice);
    await cloud.add(second, { port_id: other.id });
    expect(await cloud.floating(outside.net, { port_id: port.id })).toMatchObject({ router_id: router.id });
  });

  it('leads to no port of another project, nor to a DHCP server', async () => {
    const { outside, inside, port } = await cloud.connected();
    const request = (port_id: string) => ({ floatingip: { floating_network_id: outside.net.id, port_id } });
    expect(await cloud.refusal('POST', 'floatingips', request(port.id), bob)).toBe('404 PortNotFound');
    const dhcp = await stack.create('port', { network_id: inside.net.id, device_owner: 'network:dhcp' });
    expect(await cloud.refusal('POST', 'floatingips', request(dhcp.id), admin)).toBe('400 BadRequest');
  });

  it('has a name in a domain, or neither', async () => {
    const { net } = await cloud.external();
    const named = { dns_name: 'www', dns_domain: 'example.org.' };
    expect(await cloud.floating(net, named)).toMatchObject(named);
    for (const half of [{ dns_name: 'www' }, { dns_domain: 'example.org.' }]) {
      const body = { floatingip: { floating_network_id: net.id, ...half } };
      expect(await cloud.refusal('POST', 'floatingips', body)).toBe('400 BadRequest');
    }
  });

  it('is one of several of one request, all or none', async () => {
    const { outside, port } = await cloud.connected();
    const one = { floating_network_id: outside.net.id };
    const { floatingips } = await cloud.done('POST', 'floatingips', {
      floatingips: [one, { ...one, port_id: port.id }],
    });
    expect(floatingips.map(({ port_id }: { port_id: string }) => port_id)).toEqual([null, port.id]);
    const twice = { ...one, port_id: port.id };
    expect(await cloud.refusal('POST', 'floatingips', { floatingips: [one, twice] })).toBe(
      '409 FloatingIPPortAlreadyAssociated',
    );
  });

  it('is limited in number', async () => {
    await stack.call('PUT', '/v2.0/quotas/erin', { body: { quota: { floatingip: 1 } } });
    const { net } = await cloud.external();
    const { id } = await cloud.floating(net, {}, erin);
    const body = { floatingip: { floating_network_id: net.id } };
    expect(await cloud.refusal('POST', 'floatingips', body, erin)).toBe('409 OverQuota');
    await cloud.done('DELETE', `floatingips/${id}`, undefined, erin);
    await cloud.floating(net, {}, erin);
    expect(await cloud.used('erin')).toMatchObject({ floatingip: 1 });
    await cloud.done('DELETE', `networks/${net.id}`, undefined, admin);
    expect(await cloud.used('erin')).toMatchObject({ floatingip: 0 });
  });
});

describe('an external network that is deleted', () => {
  it('takes with it the floating IPs that lead nowhere', async () => {
    const { net } = await cloud.external();
    const { id } = await cloud.floating(net);
    await cloud.done('DELETE', `networks/${net.id}`, undefined, admin);
    expect(await cloud.refusal('GET', `floatingips/${id}`)).toBe('404 FloatingIPNotFound');
  });

  it('is refused as a whole while one leads somewhere', async () => {
    const { outside, port } = await cloud.connected();
    const idle = await cloud.floating(outside.net);
    const used = await cloud.floating(outside.net, { port_id: port.id });
    expect(await cloud.refusal('DELETE', `networks/${outside.net.id}`, undefined, admin)).toBe('409 NetworkInUse');
    for (const { id } of [idle, used]) expect((await cloud.show('floatingip', id)).id).toBe(id);
  });
});

it('the pools of floating IPs are the IPv4 subnets of the external networks that the caller sees', async () => {
  const { net, sub } = await cloud.external('203.0.113.0/24');
  await stack.create('subnet', { network_id: net.id, ip_version: 6, cidr: '2001:db8:77::/64' });
  const pools = async (as: typeof alice) =>
    (await cloud.done('GET', 'floatingip-pools', undefined, as)).floatingip_pools;
  const mine = await pools(alice);
  expect(mine).toContainEqual({
    ...{ subnet_id: sub.id, subnet_name: '', network_id: net.id, cidr: '203.0.113.0/24' },
    ...{ project_id: 'alice', tenant_id: 'alice' },
  });
  expect(mine.filter(({ network_id }: { network_id: string }) => network_id === net.id)).toHaveLength(1);
  await stack.call('PUT', `/v2.0/networks/${net.id}`, { body: { network: { 'router:external': false } } });
  expect((await pools(alice)).map(({ network_id }: { network_id: string }) => network_id)).not.toContain(net.id);
});
