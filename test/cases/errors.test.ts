import { describe, expect, it } from 'vitest';
import { unknownId, useCloud } from './support.ts';

const people = useCloud('errors');

describe('an id that can be none', () => {
  it.each([
    ['network', 'not-a-uuid', 'NetworkNotFound'],
    ['port', 'my%20port%20name', 'PortNotFound'],
    ['subnet', '%27%3B--', 'SubnetNotFound'],
    ['security_group', 'default', 'SecurityGroupNotFound'],
    ['subnetpool', 'pool', 'SubnetPoolNotFound'],
  ])('is one of nothing: %s %s', async (member, id, type) => {
    const { alice } = people();
    await alice.refused(404, type).show(member, id);
    await alice.refused(404, type).remove(member, id);
    await alice.refused(404, type).change(member, id, { name: 'x' });
  });
});

describe('a body', () => {
  it('under another name says which was expected', async () => {
    const { alice } = people();
    expect(await alice.refused(400).ask('POST', '/networks', { net: { name: 'x' } })).toContain('network');
    await alice.refused(400).ask('POST', '/networks', { port: {} });
    await alice.refused(400).ask('POST', '/networks', {});
    await alice.refused(400).ask('POST', '/networks', { network: [] });
    await alice.refused(400).ask('POST', '/networks', { network: null });
    await alice.refused(400).ask('POST', '/networks', { networks: {} });
  });

  it('sets nothing that is the server’s own', async () => {
    const { alice } = people();
    const net = await alice.network();
    const sub = await alice.subnet(net, '10.0.0.0/24');
    const port = await alice.port(net);
    await alice.refused(400).change('network', net.id, { status: 'DOWN' });
    await alice.refused(400).change('network', net.id, { id: unknownId() });
    await alice.refused(400).change('network', net.id, { revision_number: 7 });
    await alice.refused(400).change('network', net.id, { created_at: '2026-01-01T00:00:00Z' });
    await alice.refused(400).change('subnet', sub.id, { cidr: '10.9.0.0/24' });
    await alice.refused(400).change('subnet', sub.id, { network_id: net.id });
    await alice.refused(400).change('port', port.id, { network_id: net.id });
    await alice.refused(400).create('network', { status: 'ACTIVE' });
    await alice.refused(400).create('network', { id: unknownId() });
    await alice.refused(400).create('port', { network_id: net.id, status: 'ACTIVE' });
  });

  it('of an action or a quota with a wrong key is refused, never a failure', async () => {
    const { admin, alice } = people();
    const group = await alice.create('address_group', { name: 'g' });
    const add = `/address-groups/${group.id}/add_addresses`;
    for (const body of [{}, { addresses: [1] }, { addresses: 'x' }, [], { address_group: 1 }]) {
      await alice.refused(400).ask('PUT', add, body);
    }
    for (const body of [{}, { quota: null }, { quota: [] }, { quota: { network: 'x' } }, { quota: { bogus: 1 } }]) {
      await admin.refused(400).ask('PUT', `/quotas/${alice.project}`, body);
    }
  });

  it('in XML is refused, and so is asking for it', async () => {
    const { alice } = people();
    expect((await alice.send('GET', '/networks', { headers: { Accept: 'text/xml' } })).status).toBe(406);
    const xml = { body: '<network/>', headers: { 'Content-Type': 'text/xml' } };
    expect([400, 415]).toContain((await alice.send('POST', '/networks', xml)).status);
  });
});

describe('a path', () => {
  it('that names nothing is not found', async () => {
    const { alice } = people();
    const net = await alice.network();
    for (const path of ['/no_such_things', `/networks/${net.id}/nothing`, `/networks/${net.id}/tags/a/b`]) {
      await alice.refused(404).ask('GET', path);
    }
  });

  it('takes dashes for underscores', async () => {
    const { alice } = people();
    const group = await alice.create('security_group', { name: 'g' });
    expect((await alice.ask(200, 'GET', `/security_groups/${group.id}`)).security_group.id).toBe(group.id);
  });
});

describe('deleting twice', () => {
  it('is done, then not found', async () => {
    const { alice } = people();
    const net = await alice.network();
    const sub = await alice.subnet(net, '10.0.0.0/24');
    const port = await alice.port(net);
    for (const [member, { id }] of [
      ['port', port],
      ['subnet', sub],
      ['network', net],
    ] as const) {
      await alice.remove(member, id);
      await alice.refused(404).remove(member, id);
    }
  });

  it('at once is done once', async () => {
    const { alice } = people();
    const net = await alice.network();
    const port = await alice.port(net);
    expect(await alice.race(5, 'DELETE', `/ports/${port.id}`, undefined)).toEqual({ 204: 1, 404: 4 });
    expect(await alice.race(5, 'DELETE', `/networks/${net.id}`, undefined)).toEqual({ 204: 1, 404: 4 });
  });
});
