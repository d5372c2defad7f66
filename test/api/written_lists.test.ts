/**
 * What PostgreSQL writes as JSON, items of lists and items shown one by one, reads as the same items made of objects: for every
 * resource, whoever asks, whatever fields are asked for, and whatever their values hold.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminContext } from '#src/lib/context.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { EVERY_PLUGIN, furnish } from '../security/areas/mod.ts';
import { admin, member, Stack, type Who } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('written_lists', EVERY_PLUGIN);
  await furnish(stack);
  const names = fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), 40).map(storable);
  const hard = ['"', '\\', '\\u0041', '\u0001\u001f\u007f', '\u2028\u2029', '</script>', 'ß→🙂', '\n\t\r\b\f', ' '];
  await bulk(
    'networks',
    [...hard, ...names].map((_, at) => ({ name: `n${at}` })),
    member('written'),
  );
  const network = await stack.create('network', { name: 'of ports' }, member('written'));
  await stack.call('PUT', `/v2.0/networks/${network.id}`, { body: { network: { shared: true } } });
  await stack.create('subnet', { network_id: network.id, ip_version: 4, cidr: '10.77.0.0/24' }, member('written'));
  const port = (at: number) => ({ 'binding:profile': { [`key ${at}`]: [1.5, null, true, hard[at]] }, tags: ['a b'] });
  await bulk(
    'ports',
    hard.map((_, at) => ({ network_id: network.id, name: `n${at}`, ...port(at) })),
    { project: 'written', roles: 'service,admin' },
  );
  // Straight into the database: what the API would refuse may have come there otherwise.
  for (const table of ['networks', 'ports']) {
    for (const [at, name] of [...hard, ...names].entries()) {
      await stack.database.sql`
        update ${stack.database.sql(table)} set name = ${name}, description = ${name} where name = ${`n${at}`}`;
    }
  }
  await bulk('ports', [{ network_id: network.id, name: 'a guest' }], member('guest'));
});
afterAll(() => stack?.stop());

async function bulk(collection: string, items: readonly unknown[], as: Who): Promise<void> {
  const { status, text } = await stack.call('POST', `/v2.0/${collection}`, { as, body: { [collection]: items } });
  if (status !== 201) throw new Error(text);
}

/** As PostgreSQL can keep it. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed();

const ASKING: readonly Who[] = [
  admin,
  member('written'),
  member('guest'),
  { project: 'written', roles: 'reader' },
  { project: 'written', roles: 'service' },
];

/** What is shown of each item of the list, as text without white space. */
async function shown(path: string, key: string, ids: readonly string[], query: string, as: Who): Promise<string[]> {
  const texts: string[] = [];
  for (const id of ids) {
    const { status, body } = await stack.call('GET', `${path}/${id}?${query}`, { as });
    expect(status).toBe(200);
    texts.push(JSON.stringify(body[key]));
  }
  return texts;
}

describe('an item of a list reads as when it is shown', () => {
  test('in every resource, to everybody', async () => {
    let compared = 0;
    for (const {
      collection,
      member: name,
      parent,
      path_prefix = '',
      operations,
      raw,
      key = 'id',
    } of stack.resources()) {
      // Quotas of one project are shown without its name, as in Neutron.
      if (
        collection === 'quotas' ||
        parent !== undefined ||
        raw ||
        !operations.includes('list') ||
        !operations.includes('show')
      )
        continue;
      const path = `/v2.0${path_prefix}/${collection.replaceAll('_', '-')}`;
      for (const as of ASKING) {
        const { status, body } = await stack.call('GET', path, { as });
        if (status !== 200) continue;
        const items: readonly Record<string, unknown>[] = body[collection];
        const ids = items.map((item) => String(item[key]));
        expect(items.map((item) => JSON.stringify(item))).toEqual(await shown(path, name, ids, '', as));
        compared += items.length;
      }
    }
    expect(compared).toBeGreaterThan(300);
  });

  test('and has the values that the plugin gives as an object', async () => {
    const asking = { ...adminContext(), project_id: admin.project ?? null };
    let compared = 0;
    for (const collection of ['ports', 'networks', 'subnets', 'security_groups']) {
      const verb = `get_${collection.slice(0, -1)}`;
      const get = stack.plugins.find(({ verbs }) => verbs[verb] !== undefined)?.verbs[verb];
      const items: readonly Record<string, unknown>[] = (
        await stack.call('GET', `/v2.0/${collection.replaceAll('_', '-')}`)
      ).body[collection];
      for (const item of items) {
        const object = (await get?.(asking, { id: String(item['id']), parents: {} })) as Resource;
        expect(item).toEqual(Object.fromEntries(Object.keys(item).map((name) => [name, object[name]])));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(50);
  });

  test('with any fields', async () => {
    for (const collection of ['ports', 'networks', 'subnets', 'security_groups']) {
      const resource = stack.resources().find((one) => one.collection === collection);
      if (resource === undefined) continue;
      const path = `/v2.0/${collection.replaceAll('_', '-')}`;
      const names = [...Object.keys(resource.attributes), 'nonsense'];
      const some = fc.tuple(fc.subarray(names, { minLength: 1, maxLength: 5 }), fc.constantFrom(...ASKING));
      const picked = { numRuns: 12 };
      const check = fc.asyncProperty(some, async ([fields, as]) => {
        const query = fields.map((field) => `fields=${encodeURIComponent(field)}`).join('&');
        const ids = (await stack.call('GET', `${path}?fields=id&limit=4`, { as })).body[collection].map(
          (item: { id: string }) => item.id,
        );
        const listed = (await stack.call('GET', `${path}?${query}&limit=4`, { as })).body[collection];
        expect(listed.map((item: unknown) => JSON.stringify(item))).toEqual(
          await shown(path, resource.member, ids, query, as),
        );
      });
      await fc.assert(check, picked);
    }
  });
});

test('an owner of the network sees the ports of guests, a guest only its own', async () => {
  const names = async (as: Who) =>
    (await stack.call('GET', '/v2.0/ports?fields=name&name=a+guest', { as })).body.ports.map(
      (port: { name: string }) => port.name,
    );
  expect(await names(member('written'))).toEqual(['a guest']);
  expect(await names(member('guest'))).toEqual(['a guest']);
  expect(await names(member('stranger'))).toEqual([]);
});

test('the list of a page has the links of its first and last item', async () => {
  const first = await stack.call('GET', '/v2.0/ports?fields=name&limit=2');
  expect(first.body.ports).toHaveLength(2);
  const next = first.body.ports_links.find(({ rel }: { rel: string }) => rel === 'next').href;
  const second = await stack.call('GET', next.slice(next.indexOf('/v2.0')));
  const both = await stack.call('GET', '/v2.0/ports?fields=name&limit=4');
  expect([...first.body.ports, ...second.body.ports]).toEqual(both.body.ports);
});
