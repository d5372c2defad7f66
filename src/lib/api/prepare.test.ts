import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adminContext, type Context } from '../context.ts';
import { NeutronError } from '../errors.ts';
import { ATTR_NOT_SPECIFIED, type AttributeMap } from './attributes.ts';
import { compileAttributes, convertFilterValue, prepareBody } from './prepare.ts';

const MINE = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);
const member: Context = { ...adminContext(), project_id: MINE, roles: ['member', 'reader'], is_admin: false };
const admin: Context = { ...adminContext(), project_id: MINE };

const map: AttributeMap = {
  id: { allow_post: false, allow_put: false, validate: { 'type:uuid': null } },
  name: { allow_post: true, allow_put: true, default: '', validate: { 'type:string': 255 } },
  network_id: { allow_post: true, allow_put: false, validate: { 'type:uuid': null } },
  admin_state_up: { allow_post: true, allow_put: true, default: true, convert_to: 'convert_to_boolean' },
  mac_address: {
    allow_post: true,
    allow_put: true,
    default: ATTR_NOT_SPECIFIED,
    validate: { 'type:mac_address': null },
  },
  fixed_ips: {
    allow_post: true,
    allow_put: true,
    default: ATTR_NOT_SPECIFIED,
    convert_list_to: 'convert_kvp_list_to_dict',
    validate: { 'type:fixed_ips': null },
  },
  tenant_id: { allow_post: true, allow_put: false, validate: { 'type:string': 255 } },
  dns: { allow_post: true, allow_put: true, default: null, convert_to: 'convert_none_to_empty_list' },
  profile: { allow_post: true, allow_put: true, default: {}, validate: { 'type:dict_or_none': null } },
};
const ports = compileAttributes(map);
const NETWORK = '00000000-ffff-ffff-ffff-000000000000';

