/** The mechanism drivers that are here, through the one suite, and what each has of its own. */
import { describe, expect, test } from 'vitest';
import { silentLogger } from '#src/lib/log.ts';
import { linuxbridgeMechanismDriver } from '#src/plugins/ml2/drivers/linuxbridge/mod.ts';
import { loggerMechanismDriver } from '#src/plugins/ml2/drivers/logger/mod.ts';
import { macvtapMechanismDriver } from '#src/plugins/ml2/drivers/macvtap/mod.ts';
import { openvswitchMechanismDriver } from '#src/plugins/ml2/drivers/openvswitch/mod.ts';
import { sriovnicswitchMechanismDriver } from '#src/plugins/ml2/drivers/sriovnicswitch/mod.ts';
import { manageMechanisms } from '#src/plugins/ml2/managers/mechanism.ts';
import { driverSuite } from './driver_suite.ts';
import { type Configurations, configOf, driver, hostAgent, OVS, request, segment } from './support.ts';

const config = configOf();
const vlan = segment('vlan', 'physnet1', 7);

driverSuite('openvswitch', {
  driver: openvswitchMechanismDriver(config),
  agent_type: 'Open vSwitch agent',
  configurations: OVS,
  mapping: 'bridge_mappings',
  vnic_type: 'normal',
  vif_type: 'ovs',
  // As Neutron shows it.
  vif_details: {
    connectivity: 'l2',
    port_filter: true,
    ovs_hybrid_plug: false,
    ovs_create_tap: true,
    datapath_type: 'system',
    bridge_name: 'br-int',
  },
});

driverSuite('linuxbridge', {
  driver: linuxbridgeMechanismDriver(config),
  agent_type: 'Linux bridge agent',
  configurations: { interface_mappings: { physnet1: 'eth1' } },
  mapping: 'interface_mappings',
  vnic_type: 'normal',
  vif_type: 'bridge',
  vif_details: { connectivity: 'l2', port_filter: true },
});

driverSuite('sriovnicswitch', {
  driver: sriovnicswitchMechanismDriver(config),
  agent_type: 'NIC Switch agent',
  configurations: { device_mappings: { physnet1: ['ens1f0', 'ens1f1'] } },
  mapping: 'device_mappings',
  vnic_type: 'direct',
  vif_type: 'hw_veb',
  vif_details: { connectivity: 'l2', port_filter: false, vlan: '7' },
});

driverSuite('macvtap', {
  driver: macvtapMechanismDriver(config),
  agent_type: 'Macvtap agent',
  configurations: { interface_mappings: { physnet1: 'eth1' } },
  mapping: 'interface_mappings',
  vnic_type: 'normal',
  vif_type: 'macvtap',
  vif_details: {
    connectivity: 'l2',
    port_filter: false,
    vlan: 7,
    physical_interface: 'eth1',
    macvtap_source: 'eth1.7',
    macvtap_mode: 'bridge',
  },
});

describe('openvswitch', () => {
  const ovs = openvswitchMechanismDriver(config);
  const details = async (
    configurations: Configurations,
    vnic_type = 'normal',
    profile: Configurations = {},
    subject = ovs,
  ): Promise<unknown> => {
    const agents = [hostAgent('Open vSwitch agent', { ...OVS, ...configurations })];
    const asked = request({ agents, segments: [vlan], vnic_type, profile });
    return (await subject.bind_port!(asked.request)) ?? asked.refused;
  };

  test('makes no tap device for hybrid plugging, hardware, or another data path', async () => {
    const shown = (offer: unknown) => (offer as { vif_details: Configurations }).vif_details['ovs_create_tap'];
    const switchdev = { capabilities: ['switchdev'] };
    expect(shown(await details({}))).toBe(true);
    expect(shown(await details({ ovs_hybrid_plug: true }))).toBeUndefined();
    expect(shown(await details({ datapath_type: 'netdev' }))).toBeUndefined();
    expect(shown(await details({}, 'direct', switchdev))).toBeUndefined();
    const without = openvswitchMechanismDriver(configOf({ ovs_driver: { ovs_create_tap: false } }));
    expect(shown(await details({}, 'normal', {}, without))).toBeUndefined();
  });

  test.each([
    ['the switch serves the socket', 'dpdkvhostuser', 'client'],
    ['the instance serves the socket', 'dpdkvhostuserclient', 'server'],
  ])('plugs vhost-user sockets over DPDK: %s', async (_, type, mode) => {
    const dpdk = { datapath_type: 'netdev', ovs_capabilities: { iface_types: [type, 'dpdk'] } };
    expect(await details({ ...dpdk, vhostuser_socket_dir: '/run/ovs/' })).toMatchObject({
      vif_type: 'vhostuser',
      vif_details: {
        port_filter: false,
        ovs_hybrid_plug: false,
        vhostuser_mode: mode,
        vhostuser_ovs_plug: true,
        vhostuser_socket: '/run/ovs/vhu11111111-22',
        datapath_type: 'netdev',
        bridge_name: 'br-int',
      },
    });
    expect(await details(dpdk)).toMatchObject({
      vif_details: { vhostuser_socket: '/var/run/openvswitch/vhu11111111-22' },
    });
    expect(await details({ ...dpdk, datapath_type: 'system' })).toMatchObject({ vif_type: 'ovs' });
  });

  test('takes cards that switch by themselves, and SmartNICs of hosts that have them', async () => {
    expect(await details({}, 'direct')).toEqual([expect.stringContaining("'switchdev'")]);
    expect(await details({}, 'direct', { capabilities: ['switchdev'] })).toMatchObject({ vif_type: 'ovs' });
    expect(await details({}, 'smart-nic')).toEqual([expect.stringContaining('baremetal_smartnic')]);
    expect(await details({ baremetal_smartnic: true }, 'smart-nic')).toMatchObject({ vif_type: 'ovs' });
  });

  test('reaches tunnels that its agent reports', async () => {
    const vxlan = segment('vxlan', null, 5);
    const agents = [hostAgent('Open vSwitch agent', OVS)];
    expect(await ovs.bind_port!(request({ agents, segments: [vxlan] }).request)).toMatchObject({ segment: vxlan });
    const geneve = request({ agents, segments: [segment('geneve', null, 5)] });
    expect(await ovs.bind_port!(geneve.request)).toBeNull();
    expect(geneve.refused).toEqual([
      'geneve 5: networks of type geneve are out of reach, only vxlan, local, flat, vlan',
    ]);
  });

  test('leaves the kinds of ports that vnic_type_prohibit_list names to others', async () => {
    const prohibiting = (...vnic_type_prohibit_list: string[]) =>
      openvswitchMechanismDriver(configOf({ ovs_driver: { vnic_type_prohibit_list } }));
    expect(await details({}, 'direct', { capabilities: ['switchdev'] }, prohibiting('direct'))).toEqual([
      'vnic type direct is not supported, only normal, smart-nic, vdpa',
    ]);
    expect(() => prohibiting('banana')).toThrow('names others: banana');
    expect(() => prohibiting('normal', 'direct', 'smart-nic', 'vdpa')).toThrow('prohibits all of them');
  });

  test('shows no port filter where there are no security groups', async () => {
    const open = openvswitchMechanismDriver(configOf({ securitygroup: { enable_security_group: false } }));
    expect(await details({}, 'normal', {}, open)).toMatchObject({ vif_details: { port_filter: false } });
  });
});

