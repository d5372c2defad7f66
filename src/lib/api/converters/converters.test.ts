import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NeutronError } from '../../errors.ts';
import { defaultAttributeSettings } from '../settings.ts';
import { CONVERTER_CASES, type ConverterCase } from './converters.cases.ts';
import { type ConverterName, createConverters } from './mod.ts';

const converters = createConverters(defaultAttributeSettings);
const names = Object.keys(converters) as ConverterName[];
const cases = Object.entries(CONVERTER_CASES) as [ConverterName, readonly ConverterCase[]][];

/** Order in lists made from sets is not fixed. */
const sorted = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, member) => (Array.isArray(member) ? member.toSorted() : member));

function raised(run: () => unknown): NeutronError {
  try {
    run();
  } catch (error) {
    if (error instanceof NeutronError) return error;
    throw error;
  }
  throw new Error('nothing was raised');
}

describe.each(cases)('%s', (name, rows) => {
  it.each(rows.map((row) => [row[0], row] as const))('of %j', (value, row) => {
    if (row.length === 2) {
      expect(sorted(converters[name](value))).toEqual(sorted(row[1]));
    } else {
      const error = raised(() => converters[name](value));
      expect(error.type).toBe(row[2]);
      if (row[3] !== null) expect(error.message).toBe(row[3]);
    }
  });
});

describe('every converter', () => {
  it('has cases', () => expect(Object.keys(CONVERTER_CASES).toSorted()).toEqual(names.toSorted()));
  it('answers any JSON value with a value or a 400, never a crash', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 }), (name, value) => {
        try {
          converters[name](value);
        } catch (error) {
          expect(error).toBeInstanceOf(NeutronError);
          expect((error as NeutronError).status).toBe(400);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe('where Neutron fails on a value', () => {
  it.each(['convert_cidr_to_canonical_format', 'convert_to_sanitized_mac_address'] as const)(
    '%s leaves null to the rules',
    (name) => expect(converters[name](null)).toBeNull(),
  );
  it.each(['normalize_chain_parameters', 'normalize_ppg_parameters', 'normalize_service_graph'] as const)(
    '%s leaves what is no dictionary to the rules',
    (name) => {
      for (const value of [6, true, ['x']]) expect(converters[name](value)).toEqual(value);
    },
  );
  it.each([
    ['normalize_l7parameters', 6, 'FlowClassifierInvalidL7Parameter'],
    ['convert_valid_object_type', null, 'InvalidInput'],
    ['convert_protocol', {}, 'SecurityGroupRuleInvalidProtocol'],
  ] as const)('%s refuses %j with %s', (name, value, type) =>
    expect(raised(() => converters[name](value)).type).toBe(type),
  );
});

describe('the settings', () => {
  it('convert_to_mac_if_none makes an address from base_mac', () => {
    const { convert_to_mac_if_none } = createConverters({ ...defaultAttributeSettings, base_mac: '02:aa:bb:cc:00:00' });
    expect(convert_to_mac_if_none(null)).toMatch(/^02:aa:bb:cc(:[0-9a-f]{2}){2}$/);
  });
  it('convert_valid_object_type takes the types that plugins share', () => {
    const { convert_valid_object_type } = createConverters({
      ...defaultAttributeSettings,
      rbacObjectTypes: () => ['network'],
    });
    expect(convert_valid_object_type(' network ')).toBe('network');
  });
});

describe('convert_ip_prefix_to_cidr', () => {
  it('keeps host bits and writes addresses canonically', () => {
    expect(converters.convert_ip_prefix_to_cidr('10.0.0.1/24')).toBe('10.0.0.1/24');
    expect(converters.convert_ip_prefix_to_cidr('2001:DB8::1')).toBe('2001:db8::1/128');
  });
});
