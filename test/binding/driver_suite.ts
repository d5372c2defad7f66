/** What every mechanism driver that binds by its agent does, whatever it plugs. */
import { describe, expect, test } from 'vitest';
import type { MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import { type Configurations, hostAgent, request, segment } from './support.ts';

export interface DriverCase {
  readonly driver: MechanismDriver;
  readonly agent_type: string;
  /** What the agent reports where it reaches `physnet1` by the interface or bridge `port1`. */
  readonly configurations: Configurations;
  /** The member of the report that names physical networks. */
  readonly mapping: string;
  readonly vnic_type: string;
  readonly vif_type: string;
  /** Of a port on VLAN 7 of physnet1. */
  readonly vif_details: Configurations;
}

const near = segment('vlan', 'physnet1', 7);
const far = segment('vlan', 'physnet9', 7);
const strange = segment('banana', null, null);

export function driverSuite(name: string, subject: DriverCase): void {
  const { driver, agent_type, configurations, vnic_type } = subject;
  const agents = [hostAgent(agent_type, configurations)];
  const ask = async (parts: Parameters<typeof request>[0]) => {
    const made = request({ agents, vnic_type, segments: [near], ...parts });
    return { offer: await driver.bind_port!(made.request), refused: made.refused };
  };

  describe(`mechanism driver ${name}`, () => {
    test('binds a port to a segment that the agent of its host reaches', async () => {
      const { vif_type, vif_details } = subject;
      const { offer, refused } = await ask({});
      expect(offer).toEqual(expect.objectContaining({ kind: 'bound', segment: near, vif_type, vif_details }));
      expect(refused).toEqual([]);
    });

    test('passes over segments out of reach, and says why', async () => {
      const { offer, refused } = await ask({ segments: [strange, far, near] });
      expect(offer).toMatchObject({ segment: near });
      expect(refused).toEqual([
        expect.stringMatching(/^banana: networks of type banana are out of reach, only .*flat, vlan$/),
        expect.stringMatching(/^vlan physnet97: the agent has no .*for physical network physnet9, only for physnet1$/),
      ]);
    });

    test('says that the host has no such agent', async () => {
      const other = hostAgent('Another agent', configurations);
      const { offer, refused } = await ask({ agents: [other] });
      expect(offer).toBeNull();
      expect(refused).toEqual([`there is no ${agent_type} on host h1`]);
    });

    test('says that the agent is dead, and since when', async () => {
      const { offer, refused } = await ask({ agents: [hostAgent(agent_type, configurations, false)] });
      expect(offer).toBeNull();
      expect(refused).toEqual([`the ${agent_type} on host h1 is dead; its last report is of 2026-01-31 12:00:00 UTC`]);
    });

    test('says that it does not bind ports of the kind', async () => {
      const { offer, refused } = await ask({ vnic_type: 'remote-managed' });
      expect(offer).toBeNull();
      expect(refused).toEqual([expect.stringMatching(/^vnic type remote-managed is not supported, only /)]);
    });

    test('keeps to the segments that the addresses are on', async () => {
      const elsewhere = await ask({ address_segments: ['another'] });
      expect(elsewhere.offer).toBeNull();
      expect(elsewhere.refused).toEqual([`${near.id}: the port's addresses are on another segment of the network`]);
      const here = await ask({ address_segments: [near.id] });
      expect(here.offer).toMatchObject({ segment: near });
      const levels = [{ driver: 'above', segment: far }];
      expect((await ask({ address_segments: [far.id], levels })).offer).toMatchObject({ segment: near });
    });

    test('has no segments to choose from: binds nothing', async () => {
      expect((await ask({ segments: [] })).offer).toBeNull();
    });

    test.each([
      ['nothing', {}],
      ['nonsense', { [subject.mapping]: 7, tunnel_types: 'vxlan', ovs_capabilities: [], datapath_type: {} }],
      ['a list for the mapping', { [subject.mapping]: ['physnet1'] }],
      ['null', { [subject.mapping]: null }],
    ])('takes a report that says %s', async (_, reported) => {
      const { offer, refused } = await ask({ agents: [hostAgent(agent_type, reported)] });
      expect(offer).toBeNull();
      expect(refused).toHaveLength(1);
    });

    test('knows which hosts reach a segment, whether their agents are alive or not', () => {
      const reaches = (segments: readonly (typeof near)[], alive = true, of = configurations) =>
        driver.host_has_segment?.([hostAgent(agent_type, of, alive)], segments);
      expect([reaches([far, near]), reaches([near], false), reaches([far]), reaches([])]).toEqual([
        true,
        true,
        false,
        false,
      ]);
      expect(driver.host_has_segment?.([hostAgent('Another agent', configurations)], [near])).toBe(false);
    });
  });
}
