import { createHarness } from './test/api/support/harness.ts';
import * as http from './src/runtime/node/http.ts';
import { request } from 'node:http';
console.log(Object.keys(http));
const h = createHarness({ config: { oslo_middleware: { max_request_body_size: 300 } } });
const s = await (http as any).serveHttp({ host: '127.0.0.1', port: 0, handler: (r: Request, remote: any) => h.api.fetch(r, remote) });
const t = (method: string, path: string, body?: string, headers: Record<string,string> = {}) => new Promise<void>((ok) => {
  const r = request({ host: '127.0.0.1', port: s.port, method, path, headers: { 'x-auth-token': 'admin', ...headers } }, (res) => { let d = ''; res.on('data', (c) => (d += c)); res.on('end', () => { console.log(method, path, res.statusCode, res.headers['x-openstack-request-id'], d.slice(0, 120)); ok(); }); });
  if (body) r.write(body); r.end();
});
await t('GET', '/'); await t('HEAD', '/v2.0/boxes'); await t('HEAD', '/');
await t('POST', '/v2.0/boxes', '{"box":{"name":"a"}}');
await t('POST', '/v2.0/boxes', JSON.stringify({ box: { name: 'x'.repeat(400) } }));
await t('POST', '/v2.0/boxes', JSON.stringify({ box: { name: 'x'.repeat(400) } }), { 'content-length': '418' });
await t('DELETE', '/v2.0/boxes/1'); await t('DELETE', '/v2.0/boxes/1', '{}');
await t('GET', '/v2.0/boxes?limit=1&name=%C3%A9', undefined, { host: 'net.example:1' });
for (const n of [1, 2, 3]) { const t0 = performance.now(); await Promise.all(Array.from({ length: 2000 }, () => fetch(`http://127.0.0.1:${s.port}/v2.0/boxes?fields=id`, { headers: { 'x-auth-token': 'alice' } }).then((r) => r.text()))); console.log('2000 GETs', (performance.now() - t0).toFixed(0), 'ms'); h.calls.length = 0; }
await s.stop();
