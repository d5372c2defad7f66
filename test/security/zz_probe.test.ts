import { it } from 'vitest';
import { Stack } from '../support/stack.ts';
it('x', async () => {
  const stack = await Stack.start('probe', {}, 1);
  for (const path of ['networks', 'ports', 'subnets', 'security-groups', 'security-group-rules', 'agents', 'subnetpools']) {
    const ts: number[] = [];
    for (let i = 0; i < 100; i++) { const t = performance.now(); await stack.call('GET', `/v2.0/${path}`); ts.push(performance.now() - t); }
    ts.sort((a, b) => a - b);
    const n = (await stack.database.sql`select count(*)::int as n from pg_prepared_statements`)[0]!['n'];
    console.log('list', path, 'min', ts[0]!.toFixed(2), 'median', ts[50]!.toFixed(2), 'prepared', n);
  }
  await stack.stop();
}, 120000);
