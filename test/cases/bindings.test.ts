import { describe, expect, it } from 'vitest';
import { useCloud } from './support.ts';

const people = useCloud('bindings', { ml2: { mechanism_drivers: ['openvswitch'] } }, ['cmp1', 'cmp2']);

describe('bindings of a port', () => {
  it('are several while it migrates, and one of them is active at any time', async () => {
    const { alice, nova } = people();
    const network = await alice.network();
    await alice.subnet(network, '10.0.0.0/24');
    const { id } = await nova.port(network, {
      'binding:host_id': 'cmp1',
      device_owner: 'compute:nova',
      device_id: 'vm1',
    });
    const bindings = `/ports/${id}/bindings`;
    const second = { binding: { host: 'cmp2' } };
    const { binding } = await nova.ask(201, 'POST', bindings, second);
    expect(binding).toMatchObject({ host: 'cmp2', status: 'INACTIVE' });
    await nova.refused(409, 'PortBindingAlreadyExists').ask('POST', bindings, second);
    const list = (await nova.ask(200, 'GET', bindings)).bindings;
    expect(list.map(({ host }: { host: string }) => host)).toEqual(['cmp1', 'cmp2']);
    expect(await nova.ask(200, 'PUT', `${bindings}/cmp2/activate`)).toMatchObject({ host: 'cmp2', status: 'ACTIVE' });
    expect((await nova.show('port', id))['binding:host_id']).toBe('cmp2');
    await nova.refused(409, 'PortBindingAlreadyActive').ask('PUT', `${bindings}/cmp2/activate`);
    await nova.ask(204, 'DELETE', `${bindings}/cmp1`);
    await nova.refused(404, 'PortBindingNotFound').ask('DELETE', `${bindings}/nohost`);
  });

  it('are for services to change, not for administrators who are none', async () => {
    const { admin, nova } = people();
    const { id } = await nova.port(await admin.network(), { 'binding:host_id': 'cmp1', device_owner: 'compute:nova' });
    const path = `/ports/${id}/bindings`;
    await admin.refused(403, 'PolicyNotAuthorized').ask('POST', path, { binding: { host: 'cmp2' } });
    expect((await admin.ask(200, 'GET', path)).bindings).toHaveLength(1);
  });

  it('are not for ports that are no instance’s', async () => {
    const { nova } = people();
    const { id } = await nova.port(await nova.network());
    await nova.refused(400, 'BadRequest').ask('POST', `/ports/${id}/bindings`, { binding: { host: 'cmp2' } });
  });
});