function refusal(body: unknown, method: 'POST' | 'PUT' = 'POST', context = member, compiled = ports) {
  try {
    prepareBody(compiled, body, method, context);
  } catch (error) {
    if (error instanceof NeutronError) return `${error.status} ${error.type}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('prepareBody() for POST', () => {
  it('fills defaults, converts them too, and leaves out what has no value', () => {
    expect(prepareBody(ports, { network_id: NETWORK, admin_state_up: 'False' }, 'POST', member)).toEqual({
      name: '',
      network_id: NETWORK,
      admin_state_up: false,
      tenant_id: MINE,
      project_id: MINE,
      dns: [],
      profile: {},
    });
  });
  it('gives each body its own default objects', () => {
    const [one, two] = [1, 2].map(() => prepareBody(ports, { network_id: NETWORK }, 'POST', member));
    expect(one!['profile']).not.toBe(two!['profile']);
  });
  it.each([
    [{ foo: 1 }, "400 HTTPBadRequest: Unrecognized attribute(s) 'foo'"],
    [{ foo: 1, bar: 2, id: 3 }, "400 HTTPBadRequest: Unrecognized attribute(s) 'foo, bar'"],
    [{ id: NETWORK, network_id: NETWORK }, "400 HTTPBadRequest: Attribute 'id' not allowed in POST"],
    [{}, "400 HTTPBadRequest: Failed to parse request. Required attribute 'network_id' not specified"],
    [{ network_id: 'x' }, "400 HTTPBadRequest: Invalid input for network_id. Reason: 'x' is not a valid UUID."],
    [
      { network_id: NETWORK, admin_state_up: 'maybe' },
      "400 InvalidInput: Invalid input for operation: 'maybe' cannot be converted to boolean.",
    ],
    [
      { network_id: 'x', admin_state_up: 'maybe' },
      "400 HTTPBadRequest: Invalid input for network_id. Reason: 'x' is not a valid UUID.",
    ],
    [
      { admin_state_up: 'maybe' },
      "400 HTTPBadRequest: Failed to parse request. Required attribute 'network_id' not specified",
    ],
    [null, '400 HTTPBadRequest: Body contains invalid data'],
    [[], '400 HTTPBadRequest: Body contains invalid data'],
    ['text', '400 HTTPBadRequest: Body contains invalid data'],
    [undefined, '400 HTTPBadRequest: Body contains invalid data'],
  ])('refuses %j', (body, message) => expect(refusal(body)).toBe(message));
});

describe('prepareBody() for PUT', () => {
  it('takes what was sent and fills nothing', () => {
    expect(prepareBody(ports, { name: 'x', dns: null }, 'PUT', member)).toEqual({ name: 'x', dns: [] });
    expect(prepareBody(ports, {}, 'PUT', member)).toEqual({});
  });
  it('refuses read-only attributes', () => {
    expect(refusal({ id: NETWORK }, 'PUT')).toBe('400 HTTPBadRequest: Cannot update read-only attribute id');
    expect(refusal({ tenant_id: MINE }, 'PUT')).toMatch('Cannot update read-only attribute');
  });
});

describe('the project of a body', () => {
  const sent = { network_id: NETWORK };
  it.each(['tenant_id', 'project_id'])('may be named as %s and is set under both names', (name) => {
    const prepared = prepareBody(ports, { ...sent, [name]: OTHER }, 'POST', admin);
    expect([prepared['tenant_id'], prepared['project_id']]).toEqual([OTHER, OTHER]);
  });
  it('must be the same under both names', () =>
    expect(refusal({ ...sent, tenant_id: 'a', project_id: 'b' }, 'POST', admin)).toBe(
      "400 HTTPBadRequest: 'project_id' and 'tenant_id' do not match",
    ));
  it('must be the caller’s own unless the caller is privileged', () => {
    expect(refusal({ ...sent, project_id: OTHER })).toMatch(/^400 HTTPBadRequest: Only privileged callers/);
    expect(refusal({ ...sent, project_id: null })).toMatch(/^400 HTTPBadRequest/);
    for (const role of [{ is_advsvc: true }, { is_service: true }]) {
      expect(prepareBody(ports, { ...sent, project_id: OTHER }, 'POST', { ...member, ...role })['project_id']).toBe(
        OTHER,
      );
    }
  });
  it('is mandatory for a caller without one', () =>
    expect(refusal(sent, 'POST', { ...admin, project_id: null })).toMatch(
      "Required attribute 'tenant_id' not specified",
    ));
  it('is not added to what belongs to no project', () => {
    const rules = compileAttributes({ name: { allow_post: true, allow_put: true, default: '' } });
    expect(prepareBody(rules, {}, 'POST', member)).toEqual({ name: '' });
    expect(refusal({ tenant_id: MINE }, 'POST', member, rules)).toMatch("Unrecognized attribute(s) 'tenant_id'");
  });
});

describe('hostile bodies', () => {
  it('with __proto__ change nothing', () => {
    expect(refusal(JSON.parse('{"__proto__": {"x": 1}}'))).toMatch("Unrecognized attribute(s) '__proto__'");
    const prepared = prepareBody(ports, JSON.parse('{"profile": {"__proto__": {"x": 1}}}'), 'PUT', member);
    expect(JSON.stringify(prepared)).toBe('{"profile":{"__proto__":{"x":1}}}');
    expect((prepared['profile'] as { x?: number }).x).toBeUndefined();
  });
  it.each([
    ['a\0b', 'NUL'],
    ['a\ud800', 'surrogate'],
  ])('with %j are refused, however deep it stands', (text, reason) => {
    for (const body of [{ name: text }, { profile: { a: [text] } }, { profile: { [text]: 1 } }]) {
      expect(refusal(body, 'PUT')).toMatch(/^400 HTTPBadRequest: Invalid input for/);
      expect(refusal(body, 'PUT')).toMatch(reason);
    }
  });
  it('nested without end are refused', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(refusal({ profile: { deep } }, 'PUT')).toMatch('nested more than');
  });
  it('never crash it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(map), 'foo'), fc.boolean(), (value, name, post) => {
        for (const body of [value, { [name]: value }, { network_id: NETWORK, [name]: value }]) {
          try {
            prepareBody(ports, body, post ? 'POST' : 'PUT', member);
          } catch (error) {
            expect(error).toBeInstanceOf(NeutronError);
            expect((error as NeutronError).status).toBe(400);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
  it('are left as they were', () => {
    const specs = { a: { 'type:boolean': null, convert_to: 'convert_to_boolean' } };
    const compiled = compileAttributes({
      info: { allow_post: true, allow_put: true, validate: { 'type:dict': specs } },
    });
    const body = { info: { a: 'True' } };
    expect(prepareBody(compiled, body, 'PUT', member)).toEqual({ info: { a: true } });
    expect(body).toEqual({ info: { a: 'True' } });
  });
});

describe('compileAttributes()', () => {
  it('refuses names that are no rule or converter', () => {
    const spec = { allow_post: true, allow_put: true };
    expect(() => compileAttributes({ a: { ...spec, validate: { 'type:nope': null } as object } })).toThrow(
      "'type:nope'",
    );
    expect(() => compileAttributes({ a: { ...spec, convert_to: 'toString' as 'convert_to_int' } })).toThrow(
      "'toString'",
    );
  });
  it('takes a plugin’s own rules and converters', () => {
    const compiled = compileAttributes({
      a: {
        allow_post: true,
        allow_put: true,
        convert_to: (value) => Number(value) * 2,
        validate: { 'type:even': (value) => (value === 4 ? 'it is 4' : null) },
      },
    });
    expect(prepareBody(compiled, { a: '3' }, 'PUT', member)).toEqual({ a: 6 });
    expect(refusal({ a: 2 }, 'PUT', member, compiled)).toMatch('Invalid input for a. Reason: it is 4.');
  });
});

describe('convertFilterValue()', () => {
  it('converts each value as the attribute does', () =>
    expect(convertFilterValue(ports, 'admin_state_up', ['False', 'true'])).toEqual([false, true]));
  it('leaves text where there is no converter', () => expect(convertFilterValue(ports, 'name', ['x'])).toEqual(['x']));
  it('gives a dictionary for compound attributes', () =>
    expect(convertFilterValue(ports, 'fixed_ips', ['ip_address=10.0.0.3', 'subnet_id=s'])).toEqual({
      ip_address: ['10.0.0.3'],
      subnet_id: ['s'],
    }));
  it('refuses what cannot be converted or stored', () => {
    expect(() => convertFilterValue(ports, 'admin_state_up', ['maybe'])).toThrow(
      "'maybe' cannot be converted to boolean",
    );
    expect(() => convertFilterValue(ports, 'name', ['a\0'])).toThrow('NUL');
  });
});
