import { describe, expect, it } from 'vitest';
import { useCloud } from './support.ts';

const people = useCloud('mac');

describe('a MAC address', () => {
  it('is one port’s on its network, however it is written; on another network it may come again', async () => {
    const { alice } = people();
    const net = await alice.network();
    const mac_address = 'fa:16:3e:11:22:33';
    const port = await alice.port(net, { mac_address });
    for (const again of [mac_address, 'FA:16:3E:11:22:33', 'fa-16-3e-11-22-33']) {
      await alice.refused(409, 'MacAddressInUse').create('port', { network_id: net.id, mac_address: again });
    }
    await alice.port(await alice.network(), { mac_address });
    await alice.remove('port', port.id);
    await alice.port(net, { mac_address });
  });

  it('goes to one of several ports that want it at once', async () => {
    const { alice } = people();
    const net = await alice.network();
    const body = { port: { network_id: net.id, mac_address: 'fa:16:3e:aa:bb:cc' } };
    expect(await alice.race(5, 'POST', '/ports', body)).toEqual({ 201: 1, 409: 4 });
  });

  it.each(['zz:16:3e:00:00:01', 'fa:16:3e:00:00', '00:00:00:00:00:00', '', 5, [], 'ff:ff:ff:ff:ff:ff'])(
    'is not %j',
    async (mac_address) => {
      const { alice } = people();
      const net = await alice.network();
      await alice.refused(400).create('port', { network_id: net.id, mac_address });
    },
  );

  it('that nobody chose begins as configured', async () => {
    const { alice } = people();
    const port = await alice.port(await alice.network());
    expect(port.mac_address).toMatch(/^fa:16:3e(:[0-9a-f]{2}){3}$/);
  });
});
