import { ADMIN, World } from './support.ts';

const w = await World.start({ quotas: { quota_port: -1, quota_network: -1, quota_subnet: -1 } });
const { network, subnet } = await w.lan({ cidr: '10.0.0.0/16' });
const run = async (name: string, clients: number, ms: number, op: (i: number) => Promise<unknown>) => {
  const end = performance.now() + ms;
  let n = 0;
  const lat: number[] = [];
  const t0 = performance.now();
  const c0 = process.cpuUsage();
  await Promise.all(
    Array.from({ length: clients }, async (_, c) => {
      while (performance.now() < end) {
        const s = performance.now();
        await op(n++);
        lat.push(performance.now() - s);
      }
    }),
  );
  lat.sort((a, b) => a - b);
  const c = process.cpuUsage(c0);
  console.log(
    name,
    clients,
    'rate',
    ((n / (performance.now() - t0)) * 1000).toFixed(0),
    'p50',
    lat[lat.length >> 1]!.toFixed(2),
    'p99',
    lat[Math.floor(lat.length * 0.99)]!.toFixed(2),
    'node cpu ms/op',
    ((c.user + c.system) / 1000 / n).toFixed(2),
  );
};
const ids: string[] = [];
const mk = async () => {
  ids.push((await w.create('port', { network_id: network.id, name: 'p' })).id);
};
await run('warm', 8, 1000, mk);
await run('create port', 1, 3000, mk);
await run('create port', 8, 3000, mk);
const mk2 = async (i: number) => {
  ids.push((await w.create('port', { network_id: network.id, name: 'p', project_id: `q${i % 8}` })).id);
};
await run('warm2', 8, 500, mk2);
await run('create port 8 projects', 8, 3000, mk2);
await run('create port again', 8, 2000, mk);
await run('show port', 1, 1500, (i) => w.show('port', ids[i % ids.length]!));
await run('show port', 8, 1500, (i) => w.show('port', ids[i % ids.length]!));
await run('update port', 1, 1500, (i) => w.update('port', ids[i % ids.length]!, { name: `n${i}` }));
await run('update port', 8, 1500, (i) => w.update('port', ids[i % ids.length]!, { name: `m${i}` }));
await run('bulk 50', 1, 1500, () =>
  w.call('create_port_bulk', { bodies: Array.from({ length: 50 }, () => ({ network_id: network.id })) }),
);
await run('list 1000', 1, 2000, () => w.list('port', { limit: 1000 }));
await run('list 100', 1, 1000, () => w.list('port', { limit: 100 }));
await run('list 1000 id', 1, 1000, () => w.list('port', { limit: 1000, fields: ['id'] }));
await run('delete port', 1, 1500, () => w.remove('port', ids.pop() ?? ids[0]!).catch(() => {}));
await run('delete port', 8, 1500, () => w.remove('port', ids.pop() ?? ids[0]!).catch(() => {}));
await run('create network', 1, 1500, () =>
  w.create('network', { name: 'p', 'provider:network_type': 'geneve' }).catch(() => {}),
);
console.log('create port statements', await w.statements(mk), 'list', await w.statements(() => w.list('port')));
await w.stop();
