import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NeutronError } from '../../errors.ts';
import { createConverters } from '../converters/mod.ts';
import { defaultAttributeSettings } from '../settings.ts';
import { createValidators, type ValidatorName } from './mod.ts';
import { RULE_CASES } from './rules.cases.ts';

const settings = { ...defaultAttributeSettings, serviceTypes: () => ['L3_ROUTER_NAT'] };
const validators = createValidators(defaultAttributeSettings, createConverters(defaultAttributeSettings));
const withDomain = createValidators(
  { ...settings, dns_domain: 'example.org', max_allowed_address_pair: 1 },
  createConverters(settings),
);

/** Rules may convert in place: each gets a value of its own. */
function check(rule: ValidatorName, value: unknown, argument: unknown = null, rules = validators): string | null {
  return rules[rule](structuredClone(value), argument);
}

function raised(run: () => unknown): NeutronError {
  try {
    run();
  } catch (error) {
    if (error instanceof NeutronError) return error;
    throw error;
  }
  throw new Error('nothing was raised');
}

describe.each(RULE_CASES)('$rule ($argument)', ({ rule, argument, accepts, refuses }) => {
  it.each(accepts.map((value) => [value]))('accepts %j', (value) => expect(check(rule, value, argument)).toBeNull());

  it.each(refuses)('refuses %j', (value, message, raises) => {
    const said = raises === undefined ? check(rule, value, argument) : raised(() => check(rule, value, argument));
    if (said instanceof NeutronError) expect(said.type).toBe(raises);
    const text = said instanceof NeutronError ? said.message : said;
    if (message === null) expect(text).not.toBeNull();
    else expect(text).toBe(message);
  });
});

describe('every rule', () => {
  it('answers any JSON value with a verdict or a client’s error, never a crash', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RULE_CASES), fc.jsonValue({ maxDepth: 4 }), ({ rule, argument }, value) => {
        for (const candidate of [value, [value], [[value]], { k1: value }, [{ port_id: value, ip_address: value }]]) {
          try {
            const verdict = check(rule, candidate, argument);
            expect(verdict === null || typeof verdict === 'string').toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(NeutronError);
            expect((error as NeutronError).status).toBeLessThan(500);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
  it('has cases', () => expect(new Set(RULE_CASES.map(({ rule }) => rule))).toEqual(new Set(Object.keys(validators))));
});

describe('where Neutron fails on a value', () => {
  const specs = { k1: { 'type:string': 5, required: true }, k2: { 'type:range': [0, 5], required: false } };
  it.each([
    [[{ k1: 'v' }], null],
    [[{ k1: 'v', k2: 1 }], null],
    [[{}], "Validation of dictionary's keys failed. Expected keys: {'k1'} Provided keys: set()"],
    [[{ k1: 'v' }, { k1: 'v', zz: 1 }], 'Unexpected keys supplied: zz'],
  ])('type:list_of_dict_or_nodata says of %j: %j', (value, verdict) =>
    expect(check('type:list_of_dict_or_nodata', value, specs)).toBe(verdict),
  );
  it('type:dns_host_name refuses a number', () =>
    expect(check('type:dns_host_name', 1, 255)).toBe("'1' is not a valid string"));
});

describe('rules for dictionaries', () => {
  const specs = { enable_snat: { 'type:boolean': null, convert_to: 'convert_to_boolean' }, id: { 'type:uuid': null } };
  it('convert the keys that say so, in place', () => {
    const value = { enable_snat: 'False' };
    expect(validators['type:dict'](value, specs)).toBeNull();
    expect(value).toEqual({ enable_snat: false });
  });
  it('apply nested rules', () => {
    const hints = { openvswitch: { 'type:dict': { other_config: { 'type:dict': { a: { 'type:values': ['x'] } } } } } };
    expect(check('type:dict', { openvswitch: { other_config: { a: 'x' } } }, hints)).toBeNull();
    expect(check('type:dict', { openvswitch: { other_config: { a: 'y' } } }, hints)).toBe('y is not in valid_values');
  });
  it('take no key from the prototype', () => {
    expect(check('type:dict', { constructor: 1 }, specs)).toBe('Unexpected keys supplied: constructor');
    expect(check('type:dict', JSON.parse('{"__proto__": {"id": 1}}'), specs)).toMatch('Unexpected keys supplied');
  });
  it('say which name in a map is wrong', () =>
    expect(() => check('type:dict', { id: 1 }, { id: { 'type:nope': null } })).toThrow("names 'type:nope'"));
});

describe('type:dns_host_name with a dns_domain', () => {
  it.each([
    ['host', null],
    ['host.example.org.', null],
    ['host.example.com.', expect.stringContaining('must end with')],
    ['example.org.', expect.stringContaining('must end with')],
    [Array(5).fill('a'.repeat(49)).join('.'), expect.stringContaining('together exceed')],
  ])('%s', (name, verdict) => expect(check('type:dns_host_name', name, 255, withDomain)).toEqual(verdict));
});

describe('the settings', () => {
  it('type:allowed_address_pairs counts to max_allowed_address_pair', () => {
    const pairs = [{ ip_address: '10.0.0.1' }, { ip_address: '10.0.0.2' }];
    expect(raised(() => check('type:allowed_address_pairs', pairs, null, withDomain)).type).toBe(
      'AllowedAddressPairExhausted',
    );
  });
  it('type:service_plugin_type knows the loaded plugins', () =>
    expect(check('type:service_plugin_type', 'L3_ROUTER_NAT', null, withDomain)).toBeNull());
});

describe('text', () => {
  it.each([
    ['type:string', '😀'.repeat(10), null],
    ['type:string', '😀'.repeat(11), `'${'😀'.repeat(11)}' exceeds maximum length of 10`],
    ['type:name_string', 'a\u200bb', "'a\u200bb' is not a valid string"],
    ['type:name_string', 'a ', "'a ' is not a valid string"],
    ['type:oneline_not_empty_string', 'a\n', null],
    ['type:oneline_not_empty_string', 'a\u2028b', "Multi-line string is not allowed: 'a\u2028b'"],
  ] as const)('%s (10) of %j', (rule, value, verdict) => expect(check(rule, value, 10)).toBe(verdict));
});

describe('type:range', () => {
  it('without an upper limit', () => {
    expect(check('type:range', 10 ** 12, [60, null])).toBeNull();
    expect(check('type:range', 59, [60, null])).toBe("'59' is too small - must be at least '60'");
  });
});

describe('type:port_range', () => {
  it('keeps to the bounds of the map', () =>
    expect(check('type:port_range', '0:80', [1, 65535])).toBe('Invalid port: 0'));
});

describe('type:allowed_address_pairs', () => {
  it('refuses group addresses', () => {
    const pair = { ip_address: '10.0.0.1', mac_address: '01:00:5e:00:00:01' };
    expect(raised(() => check('type:allowed_address_pairs', [pair])).message).toMatch('multicast MAC');
  });
});
