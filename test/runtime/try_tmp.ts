import { readFile } from 'node:fs/promises';
import { Miniflare } from 'miniflare';
import { createEmbeddedIdentity } from '#src/identity/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { scrypt } from '#src/runtime/node/scrypt.ts';
import { migratedDatabase } from '../support/database.ts';

process.env['NUCLEON_TEST_POSTGRES_URL'] ??= 'postgresql://postgres@127.0.0.1:54329/postgres';
const d = await migratedDatabase('wk');
const id = createEmbeddedIdentity({
  db: d.db,
  clock: systemClock,
  scrypt,
  settings: {
    tokenSeconds: 3600,
    lockoutAttempts: 5,
    lockoutSeconds: 60,
    passwordHashCost: 14,
    adminUsername: 'admin',
    adminProject: 'admin',
    region: 'RegionOne',
    publicEndpoint: null,
  },
  log: silentLogger,
  metrics: silentMetrics,
  fallbackEndpoint: 'http://x',
});
console.log(await id.bootstrap('secret-secret'));
const mf = new Miniflare({
  modules: [{ type: 'ESModule', path: 'main.js', contents: await readFile('dist/workerd/main.js', 'utf8') }],
  compatibilityDate: '2026-07-01',
  compatibilityFlags: ['nodejs_compat'],
  host: '127.0.0.1',
  port: 0,
  bindings: { OS_DATABASE__CONNECTION: d.url, OS_DEFAULT__DEBUG: true },
});
const url = await mf.ready;
console.log(url.href);
const t0 = performance.now();
const show = async (r: Response) =>
  console.log(r.status, (await r.text()).slice(0, 300), (performance.now() - t0).toFixed(0));
await show(await fetch(new URL('/', url)));
await show(await fetch(new URL('/healthcheck', url)));
await show(await fetch(new URL('/v2.0/networks', url)));
const body = JSON.stringify({
  auth: {
    identity: {
      methods: ['password'],
      password: { user: { name: 'admin', domain: { id: 'default' }, password: 'secret-secret' } },
    },
    scope: { project: { name: 'admin', domain: { id: 'default' } } },
  },
});
const login = () =>
  fetch(new URL('/identity/v3/auth/tokens', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
const r = await login();
const token = r.headers.get('x-subject-token')!;
await show(r);
await show(await fetch(new URL('/v2.0/extensions', url), { headers: { 'x-auth-token': token } }));
const call = async (method: string, path: string, body?: unknown) => {
  const t = performance.now();
  const r = await fetch(new URL(path, url), {
    method,
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await r.text();
  console.log(method, path, r.status, text.slice(0, 200), (performance.now() - t).toFixed(1));
  return text ? JSON.parse(text) : undefined;
};
const n = (await call('POST', '/v2.0/networks', { network: { name: 'lan' } })).network;
const s = (await call('POST', '/v2.0/subnets', { subnet: { network_id: n.id, ip_version: 4, cidr: '10.0.0.0/24' } }))
  .subnet;
const p = (await call('POST', '/v2.0/ports', { port: { network_id: n.id, name: 'p' } })).port;
await Promise.all(Array.from({ length: 10 }, () => call('POST', '/v2.0/ports', { port: { network_id: n.id } })));
await call('GET', '/v2.0/ports?fields=id&fields=fixed_ips');
await call('PUT', '/v2.0/ports/' + p.id, { port: { name: 'x' } });
await call('DELETE', '/v2.0/ports/' + p.id);
await call('DELETE', '/v2.0/networks/' + n.id);
console.log(await d.sql`select topic, count(*) from outbox group by 1`);
console.log(
  await d.sql`select application_name, state, count(*) from pg_stat_activity where datname = current_database() group by 1,2`,
);
await mf.dispose();
await d.drop();
