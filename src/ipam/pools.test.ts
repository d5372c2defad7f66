/** Default pools and gateways, and what is refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cidrOf, formatIp, parseCidr } from '#src/lib/net/mod.ts';
import { checkGateway, checkGatewayOutsidePools, checkPools, defaultGateway, defaultPools } from './pools.ts';

const cidr = (text: string) => parseCidr(text)!;
const pool = (start: string, end: string) => ({ start, end });

describe('defaultPools()', () => {
  test.each([
    ['10.0.0.0/24', '10.0.0.1', [pool('10.0.0.2', '10.0.0.254')]],
    ['10.0.0.0/24', '10.0.0.254', [pool('10.0.0.1', '10.0.0.253')]],
    ['10.0.0.0/24', '10.0.0.9', [pool('10.0.0.1', '10.0.0.8'), pool('10.0.0.10', '10.0.0.254')]],
    ['10.0.0.0/24', null, [pool('10.0.0.1', '10.0.0.254')]],
    ['10.0.0.0/24', '192.168.0.1', [pool('10.0.0.1', '10.0.0.254')]],
    ['10.0.0.0/30', '10.0.0.1', [pool('10.0.0.2', '10.0.0.2')]],
    ['10.0.0.0/31', null, [pool('10.0.0.0', '10.0.0.1')]],
    ['10.0.0.7/32', null, [pool('10.0.0.7', '10.0.0.7')]],
    ['fd00::/64', 'fd00::1', [pool('fd00::2', 'fd00::ffff:ffff:ffff:ffff')]],
    ['fd00::/64', 'fe80::1', [pool('fd00::1', 'fd00::ffff:ffff:ffff:ffff')]],
    ['fd00::/64', 'fd00::', [pool('fd00::1', 'fd00::ffff:ffff:ffff:ffff')]],
    ['10.0.0.0/31', '10.0.0.1', [pool('10.0.0.0', '10.0.0.0')]],
    ['fd00::/127', 'fd00::', [pool('fd00::1', 'fd00::1')]],
    ['fd00::/127', 'fd00::1', []],
    ['fd00::/128', null, [pool('fd00::', 'fd00::')]],
    ['fd00::/128', 'fd00::', [pool('fd00::', 'fd00::')]],
  ])('%s with gateway %s', (network, gateway, pools) => {
    expect(defaultPools(cidr(network), gateway)).toEqual(pools);
  });

  test('always passes checkPools() and never has the gateway', () => {
    fc.assert(
      fc.property(
        fc.nat(2 ** 32 - 1),
        fc.integer({ min: 1, max: 32 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (value, prefix, place) => {
          const network = cidrOf({ version: 4, value: BigInt(value) }, prefix);
          const size = Number(network.last - network.first);
          const gateway = formatIp({ version: 4, value: network.first + BigInt(Math.floor(place * size)) });
          const pools = defaultPools(network, gateway);
          checkPools(network, pools);
          if (prefix < 32) checkGatewayOutsidePools(gateway, pools);
        },
      ),
    );
  });
});

test.each([
  ['10.0.0.0/24', false, '10.0.0.1'],
  ['10.0.0.0/24', true, '10.0.0.1'],
  ['10.0.0.0/32', false, '10.0.0.1'],
  ['255.255.255.255/32', false, null],
  ['fd00::/64', false, 'fd00::'],
  ['fd00::/64', true, 'fd00::1'],
])('defaultGateway() of %s, drawn from a pool: %s, is %s', (network, drawn, gateway) => {
  expect(defaultGateway(cidr(network), drawn)).toBe(gateway);
});

test('defaultGateway() throws where only broadcast is left for it', () => {
  expect(() => defaultGateway(cidr('10.0.0.0/31'))).toThrow(expect.objectContaining({ type: 'IpamValueInvalid' }));
});

test.each([
  ['10.0.0.0/24', '10.0.0.0', false],
  ['10.0.0.0/24', '10.0.0.255', false],
  ['10.0.0.0/24', 'fd00::1', false],
  ['10.0.0.0/24', '10.0.0.7', true],
  ['10.0.0.0/24', '10.9.0.255', true],
  ['10.0.0.0/31', '10.0.0.0', false],
  ['10.0.0.0/31', '10.0.0.9', true],
  ['fd00::/64', 'fd00::', true],
])('checkGateway() of %s: %s is allowed: %s', (network, gateway, allowed) => {
  const check = () => checkGateway(cidr(network), gateway);
  if (allowed) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ type: 'InvalidInput' }));
});

test.each([
  ['OutOfBoundsAllocationPool', [pool('10.0.0.0', '10.0.0.9')]],
  ['OutOfBoundsAllocationPool', [pool('10.0.0.9', '10.0.0.255')]],
  ['InvalidAllocationPool', [pool('10.0.0.9', '10.0.0.8')]],
  ['InvalidAllocationPool', [pool('10.0.0.9', 'fd00::1')]],
  ['OverlappingAllocationPools', [pool('10.0.0.5', '10.0.0.9'), pool('10.0.0.1', '10.0.0.5')]],
])('checkPools() throws %s for %j', (type, pools) => {
  expect(() => checkPools(cidr('10.0.0.0/24'), pools)).toThrow(expect.objectContaining({ type }));
});

test('errors name the pool as its ends', () => {
  expect(() => checkGatewayOutsidePools('10.0.0.5', [pool('10.0.0.2', '10.0.0.9')])).toThrow(
    'Gateway ip 10.0.0.5 conflicts with allocation pool 10.0.0.2-10.0.0.9.',
  );
});
