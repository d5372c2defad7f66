import { describe, expect, it } from 'vitest';
import { changeEvents, deletionEvents, statusEvents } from './events.ts';

const SERVER = '5d2b0d8b-92d8-4a33-a3d5-0c5e0c9b4f3b';
const PORT = { id: 'p', device_owner: 'compute:nova', device_id: SERVER };

describe('statusEvents()', () => {
  it.each([
    ['DOWN', 'ACTIVE', ['network-vif-plugged completed']],
    ['BUILD', 'ACTIVE', ['network-vif-plugged completed']],
    ['DOWN', 'ERROR', ['network-vif-plugged failed']],
    ['BUILD', 'ERROR', ['network-vif-plugged failed']],
    ['ACTIVE', 'DOWN', ['network-vif-unplugged completed']],
    ['ACTIVE', 'BUILD', []],
    ['ACTIVE', 'ERROR', []],
    ['ACTIVE', 'ACTIVE', []],
    ['ERROR', 'ACTIVE', []],
    ['DOWN', 'BUILD', []],
    ['BUILD', 'DOWN', []],
  ])('of %s -> %s are %j', (was, is, expected) => {
    const events = statusEvents({ ...PORT, status: was }, { ...PORT, status: is });
    expect(events.map(({ name, status }) => `${name} ${status}`)).toEqual(expected);
  });

  it('are not what the DHCP agent has done while the port migrates', () => {
    const [was, is] = [
      { ...PORT, status: 'DOWN' },
      { ...PORT, status: 'ACTIVE' },
    ];
    const moving = { ...is, 'binding:profile': { migrating_to: 'host2' } };
    const counts = [statusEvents(was, moving, 'DHCP'), statusEvents(was, moving, 'L2'), statusEvents(was, is, 'DHCP')];
    expect(counts.map((events) => events.length)).toEqual([0, 1, 1]);
  });
});

describe('events', () => {
  it.each([
    [SERVER, 'compute:nova', true],
    [SERVER.toUpperCase().replaceAll('-', ''), 'compute:az', true],
    [`urn:uuid:${SERVER}`, 'compute:nova', true],
    ['vm1', 'compute:nova', false],
    ['', 'compute:nova', false],
    [SERVER, 'network:dhcp', false],
    [SERVER, '', false],
  ])('of a port of device %s and owner "%s": %s', (device_id, device_owner, told) => {
    const port = { id: 'p', device_id, device_owner };
    const event = { server_uuid: device_id, status: null, tag: 'p' };
    expect(changeEvents(port)).toEqual(told ? [{ ...event, name: 'network-changed' }] : []);
    expect(deletionEvents(port)).toEqual(told ? [{ ...event, name: 'network-vif-deleted' }] : []);
  });
});
