import { createHarness } from './support/harness.ts';
const h = createHarness({ options: {} });
const silent = { debug() {}, info() {}, warn() {}, error() {}, child() { return silent; } } as never;
const hh = createHarness({ options: { log: silent } });
const mk = await hh.call('POST', '/v2.0/boxes', { as: 'alice', body: { box: { name: 'x' } } });
const id = mk.body.box.id;
for (let i = 0; i < 999; i++) await hh.call('POST', '/v2.0/boxes', { as: 'alice', body: { box: { name: `x${i}` } } });
async function bench(name: string, path: string, n: number, as = 'alice') {
  const once = async () => {
    const r = await hh.api.fetch(new Request(`http://localhost:9696${path}`, { headers: { 'x-auth-token': as } }), { address: '1' });
    await r.text();
    hh.calls.length = 0; hh.asked.length = 0;
  };
  for (let i = 0; i < n / 5; i++) await once();
  const t = performance.now();
  for (let i = 0; i < n; i++) await once();
  console.log(name, (((performance.now() - t) / n) * 1000).toFixed(1), 'us');
}
const t = performance.now();
for (let i = 0; i < 20000; i++) { const r = new Request(`http://localhost:9696/v2.0/`, { headers: { 'x-auth-token': 'a' } }); await new Response('x', { headers: { a: 'b' } }).text(); }
console.log('harness itself', (((performance.now() - t) / 20000) * 1000).toFixed(1), 'us');
await bench('show', `/v2.0/boxes/${id}`, 20000);
await bench('show admin', `/v2.0/boxes/${id}`, 20000, 'admin');
await bench('show fields', `/v2.0/boxes/${id}?fields=id`, 20000);
await bench('404', `/v2.0/foos`, 20000);
await bench('list 1000', `/v2.0/boxes`, 200);
await bench('list 1000 admin', `/v2.0/boxes`, 200, 'admin');
