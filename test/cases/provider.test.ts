import { describe, expect, it } from 'vitest';
import { useCloud } from './support.ts';

const people = useCloud('provider');

const vlan = (id: number) => ({
  'provider:network_type': 'vlan',
  'provider:physical_network': 'physnet1',
  'provider:segmentation_id': id,
});

describe('a VLAN of a physical network', () => {
  it('is one network’s at a time', async () => {
    const { admin } = people();
    const net = await admin.network(vlan(142));
    expect(net['provider:segmentation_id']).toBe(142);
    await admin.refused(409, 'VlanIdInUse').create('network', vlan(142));
    await admin.remove('network', net.id);
    await admin.remove('network', (await admin.network(vlan(142))).id);
  });

  it('outside of the ranges may be named, and is one network’s, too', async () => {
    const { admin } = people();
    const net = await admin.network(vlan(3000));
    await admin.refused(409, 'VlanIdInUse').create('network', vlan(3000));
    await admin.remove('network', net.id);
  });

  it.each([0, 4095, 'x'])('is not %s', async (id) => {
    const { admin } = people();
    await admin.refused(400).create('network', { ...vlan(1), 'provider:segmentation_id': id });
  });

  it('is free again when the network is refused', async () => {
    const { admin } = people();
    await admin.refused(400).create('network', { ...vlan(150), mtu: 9999 });
    await admin.remove('network', (await admin.network(vlan(150))).id);
  });

  it('goes to one of several who ask at once', async () => {
    const { admin } = people();
    expect(await admin.race(5, 'POST', '/networks', { network: vlan(160) })).toEqual({ 201: 1, 409: 4 });
  });
});

describe('a physical network', () => {
  const flat = { 'provider:network_type': 'flat', 'provider:physical_network': 'physnet3' };

  it('carries one flat network', async () => {
    const { admin } = people();
    const net = await admin.network(flat);
    expect(net['provider:segmentation_id']).toBeNull();
    expect(await admin.refused(409, 'FlatNetworkInUse').create('network', flat)).toContain('physnet3');
    await admin.remove('network', net.id);
    await admin.remove('network', (await admin.network(flat)).id);
  });

  it('must be known', async () => {
    const { admin } = people();
    await admin.refused(400).create('network', { ...flat, 'provider:physical_network': 'physnet9' });
    await admin.refused(400).create('network', { ...vlan(101), 'provider:physical_network': 'physnet9' });
  });
});

describe('a tunnel', () => {
  it('takes no physical network', async () => {
    const { admin } = people();
    await admin.refused(400).create('network', {
      'provider:network_type': 'vxlan',
      'provider:physical_network': 'physnet1',
    });
  });

  it('has an id of its own, which is free again with the network', async () => {
    const { admin } = people();
    const named = { 'provider:network_type': 'vxlan', 'provider:segmentation_id': 4321 };
    const net = await admin.network(named);
    await admin.refused(409, 'TunnelIdInUse').create('network', named);
    await admin.remove('network', net.id);
    await admin.remove('network', (await admin.network(named)).id);
  });
});
