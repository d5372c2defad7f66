/** What holds while there are port forwardings, and what becomes of them as ports, floating IPs and routers change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpc, toldBy } from '../objects/support.ts';
import { Cloud } from '../router/support.ts';
import { admin, Stack } from '../support/stack.ts';
import { Forwarding, OPTIONS } from './support.ts';

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('port_forwarding_others', OPTIONS, 8);
  cloud = new Cloud(stack);
  const quota = { network: -1, subnet: -1, port: -1, router: -1, floatingip: -1 };
  await stack.call('PUT', '/v2.0/quotas/alice', { body: { quota } });
});
afterAll(() => stack.stop());

const scene = () => Forwarding.make(stack, cloud);
const used = '409 FipInUseByPortForwarding';

describe('a floating IP with port forwardings', () => {
  it('leads to no port as a whole, and is not deleted', async () => {
    const here = await scene();
    const { id } = await here.forward({ external_port: 1 });
    const path = `floatingips/${here.floatingip.id}`;
    const other = await here.another();
    expect(await cloud.refusal('PUT', path, { floatingip: { port_id: other.id } })).toBe(used);
    expect(await cloud.refusal('DELETE', path)).toBe(used);
    expect(await cloud.refusal('DELETE', `networks/${here.outside.net.id}`, undefined, admin)).toMatch(/^409 /);
    await cloud.done('DELETE', here.path(id));
    await cloud.done('PUT', path, { floatingip: { port_id: other.id } });
    await cloud.done('DELETE', path);
  });

  it('keeps its router when it is told to lead to nothing, or described anew', async () => {
    const here = await scene();
    await here.forward({ external_port: 1 });
    const leads = { router_id: here.router.id, port_id: null };
    expect(await cloud.change('floatingip', here.floatingip.id, { port_id: null })).toMatchObject(leads);
    expect(await cloud.change('floatingip', here.floatingip.id, { description: 'x' })).toMatchObject(leads);
    expect((await here.show()).port_forwardings).toHaveLength(1);
  });

  it('holds the gateway and the interface of its router, and the router', async () => {
    const here = await scene();
    const { id } = await here.forward({ external_port: 1 });
    const gateway = { router: { external_gateway_info: null } };
    const path = `routers/${here.router.id}`;
    const removal = { subnet_id: here.inside.sub.id };
    expect(await cloud.refusal('PUT', path, gateway)).toBe('409 RouterExternalGatewayInUseByFloatingIp');
    expect(await cloud.refusal('PUT', `${path}/remove_router_interface`, removal)).toBe(
      '409 RouterInterfaceInUseByFloatingIP',
    );
    const second = await cloud.lan();
    await cloud.add(here.router, { subnet_id: second.sub.id });
    await cloud.remove(here.router, { subnet_id: second.sub.id });
    await cloud.done('DELETE', here.path(id));
    await cloud.remove(here.router, removal);
    await cloud.done('PUT', path, gateway);
    await cloud.done('DELETE', path);
  });
});

describe('a port with port forwardings', () => {
  it('takes them with it', async () => {
    const here = await scene();
    const other = await here.another();
    await here.forward({ external_port: 1 });
    await here.forward({ external_port: 2, port: other });
    await cloud.done('DELETE', `ports/${here.port.id}`);
    expect((await here.list()).map(({ internal_port_id }) => internal_port_id)).toEqual([other.id]);
    expect(await here.show()).toMatchObject({ router_id: here.router.id });
    await cloud.done('DELETE', `ports/${other.id}`);
    expect(await here.show()).toMatchObject({ port_forwardings: [], router_id: null });
  });

  it('takes those with an address that lead to it', async () => {
    const here = await scene();
    const [{ ip_address }] = here.port.fixed_ips;
    const subnet_id = here.inside.sub.id;
    const { fixed_ips } = await cloud.change('port', here.port.id, { fixed_ips: [{ ip_address }, { subnet_id }] });
    const added = fixed_ips.find((fixed: { ip_address: string }) => fixed.ip_address !== ip_address);
    await here.forward({ external_port: 1, internal_ip_address: ip_address });
    const { id } = await here.forward({ external_port: 2, internal_ip_address: added.ip_address });
    await cloud.change('port', here.port.id, { name: 'renamed' });
    expect(await here.list()).toHaveLength(2);
    await cloud.change('port', here.port.id, { fixed_ips: [{ ip_address: added.ip_address }] });
    expect((await here.list()).map((forwarding) => forwarding.id)).toEqual([id]);
  });

  it('may have floating IPs of its own, where its router is not distributed', async () => {
    const here = await scene();
    await here.forward({ external_port: 1 });
    const leading = await cloud.floating(here.outside.net, { port_id: here.port.id });
    await cloud.done('DELETE', `floatingips/${leading.id}`);
    await stack.database.sql`update routers set distributed = true where id = ${here.router.id}`;
    const floatingip = { floating_network_id: here.outside.net.id, port_id: here.port.id };
    expect(await cloud.refusal('POST', 'floatingips', { floatingip })).toBe('400 PortHasPortForwarding');
    const free = await cloud.floating(here.outside.net);
    expect(await cloud.refusal('PUT', `floatingips/${free.id}`, { floatingip: { port_id: here.port.id } })).toBe(
      '400 PortHasPortForwarding',
    );
    await stack.database.sql`update routers set distributed = false where id = ${here.router.id}`;
  });

  it('keeps no forwarding to an address that went away at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const here = await scene();
      const [forwarded] = await Promise.all([
        cloud.ask('POST', here.path(), { port_forwarding: here.wish({ external_port: 1 }) }),
        cloud.ask('DELETE', `ports/${here.port.id}`),
      ]);
      expect([201, 404]).toContain(forwarded.status);
      expect(await here.show()).toMatchObject({ port_forwardings: [], router_id: null });
    }
  });

  it('is not both forwarded to and led to as a whole, when both are asked for at once', async () => {
    for (let round = 0; round < 5; round++) {
      const here = await scene();
      await stack.database.sql`update routers set distributed = true where id = ${here.router.id}`;
      const floatingip = { floating_network_id: here.outside.net.id, port_id: here.port.id };
      const answers = await Promise.all([
        cloud.ask('POST', here.path(), { port_forwarding: here.wish({ external_port: 1 }) }),
        cloud.ask('POST', 'floatingips', { floatingip }),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
    }
  });
});

describe('agents', () => {
  const push = (id: string, data: object, event_type: string) => ({
    topic: 'neutron-vo-PortForwarding-1.3',
    method: 'push',
    hosts: ['host1'],
    args: {
      event_type,
      resource_list: [
        {
          'versioned_object.name': 'PortForwarding',
          'versioned_object.namespace': 'versionedobjects',
          'versioned_object.version': '1.3',
          'versioned_object.data': { id, ...data },
        },
      ],
    },
  });

  it('of the router are told as by Neutron, and no others', async () => {
    const here = await scene();
    const { sql } = stack.database;
    for (const host of ['host1', 'host2']) {
      await sql`
        insert into agents (id, agent_type, "binary", topic, host, admin_state_up, availability_zone, created_at, started_at,
          heartbeat_timestamp, configurations)
        values (gen_random_uuid(), 'L3 agent', 'neutron-l3-agent', 'l3_agent', ${host}, true, 'nova', now(), now(), now(), '{}')`;
    }
    await sql`
      insert into router_l3_agents (router_id, agent_id, place)
      select ${here.router.id}, id, 1 from agents where host = 'host1'`;
    const told = async (work: () => Promise<unknown>) =>
      (await toldBy(stack, work)).filter(({ topic }) => topic.startsWith('neutron-vo-PortForwarding'));
    const data = {
      floatingip_id: here.floatingip.id,
      ...{ external_port: 8080, external_port_range: '8080:8080', protocol: 'tcp' },
      ...{ internal_port_id: here.port.id, internal_ip_address: here.port.fixed_ips[0].ip_address },
      ...{ internal_port: 80, internal_port_range: '80:80', router_id: here.router.id, description: '' },
      floating_ip_address: here.floatingip.floating_ip_address,
      ...{ revision_number: 0, created_at: expect.any(String), updated_at: expect.any(String) },
    };
    let id = '';
    const made = await told(async () => {
      id = (await here.forward({ external_port: 8080 })).id;
    });
    expect(made).toEqual([push(id, data, 'updated')]);
    const changed = { ...data, external_port: 8081, external_port_range: '8081:8081', revision_number: 1 };
    expect(await told(() => here.change(id, { external_port: 8081 }))).toEqual([push(id, changed, 'updated')]);
    expect(await told(() => cloud.done('DELETE', here.path(id)))).toMatchObject([
      { hosts: ['host1'], args: { event_type: 'deleted', resource_list: [{ 'versioned_object.data': { id } }] } },
    ]);
    const address = here.floatingip.floating_ip_address;
    const leading = await cloud.floating(here.outside.net, { port_id: (await here.another()).id });
    const { id: second } = await here.forward({ external_port_range: '1:2', internal_port_range: '3:4' });
    const sync = { host: 'host1', router_ids: [here.router.id] };
    const [router] = await rpc(stack, 'host1', 'sync_routers', sync, { topic: 'q-l3-plugin', version: '1.13' });
    expect(router).toMatchObject({
      _floatingips: [{ id: leading.id, port_forwardings: [] }],
      _pf_floatingips: [{ id: here.floatingip.id, floating_ip_address: address, port_id: null }],
      port_forwardings_fip_set: [`${address}/32`],
      fip_managed_by_port_forwardings: [here.floatingip.id],
    });
    const pulled = async (host: string) => {
      const args = {
        resource_type: 'PortForwarding',
        version: '1.3',
        filter_kwargs: { floatingip_id: [here.floatingip.id] },
      };
      const list = await rpc(stack, host, 'bulk_pull', args, { version: '1.1' });
      return list.map((one: Record<string, { id: string }>) => one['versioned_object.data']?.id);
    };
    expect(await pulled('host1')).toEqual([second]);
    expect(await pulled('host2')).toEqual([]);
    for (const hidden of ['forwards_ports', 'has_ndp_proxies']) expect(router).not.toHaveProperty(hidden);
    expect(await told(() => cloud.done('DELETE', `ports/${here.port.id}`))).toMatchObject([
      {
        hosts: ['host1'],
        args: { event_type: 'deleted', resource_list: [{ 'versioned_object.data': { id: second } }] },
      },
    ]);
  });
});
