/** Whatever is sent, the API answers, and never with 500. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHarness } from './support/harness.ts';

const harness = createHarness();
const runs = { numRuns: 400 };

const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS');
const caller = fc.constantFrom('admin', 'alice', 'reader', 'nobody', null);
const segment = fc.oneof(
  fc.constantFrom(
    'boxes',
    'wooden-things',
    'hinges',
    'labels',
    'shop',
    'orders',
    'summary',
    'extensions',
    'spin_box',
    '..',
    '__proto__',
  ),
  fc.uuid(),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.stringMatching(/^[%\w.;~-]{0,8}$/),
);
const path = fc.array(segment, { maxLength: 5 }).map((segments) => `/v2.0/${segments.join('/')}`);
const parameter = fc.tuple(
  fc.oneof(
    fc.constantFrom(
      'id',
      'name',
      'admin_state_up',
      'lids',
      'fields',
      'sort_key',
      'sort_dir',
      'limit',
      'marker',
      'page_reverse',
      'tags',
      'changed_since',
      'tenant_id',
      'constructor',
    ),
    fc.string({ maxLength: 6 }),
  ),
  fc.oneof(
    fc.constantFrom('', '0', '-1', '1e9', 'asc', 'desc', 'True', 'a=b', '=', 'id', 'name', '2026-99-99T00:00:00Z'),
    fc.string({ maxLength: 8 }),
  ),
);
const query = fc.array(parameter, { maxLength: 5 }).map((pairs) => new URLSearchParams(pairs).toString());
const value = fc.jsonValue({ maxDepth: 4 });
const attributes = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      'name',
      'admin_state_up',
      'shared',
      'secret',
      'lids',
      'tenant_id',
      'project_id',
      'box_id',
      'paint:colour',
      '__proto__',
      'toString',
    ),
    fc.string({ maxLength: 5 }),
  ),
  value,
);
const body = fc.oneof(
  fc.record({ box: attributes }),
  fc.record({ boxes: fc.array(attributes, { maxLength: 3 }) }),
  fc.record({ wooden_thing: attributes }),
  fc.record({ hinge: attributes }),
  value,
);

it('for any method, path and query', async () => {
  await fc.assert(
    fc.asyncProperty(method, path, query, caller, async (verb, where, what, as) => {
      const { status } = await harness.call(verb, `${where}?${what}`, { as });
      expect(status).toBeLessThan(500);
    }),
    runs,
  );
});

it('for any body that is JSON', async () => {
  const where = fc.constantFrom(
    ['POST', '/v2.0/boxes'],
    ['POST', '/v2.0/wooden-things'],
    ['POST', '/v2.0/boxes/1/hinges'],
    ['PUT', '/v2.0/boxes/1'],
    ['PUT', '/v2.0/boxes/1/spin_box'],
    ['PUT', '/v2.0/boxes/1/labels/x'],
    ['DELETE', '/v2.0/boxes/1'],
  );
  await fc.assert(
    fc.asyncProperty(where, body, caller, async ([verb, to], sent, as) => {
      const { status } = await harness.call(verb!, to!, { as, body: JSON.stringify(sent) });
      expect(status).toBeLessThan(500);
    }),
    runs,
  );
});

it('for any body that is not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (sent) => {
      const { status } = await harness.call('POST', '/v2.0/boxes', { body: sent });
      expect(status).toBe(400);
    }),
    runs,
  );
});
