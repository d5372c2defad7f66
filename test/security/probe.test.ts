import { afterAll, beforeAll, expect, it } from 'vitest';
import { admin, member, Stack } from './stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('sec');
});
afterAll(() => stack.stop());
it('probe', async () => {
  console.log(
    stack
      .resources()
      .map(
        (r) =>
          `${r.collection} ${r.operations} ${Object.keys(r.member_actions ?? {})} ${Object.keys(r.collection_actions ?? {})}`,
      )
      .join('\n'),
  );
  const alice = member('alice'),
    bob = member('bob');
  const net = await stack.create('network', { name: 'n' }, alice);
  const sub = await stack.create('subnet', { network_id: net.id, ip_version: 4, cidr: '10.0.0.0/24' }, alice);
  const port = await stack.create('port', { network_id: net.id }, alice);
  const bnet = await stack.create('network', { name: 'bn' }, bob);
  const absent = crypto.randomUUID();
  const show = async (m: string, p: string, o: any = {}) => {
    const a = await stack.call(m, p, o);
    console.log(m, p.slice(0, 200), JSON.stringify(o.body)?.slice(0, 200), '->', a.status, a.text.slice(0, 300));
    const e = stack.errors.splice(0);
    for (const x of e)
      console.log(
        '   ERR',
        String((x.fields as any)?.error?.message ?? (x.fields as any)?.error),
        (x.fields as any)?.error?.code,
      );
  };
  for (const id of [net.id, absent]) {
    await show('POST', '/v2.0/ports', { as: bob, body: { port: { network_id: id } } });
    await show('POST', '/v2.0/subnets', {
      as: bob,
      body: { subnet: { network_id: id, ip_version: 4, cidr: '10.1.0.0/24' } },
    });
    await show('GET', `/v2.0/networks/${id}`, { as: bob });
    await show('PUT', `/v2.0/networks/${id}`, {
      as: bob,
      body: { network: { name: 'x' } },
      headers: { 'If-Match': 'revision_number=77' },
    });
    await show('DELETE', `/v2.0/networks/${id}`, { as: bob });
    await show('GET', `/v2.0/networks?marker=${id}&limit=1`, { as: bob });
    await show('GET', `/v2.0/ports?network_id=${id}`, { as: bob });
  }
  for (const id of [sub.id, absent]) {
    await show('POST', '/v2.0/ports', {
      as: bob,
      body: { port: { network_id: bnet.id, fixed_ips: [{ subnet_id: id }] } },
    });
  }
  await show('PUT', `/v2.0/quotas/alice`, { body: { quota: { network: 7 } } });
  await show('PUT', `/v2.0/quotas/bob`, { body: { quota: { network: 7 } } });
  await show('GET', `/v2.0/quotas`, { as: { project: 'bob', roles: 'manager' } });
  await show('GET', `/v2.0/quotas`, { as: bob });
  await show('GET', `/v2.0/quotas/alice`, { as: bob });
  await show('GET', `/v2.0/quotas/alice/details`, { as: bob });
  await show('GET', `/v2.0/quotas/nobody/details`, { as: bob });
  await show('PUT', `/v2.0/quotas/${'x'.repeat(300)}`, { body: { quota: { network: 7 } } });
  await show('PUT', `/v2.0/quotas/${'x'.repeat(300)}`, { body: { quota: { network: 700, force: true } } });
  await show('POST', `/v2.0/networks`, { as: { project: 'y'.repeat(300), roles: 'member' }, body: { network: {} } });
  await show('GET', `/v2.0/networks`, { as: { project: 'y'.repeat(300), roles: 'member' } });
  for (const s of ['configurations', 'alive', 'resources_synced', 'heartbeat_timestamp'])
    await show('GET', `/v2.0/agents?sort_key=${s}&sort_dir=asc`);
  for (const c of [
    '0000-01-01T00:00:00Z',
    '2026-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59Z',
    '2026-01-01T00:00:00.' + '1'.repeat(200) + 'Z',
    '2026-01-01T24:00:00Z',
    '2026-02-30T00:00:00Z',
  ])
    await show('GET', `/v2.0/networks?changed_since=${encodeURIComponent(c)}`);
  const weird = '0-0000000000000000000000000000000-';
  for (const u of [weird, `{${net.id}}`, net.id.toUpperCase(), net.id.replaceAll('-', '')]) {
    await show('POST', '/v2.0/ports', { body: { port: { network_id: u } } });
    await show('POST', '/v2.0/ports', { as: alice, body: { port: { network_id: u } } });
    await show('POST', '/v2.0/subnets', { body: { subnet: { network_id: u, ip_version: 4, cidr: '10.1.0.0/24' } } });
    await show('POST', '/v2.0/ports', { body: { port: { network_id: net.id, fixed_ips: [{ subnet_id: u }] } } });
    await show('GET', `/v2.0/ports?network_id=${u}&fixed_ips=subnet_id=${u}`);
    await show('GET', `/v2.0/networks/${encodeURIComponent(u)}`);
  }
  for (const h of [1, true, [], {}, { a: 'x'.repeat(300) }, 'h'.repeat(256), null, 'a/b#+', '\u{1F600}'.repeat(200)])
    await show('POST', '/v2.0/ports', { body: { port: { network_id: net.id, 'binding:host_id': h } } });
  await show('POST', '/v2.0/ports', {
    body: { port: { network_id: net.id, 'binding:profile': { a: 1e308, b: { c: [1, 2] } } } },
  });
  await show('POST', '/v2.0/networks', {
    body: { network: { 'provider:network_type': 'gre', 'provider:segmentation_id': 1.5 } },
  });
  await show('POST', '/v2.0/networks', {
    body: { network: { 'provider:network_type': 'local', 'provider:segmentation_id': 1e300, mtu: 4294967296 } },
  });
  await show('POST', '/v2.0/networks', { body: { network: { mtu: 4294967296 } } });
  await show('POST', '/v2.0/networks', { body: { network: { mtu: '-0' } } });
  await show('PUT', `/v2.0/networks/${net.id}`, { body: { network: { mtu: 99999999999 } } });
  console.log((await stack.dump()).length);
});
