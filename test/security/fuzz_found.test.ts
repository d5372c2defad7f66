/** What hostile requests have once found, and what might be: each is answered, and changes nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Stack } from '../support/stack.ts';
import { EVERY_PLUGIN, furnish } from './areas/mod.ts';
import { inTime } from './hostile.ts';

let stack: Stack;
let ids: Readonly<Record<string, string>>;
beforeAll(async () => {
  stack = await Stack.start('found', EVERY_PLUGIN);
  ({ ids } = await furnish(stack));
});
beforeEach(() => {
  stack.errors.length = 0;
});
afterAll(() => stack.stop());

const summary = ({ fields }: Stack['errors'][number]) => {
  const error = fields?.['error'];
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

describe('what was once found', () => {
  const net = () => ids['networks'];
  const port = (attributes: Readonly<Record<string, unknown>>) => ({ port: { network_id: net(), ...attributes } });
  /** A UUID by its digits, that PostgreSQL does not read as one. */
  const ODD_UUID = '0-0000000000000000000000000000000-';

  const EXAMPLES: Readonly<
    Record<string, () => readonly [status: number, method: string, path: string, body?: unknown]>
  > = {
    'a project id too long for its column': () => [
      400,
      'PUT',
      `/v2.0/quotas/${'x'.repeat(256)}`,
      { quota: { network: 7, force: true } },
    ],
    'a list sorted by what has no order': () => [400, 'GET', '/v2.0/agents?sort_key=configurations&sort_dir=asc'],
    'changed_since in the year 0': () => [400, 'GET', '/v2.0/networks?changed_since=0000-01-01T00:00:00Z'],
    'changed_since beyond the year 9999': () => [400, 'GET', '/v2.0/networks?changed_since=9999-12-31T23:59:59-14:00'],
    'a network by an odd UUID, for a port': () => [404, 'POST', '/v2.0/ports', { port: { network_id: ODD_UUID } }],
    'a network by an odd UUID, for a subnet': () => [
      404,
      'POST',
      '/v2.0/subnets',
      { subnet: { network_id: ODD_UUID, ip_version: 4, cidr: '10.0.0.0/24' } },
    ],
    'an object by an odd UUID, to share': () => [
      404,
      'POST',
      '/v2.0/rbac-policies',
      {
        rbac_policy: {
          object_type: 'network',
          object_id: ODD_UUID,
          action: 'access_as_shared',
          target_tenant: '0'.repeat(32),
        },
      },
    ],
    'a subnet by an odd UUID': () => [404, 'POST', '/v2.0/ports', port({ fixed_ips: [{ subnet_id: ODD_UUID }] })],
    'a host too long for its column': () => [400, 'POST', '/v2.0/ports', port({ 'binding:host_id': 'h'.repeat(256) })],
    'a host that is no text': () => [400, 'POST', '/v2.0/ports', port({ 'binding:host_id': { a: 1 } })],
    'a name of a subnet pool too long for its column': () => [
      400,
      'POST',
      '/v2.0/subnetpools',
      { subnetpool: { name: 'a'.repeat(256), prefixes: ['192.0.2.0/24'] } },
    ],
    'an MTU beyond 32 bits': () => [400, 'POST', '/v2.0/networks', { network: { mtu: 2 ** 32 } }],
    'service types that are empty in another way than a list': () => [
      200,
      'PUT',
      `/v2.0/subnets/${ids['subnets']}`,
      { subnet: { service_types: {} } },
    ],
    'service types that are null': () => [
      200,
      'PUT',
      `/v2.0/subnets/${ids['subnets']}`,
      { subnet: { service_types: null } },
    ],
    'a body nested without end': () => [400, 'POST', '/v2.0/networks', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    'an attribute nested without end': () => [
      400,
      'POST',
      '/v2.0/networks',
      `{"network": {"name": ${'{"a":'.repeat(18_000)}1${'}'.repeat(18_000)}}}`,
    ],
    'a body of ten million bytes': () => [413, 'POST', '/v2.0/networks', 'x'.repeat(10_000_000)],
    'a body in UTF-16': () => [400, 'POST', '/v2.0/networks', new Uint8Array(Buffer.from('{"network":{}}', 'utf16le'))],
    'a body that is no UTF-8': () => [
      400,
      'POST',
      '/v2.0/networks',
      new Uint8Array(Buffer.from('{"network":{"name":"\xff\xfe"}}}', 'latin1')),
    ],
    'a body cut short': () => [400, 'POST', '/v2.0/networks', '{"network": {"name": "x"'],
    'a body of a thousand networks': () => [
      409,
      'POST',
      '/v2.0/networks',
      { networks: Array.from({ length: 1000 }, () => ({})) },
    ],
    'a path with a bad escape': () => [404, 'GET', '/v2.0/networks/%zz'],
    'a path with a null character': () => [404, 'GET', '/v2.0/networks/%00'],
    'a path with half a character': () => [404, 'GET', '/v2.0/networks/%ed%a0%80'],
    'a path that goes up': () => [404, 'GET', '/v2.0/networks/%2e%2e%2fports'],
    'an id of eight thousand characters': () => [404, 'GET', `/v2.0/networks/${'a'.repeat(8000)}`],
    'a filter with a null character': () => [400, 'GET', '/v2.0/networks?name=%00'],
    'a query of a thousand values': () => [
      200,
      'GET',
      `/v2.0/networks?${Array.from({ length: 1000 }, (_, n) => `name=${n}`).join('&')}`,
    ],
    'a query of a thousand sort keys': () => [
      200,
      'GET',
      `/v2.0/networks?${Array.from({ length: 1000 }, () => 'sort_key=name&sort_dir=asc').join('&')}`,
    ],
    'a limit without end': () => [200, 'GET', `/v2.0/networks?limit=${'9'.repeat(400)}`],
  };

  it.each(Object.entries(EXAMPLES))('%s is answered', async (_, request) => {
    const [status, method, path, body] = request();
    const answer = await inTime(stack.call(method, path, body === undefined ? {} : { body }));
    expect({ status: answer.status, errors: stack.errors.map(summary) }).toEqual({ status, errors: [] });
    // No SQL, no stack, no file name in what a caller is told.
    expect(answer.text).not.toMatch(/select |insert |node_modules|\.ts:|PostgresError/i);
  });

  it('keys of a prototype are attributes like others, and unknown', async () => {
    for (const key of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty']) {
      const answer = await stack.call('POST', '/v2.0/networks', { body: `{"network": {"${key}": {"shared": true}}}` });
      expect(answer.body.NeutronError.message).toContain(`Unrecognized attribute(s) '${key}'`);
    }
    const bare = await stack.call('POST', '/v2.0/networks', { body: '{"__proto__": {"network": {}}}' });
    expect(bare.status).toBe(400);
    expect({}).not.toHaveProperty('shared');
  });

  it('the profile of a binding keeps the keys of a prototype without being changed by them', async () => {
    const as = { project: 'service', roles: 'admin,service' };
    const body = `{"port": {"network_id": "${net()}", "binding:profile": {"__proto__": {"a": 1}, "constructor": 2}}}`;
    const made = await stack.call('POST', '/v2.0/ports', { as, body });
    expect(made.status).toBe(201);
    expect(made.text).toContain('"__proto__":{"a":1}');
  });
});