describe('sriovnicswitch', () => {
  const sriov = sriovnicswitchMechanismDriver(config);

  test('plugs a whole card without an agent, ACTIVE at once', async () => {
    const { request: asked } = request({ segments: [segment('flat', 'physnet1', null)], vnic_type: 'direct-physical' });
    expect(await sriov.bind_port!(asked)).toMatchObject({
      vif_type: 'hostdev_physical',
      vif_details: { vlan: '0' },
      status: 'ACTIVE',
    });
    const tunnel = request({ segments: [segment('vxlan', null, 5)], vnic_type: 'direct-physical' });
    expect(await sriov.bind_port!(tunnel.request)).toBeNull();
    expect(tunnel.refused).toEqual(['vxlan 5: networks of type vxlan are out of reach, only flat, vlan']);
  });

  test('leaves cards that switch by themselves to Open vSwitch', async () => {
    const profile = { capabilities: ['switchdev'] };
    const asked = request({ segments: [vlan], vnic_type: 'direct', profile });
    expect(await sriov.bind_port!(asked.request)).toBeNull();
    expect(asked.refused).toEqual([expect.stringContaining('left to Open vSwitch')]);
  });
});

describe('macvtap', () => {
  const macvtap = macvtapMechanismDriver(config);
  const ask = async (interface_name: string, original?: Configurations) => {
    const agents = [hostAgent('Macvtap agent', { interface_mappings: { physnet1: interface_name } })];
    const asked = request({ agents, segments: [vlan], ...(original === undefined ? {} : { original }) });
    return { offer: await macvtap.bind_port!(asked.request), refused: asked.refused };
  };

  test('shortens names of interfaces that leave no room for the VLAN', async () => {
    expect((await ask('eno1234567')).offer).toMatchObject({ vif_details: { macvtap_source: 'eno1234567.7' } });
    // The first six digits of the name's SHA-1, as the agent has them.
    expect((await ask('eno12345678')).offer).toMatchObject({ vif_details: { macvtap_source: 'eno11bb2e2.7' } });
  });

  test('moves a running instance only to a host with a device of the same name', async () => {
    const source = (macvtap_source: string) => ({
      'binding:profile': { migrating_to: 'h1' },
      'binding:vif_details': { macvtap_source },
    });
    expect((await ask('eth1', source('eth1.7'))).offer).toMatchObject({ vif_type: 'macvtap' });
    const { offer, refused } = await ask('eth1', source('eth0.7'));
    expect(offer).toBeNull();
    expect(refused).toEqual([expect.stringMatching(/eth0\.7 where it is and eth1\.7 on this host$/)]);
  });
});

test('logger binds nothing, and says so', async () => {
  const asked = request({ segments: [vlan] });
  expect(await loggerMechanismDriver(config, silentLogger).bind_port!(asked.request)).toBeNull();
  expect(asked.refused).toEqual(['the driver only writes to the log']);
});

describe('hostsWithAccess()', () => {
  const reports = new Map([
    ['near', [hostAgent('Open vSwitch agent', OVS)]],
    ['far', [hostAgent('Open vSwitch agent', {})]],
    ['none', []],
  ]);

  test('is what the drivers say; where none has anything to say all hosts are', () => {
    const of = (...drivers: Parameters<typeof manageMechanisms>[0]) =>
      manageMechanisms(drivers, silentLogger).hostsWithAccess(reports, [vlan]);
    const ovs = openvswitchMechanismDriver(config);
    const silent = driver('silent');
    expect(of(ovs)).toEqual(['near']);
    expect(of(ovs, silent)).toEqual(['near']);
    expect(of(ovs, linuxbridgeMechanismDriver(config))).toEqual(['near']);
    expect(of(silent)).toEqual(['near', 'far', 'none']);
    expect(of()).toEqual(['near', 'far', 'none']);
  });
});
