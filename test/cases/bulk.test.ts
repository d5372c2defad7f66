import { describe, expect, it } from 'vitest';
import { names, useCloud } from './support.ts';

const people = useCloud('bulk');

const named = (...all: readonly string[]) => ({ networks: all.map((name) => ({ name })) });

describe('several in one request', () => {
  it('come back in their order, one of them under the plural name, too', async () => {
    const { alice } = people();
    const { networks } = await alice.ask(201, 'POST', '/networks', named('b3', 'b1', 'b2'));
    expect(names(networks)).toEqual(['b3', 'b1', 'b2']);
    const solo = await alice.ask(201, 'POST', '/networks', named('solo'));
    expect(solo.networks).toHaveLength(1);
    expect(solo.network).toBeUndefined();
  });

  it('are all made, or none', async () => {
    const { admin, alice } = people();
    await admin.change('quota', alice.project, { network: 2 });
    await alice.refused(409, 'OverQuota').ask('POST', '/networks', named('q1', 'q2', 'q3'));
    expect(await alice.list('networks')).toEqual([]);
    await alice.ask(201, 'POST', '/networks', named('q1', 'q2'));
    expect(await alice.refused(409, 'OverQuota').create('network', { name: 'q3' })).toContain('network');
    const mixed = { networks: [{ name: 'x' }, { name: 'y', mtu: 'wide' }] };
    await alice.refused(400).ask('POST', '/networks', mixed);
    await alice.refused(400).ask('POST', '/networks', { networks: [] });
    expect(await alice.list('networks')).toHaveLength(2);
  });

  it('that stand in each other’s way are none', async () => {
    const { alice } = people();
    const net = await alice.network();
    const port = { network_id: net.id, mac_address: 'fa:16:3e:00:00:09' };
    await alice.refused(409, 'MacAddressInUse').ask('POST', '/ports', { ports: [port, port] });
    expect(await alice.list(`ports?network_id=${net.id}`)).toEqual([]);
  });
});
