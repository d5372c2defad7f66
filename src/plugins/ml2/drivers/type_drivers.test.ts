/** Type drivers: ranges of the configuration, MTU, and what they refuse. */
import { describe, expect, test } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { tunnelTypeDriver } from './type_tunnel.ts';
import { parseVlanRanges, vlanTypeDriver } from './type_vlan.ts';

describe('parseVlanRanges()', () => {
  test('gathers ranges by physical network; one without ranges is for administrators', () => {
    const range = (first: number, last: number) => ({ physical_network: 'a', first, last });
    expect(parseVlanRanges(['a:1:5', 'b', 'a:7:7'])).toEqual(
      new Map([
        ['a', [range(1, 5), range(7, 7)]],
        ['b', []],
      ]),
    );
  });

  test.each(['a:1', 'a:5:1', 'a:0:5', 'a:1:4095', 'a:1:x', 'a:1:2:3', ':1:5', ''])('%j stops the start', (entry) => {
    expect(() => parseVlanRanges([entry])).toThrow('[ml2_type_vlan] network_vlan_ranges');
  });
});

describe('MTU', () => {
  const config = (underlay: number, version: number) =>
    configFrom(allOptions, { DEFAULT: { global_physnet_mtu: underlay }, ml2: { overlay_ip_version: version } });

  test.each([
    [1500, 4, { vxlan: 1450, geneve: 1450, gre: 1458 }],
    [9000, 4, { vxlan: 8950, geneve: 8950, gre: 8958 }],
    [1500, 6, { vxlan: 1430, geneve: 1430, gre: 1438 }],
    [9000, 6, { vxlan: 8930, geneve: 8930, gre: 8938 }],
    [0, 4, { vxlan: 0, geneve: 0, gre: 0 }],
  ])('of tunnels over an underlay of %d and IPv%d', (underlay, version, expected) => {
    const mtu = (type: 'vxlan' | 'geneve' | 'gre') => tunnelTypeDriver(type, config(underlay, version)).mtu(null);
    expect({ vxlan: mtu('vxlan'), geneve: mtu('geneve'), gre: mtu('gre') }).toEqual(expected);
  });

  test('a smaller path between tunnel ends counts', () => {
    const path = configFrom(allOptions, { ml2: { path_mtu: 1400 } });
    expect(tunnelTypeDriver('vxlan', path).mtu(null)).toBe(1350);
  });

  test('of a VLAN is that of its physical network', () => {
    const special = configFrom(allOptions, { ml2: { physical_network_mtus: { small: '1200', big: '9000' } } });
    const { mtu } = vlanTypeDriver(special);
    expect([mtu('small'), mtu('big'), mtu('other')]).toEqual([1200, 1500, 1500]);
  });
});

test.each(['5:1', '0:5', '1:16777216', 'x', '1', '1:2:3'])('the tunnel range %j stops the start', (entry) => {
  const config = configFrom(allOptions, { ml2_type_vxlan: { vni_ranges: [entry] } });
  expect(() => tunnelTypeDriver('vxlan', config)).toThrow('[ml2_type_vxlan] vni_ranges');
});
