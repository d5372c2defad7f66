import { describe, expect, it } from 'vitest';
import { type Attributes, type People, unknownId, useCloud } from './support.ts';

const people = useCloud('floatingips', { DEFAULT: { service_plugins: ['router'] } });

/** An external network, a network of alice's, and a router between them unless there is to be none. */
async function cloud({ admin, alice }: People, connected = true) {
  const ext = await admin.network({ 'router:external': true });
  const extsub = await admin.subnet(ext, '172.24.4.0/24', { enable_dhcp: false });
  const net = await alice.network();
  const sub = await alice.subnet(net, '10.0.0.0/24');
  if (connected) {
    const router = await alice.create('router', { external_gateway_info: { network_id: ext.id } });
    await alice.ask(200, 'PUT', `/routers/${router.id}/add_router_interface`, { subnet_id: sub.id });
  }
  return { ext, extsub, net, sub };
}

const on = ({ id }: Attributes, attributes: Attributes = {}) => ({ floating_network_id: id, ...attributes });

describe('a floating IP', () => {
  it('leads to no port that no router connects with its network, and then there is none', async () => {
    const all = people();
    const { alice } = all;
    const { ext, net } = await cloud(all, false);
    const port = await alice.port(net);
    const refusal = alice.refused(404, 'ExternalGatewayForFloatingIPNotFound');
    await refusal.create('floatingip', on(ext, { port_id: port.id }));
    expect(await alice.list(`floatingips?project_id=${alice.project}`)).toEqual([]);
    await alice.refused(400).create('floatingip', on(net));
    await alice.refused(404).create('floatingip', on({ id: unknownId() }));
    await alice.refused(404).create('floatingip', on(ext, { port_id: unknownId() }));
    await alice.refused(400).create('floatingip', {});
  });

  it('is the only one of its network for a fixed address', async () => {
    const all = people();
    const { alice } = all;
    const { ext, net } = await cloud(all);
    const port = await alice.port(net, { fixed_ips: [{ ip_address: '10.0.0.40' }, { ip_address: '10.0.0.41' }] });
    const to = (fixed_ip_address: string) => on(ext, { port_id: port.id, fixed_ip_address });
    await alice.create('floatingip', to('10.0.0.40'));
    await alice.refused(409, 'FloatingIPPortAlreadyAssociated').create('floatingip', to('10.0.0.40'));
    await alice.create('floatingip', to('10.0.0.41'));
    await alice.refused(400).create('floatingip', to('10.0.0.99'));
    await alice.create('floatingip', on(ext));
    await alice.create('floatingip', on(ext));
  });

  it('has an address that only administrators and managers choose', async () => {
    const all = people();
    const { alice, admin } = all;
    const { ext } = await cloud(all, false);
    const ext2 = await admin.subnet(ext, '172.26.4.0/24', { enable_dhcp: false });
    const at = (floating_ip_address: string, more: Attributes = {}) => on(ext, { floating_ip_address, ...more });
    await alice.refused(403).create('floatingip', at('172.24.4.77'));
    const made = await admin.create('floatingip', at('172.24.4.77'));
    expect(made.floating_ip_address).toBe('172.24.4.77');
    await admin.refused(409).create('floatingip', at('172.24.4.77'));
    await admin.refused(400).create('floatingip', at('192.0.2.1'));
    const elsewhere = await admin.create('floatingip', on(ext, { subnet_id: ext2.id }));
    expect(elsewhere.floating_ip_address).toMatch(/^172\.26\./);
    const both = await admin.create('floatingip', at('172.26.4.9', { subnet_id: ext2.id }));
    expect(both.floating_ip_address).toBe('172.26.4.9');
  });

  it('keeps the address that it leads to on its port', async () => {
    const all = people();
    const { alice } = all;
    const { ext, net } = await cloud(all);
    const port = await alice.port(net, { fixed_ips: [{ ip_address: '10.0.0.40' }] });
    await alice.create('floatingip', on(ext, { port_id: port.id }));
    await alice.refused(400).change('port', port.id, { fixed_ips: [{ ip_address: '10.0.0.41' }] });
    const more = [{ ip_address: '10.0.0.40' }, { ip_address: '10.0.0.41' }];
    await alice.change('port', port.id, { fixed_ips: more });
  });

  it('shows its port as an object, as a port shows its names as a list of such', async () => {
    const all = people();
    const { alice } = all;
    const { ext, net } = await cloud(all);
    const port = await alice.port(net, { name: 'pp', dns_name: 'h1' });
    expect(port.dns_assignment[0]).toMatchObject({ hostname: 'h1', fqdn: 'h1.cloud.example.' });
    const { port_details } = await alice.create('floatingip', on(ext, { port_id: port.id }));
    expect(port_details).toMatchObject({ name: 'pp', network_id: net.id, mac_address: port.mac_address });
  });
});
