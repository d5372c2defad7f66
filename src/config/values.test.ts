import { describe, expect, test } from 'vitest';
import type { OptionSpec, OptionValue } from '#src/lib/config.ts';
import { convertValue, valueText } from './values.ts';

type Shape = Partial<OptionSpec> & Pick<OptionSpec, 'type'>;
const spec = (shape: Shape): OptionSpec => ({ group: 'g', name: 'n', default: null, effective: true, ...shape });

describe('convertValue() takes', () => {
  test.each<[Shape, string, OptionValue]>([
    [{ type: 'string' }, ' kept ', ' kept '],
    [{ type: 'string', choices: [null, '1.2'] }, '', null],
    [{ type: 'string', pattern: '^(tcp|ssl):' }, 'tcp:1', 'tcp:1'],
    [{ type: 'integer', min: -1, max: 5 }, ' -1 ', -1],
    [{ type: 'integer' }, '+7', 7],
    [{ type: 'integer' }, '', null],
    [{ type: 'integer', choices: ['4', '6'] }, '6', 6],
    [{ type: 'float' }, '1.5e1', 15],
    ...['true', 'True', 'ON', 'yes', '1'].map((text): [Shape, string, OptionValue] => [
      { type: 'boolean' },
      text,
      true,
    ]),
    ...['false', 'False', 'off', 'No', '0'].map((text): [Shape, string, OptionValue] => [
      { type: 'boolean' },
      text,
      false,
    ]),
    [{ type: 'list' }, '', []],
    [{ type: 'list' }, 'a, b ,c,', ['a', 'b', 'c']],
    [{ type: 'list' }, '\na,\nb', ['a', 'b']],
    [{ type: 'dict' }, '', {}],
    [{ type: 'dict' }, 'physnet1:1500, p2:a:b', { physnet1: '1500', p2: 'a:b' }],
    [{ type: 'port' }, '9696', 9696],
    [{ type: 'host' }, 'net-1.example.org', 'net-1.example.org'],
    [{ type: 'host' }, '::1', '::1'],
    [{ type: 'ip' }, '10.0.0.1', '10.0.0.1'],
    [{ type: 'uri' }, 'mqtts://broker:8883', 'mqtts://broker:8883'],
  ])('%j: %j', (shape, text, value) => expect(convertValue(spec(shape), text)).toEqual({ value }));
});

describe('convertValue() refuses and says what is allowed', () => {
  test.each<[Shape, string, string]>([
    [{ type: 'string', choices: ['on', 'off'] }, 'ON', 'one of "on", "off"'],
    [{ type: 'string', max_length: 3 }, 'long', 'at most 3 characters'],
    [{ type: 'string', pattern: '^tcp:' }, 'udp:1', 'text that matches ^tcp:'],
    [{ type: 'integer', min: 0 }, '-1', 'an integer of at least 0'],
    [{ type: 'integer', min: 1, max: 9 }, '10', 'an integer from 1 to 9'],
    [{ type: 'integer', max: 9 }, '10', 'an integer of at most 9'],
    [{ type: 'integer' }, '1.5', 'an integer'],
    [{ type: 'integer' }, '0x10', 'an integer'],
    [{ type: 'integer', choices: ['4', '6'] }, '5', 'one of 4, 6'],
    [{ type: 'float' }, 'much', 'a number'],
    [{ type: 'boolean' }, 'constructor', 'true, 1, on, yes, false, 0, off or no'],
    [{ type: 'boolean' }, 'perhaps', 'true, 1, on, yes, false, 0, off or no'],
    [{ type: 'list', choices: ['4', '6'] }, '4,5', 'a comma-separated list, each item one of "4", "6"'],
    [{ type: 'dict' }, 'a', 'comma-separated pairs "name:value", each name once'],
    [{ type: 'dict' }, 'a:1,a:2', 'comma-separated pairs "name:value", each name once'],
    [{ type: 'port' }, '65536', 'a port from 0 to 65535'],
    [{ type: 'host' }, 'two words', 'a host name, or an IPv4 or IPv6 address'],
    [{ type: 'host' }, '1.2.3.400', 'a host name, or an IPv4 or IPv6 address'],
    [{ type: 'ip' }, 'localhost', 'an IPv4 or IPv6 address'],
    [{ type: 'uri' }, 'broker:1883', 'a URI with scheme and host'],
  ])('%j: %j', (shape, text, allowed) => expect(convertValue(spec(shape), text)).toEqual({ allowed }));
});

test('valueText() writes what convertValue() would read', () => {
  expect([null, true, 7, ['a', 'b'], { a: '1' }, 'x'].map(valueText)).toEqual(['', 'True', '7', 'a,b', 'a:1', 'x']);
});
