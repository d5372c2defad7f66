/** The look that `Stack.call` takes at every refusal is not blind. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Stack } from '../support/stack.ts';

const CARELESS = fileURLToPath(new URL('careless_plugin.ts', import.meta.url));

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('refusals', { DEFAULT: { service_plugins: [CARELESS] } });
});
afterAll(() => stack.stop());

const wish = () => stack.call('POST', '/v2.0/wishes', { body: { wish: {} } });

it('a refusal that has changed something is found, with the table that it changed', async () => {
  await expect(wish()).rejects.toThrow(/was refused and changed something:\nquotas: 0 rows, 0 -> quotas: 1 rows/);
  await stack.clear();
});

it('what comes while others are under way is not looked at: the change may be theirs', async () => {
  const [first] = await Promise.all([wish(), stack.call('GET', '/v2.0/networks')]);
  expect(first.status).toBe(400);
});
