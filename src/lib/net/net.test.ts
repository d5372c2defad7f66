import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BITS,
  canonicalIp,
  canonicalMac,
  cidrOf,
  contains,
  eui64Address,
  formatCidr,
  formatIp,
  type Ip,
  isLinkLocal,
  isMac,
  isMulticast,
  overlaps,
  parseCidr,
  parseIp,
  parseMac,
  randomMac,
} from './mod.ts';

const ip4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((value): Ip => ({ version: 4, value }));
/** Sparse IPv6 addresses: runs of zero groups are what compression has to get right. */
const ip6 = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 })
  .map((groups): Ip => ({ version: 6, value: groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n) }));
const ip = fc.oneof(ip4, ip6);
const network = ip.chain((address) =>
  fc.integer({ min: 0, max: BITS[address.version] }).map((prefix) => cidrOf(address, prefix)),
);
const mac = fc.bigInt({ min: 0n, max: 2n ** 48n - 1n });

/** Text that nearly is an address. */
const addressLike = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0123456789abcf:.%/ g'), maxLength: 24 }),
  ip
    .map(formatIp)
    .chain((text) =>
      fc
        .tuple(fc.nat(text.length), fc.constantFrom(':', '.', '0', 'f', ' ', '%1', '\n', ''))
        .map(([at, insert]) => text.slice(0, at) + insert + text.slice(at)),
    ),
);

describe('parseIp()', () => {
  it('reads back whatever formatIp() writes', () => {
    fc.assert(fc.property(ip, (address) => void expect(parseIp(formatIp(address))).toEqual(address)));
  });
  it('takes exactly the addresses that the operating system takes, but none with a zone', () => {
    fc.assert(
      fc.property(addressLike, (text) => {
        const expected = text.includes('%') ? 0 : isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0;
        expect(parseIp(text)?.version ?? 0).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
  it.each([
    '010.0.0.1',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '10.0.0.1\n',
    '10.0.0',
    '10.0.0.256',
    '1',
    '',
    'fe80::1%eth0',
    '1::2::3',
    '10.0.0.1/24',
    ':',
    '::ffff:010.0.0.1',
    '٣.1.1.1',
  ])('refuses %j', (text) => expect(parseIp(text)).toBeNull());
});

describe('formatIp()', () => {
  it.each([
    ['2001:DB8:0:0:0:0:0:0001', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
    ['::ffff:0a00:0001', '::ffff:10.0.0.1'],
    ['::10.0.0.1', '::10.0.0.1'],
    ['::0001', '::1'],
    ['::', '::'],
    ['255.255.255.255', '255.255.255.255'],
  ])('writes %s as %s', (text, canonical) => expect(canonicalIp(text)).toBe(canonical));
  it('is what URL makes of the same IPv6 address, embedded IPv4 aside', () => {
    fc.assert(
      fc.property(ip6, (address) => {
        fc.pre(address.value >> 32n !== 0n && address.value >> 32n !== 0xffffn);
        expect(`[${formatIp(address)}]`).toBe(new URL(`http://[${formatIp(address)}]/`).hostname);
      }),
    );
  });
});

describe('parseCidr()', () => {
  it('keeps the host bits in address and clears them in first', () => {
    expect(parseCidr('10.0.0.5/24')).toEqual({
      version: 4,
      prefix: 24,
      first: 0x0a000000n,
      last: 0x0a0000ffn,
      address: 0x0a000005n,
    });
  });
  it('reads back what formatCidr() writes, and spans 2^host addresses', () => {
    fc.assert(
      fc.property(network, (cidr) => {
        expect(parseCidr(formatCidr(cidr))).toEqual({ ...cidr, address: cidr.first });
        expect(cidr.last - cidr.first + 1n).toBe(2n ** BigInt(BITS[cidr.version] - cidr.prefix));
        expect(contains(cidr, { version: cidr.version, value: cidr.address })).toBe(true);
      }),
    );
  });
  it.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '::/129',
    '10.0/8',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/ 8',
    '10.0.0.0/+8',
    '10.0.0.0/255.0.0.0',
    '/8',
    '10.0.0.0/8/8',
    ' 10.0.0.0/8',
  ])('refuses %j', (text) => expect(parseCidr(text)).toBeNull());
});

describe('overlaps()', () => {
  it('holds exactly when one network contains the other’s first address', () => {
    fc.assert(
      fc.property(network, network, (a, b) => {
        const nested =
          contains(a, { version: b.version, value: b.first }) || contains(b, { version: a.version, value: a.first });
        expect(overlaps(a, b)).toBe(nested);
        expect(overlaps(b, a)).toBe(nested);
      }),
    );
  });
  it('is false between versions', () => {
    expect(overlaps(parseCidr('0.0.0.0/0')!, parseCidr('::/0')!)).toBe(false);
  });
});

describe('isMulticast() and isLinkLocal()', () => {
  it.each([
    ['223.255.255.255', false, false],
    ['224.0.0.1', true, false],
    ['239.255.255.255', true, false],
    ['240.0.0.0', false, false],
    ['169.254.0.1', false, true],
    ['169.255.0.1', false, false],
    ['ff02::1', true, false],
    ['fe80::1', false, true],
    ['febf::1', false, true],
    ['fec0::1', false, false],
  ])('%s', (text, multicast, linkLocal) => {
    expect(isMulticast(parseIp(text)!)).toBe(multicast);
    expect(isLinkLocal(parseIp(text)!)).toBe(linkLocal);
  });
});

describe('canonicalMac()', () => {
  it.each([
    ['AA:BB:CC:DD:EE:FF', 'aa:bb:cc:dd:ee:ff'],
    ['AA-BB-CC-DD-EE-FF', 'aa:bb:cc:dd:ee:ff'],
    ['aabb.ccdd.eeff', 'aa:bb:cc:dd:ee:ff'],
    ['aabbccddeeff', 'aa:bb:cc:dd:ee:ff'],
    ['01:2:3:4:5:6', '01:02:03:04:05:06'],
    ['aa:bb:cc:dd:ee', null],
    ['zz:bb:cc:dd:ee:ff', null],
    ['aa:bb-cc:dd:ee:ff', null],
    [' aa:bb:cc:dd:ee:ff', null],
    ['', null],
  ])('of %j is %j', (text, canonical) => {
    expect(canonicalMac(text)).toBe(canonical);
    expect(isMac(text)).toBe(canonical !== null);
  });
  it('keeps the value', () => {
    fc.assert(
      fc.property(mac, (value) => {
        const text = canonicalMac(value.toString(16).padStart(12, '0'))!;
        expect(text).toMatch(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/);
        expect(parseMac(text)).toBe(value);
      }),
    );
  });
});

describe('randomMac()', () => {
  it('keeps three octets of the base, and the fourth unless it is 00', () => {
    for (let run = 0; run < 50; run++) {
      expect(randomMac('fa:16:3e:00:00:00')).toMatch(/^fa:16:3e(:[0-9a-f]{2}){3}$/);
      expect(randomMac('fa:16:3e:4f:00:00')).toMatch(/^fa:16:3e:4f(:[0-9a-f]{2}){2}$/);
    }
    expect(new Set(Array.from({ length: 50 }, () => randomMac('fa:16:3e:00:00:00'))).size).toBeGreaterThan(45);
  });
  it('says which base is wrong', () =>
    expect(() => randomMac('fa:16')).toThrow("base_mac 'fa:16' is not a MAC address"));
});

describe('eui64Address()', () => {
  it('flips the universal bit and puts fffe in the middle', () => {
    expect(eui64Address(parseCidr('2001:db8::/64')!, 'fa:16:3e:00:00:01')).toBe('2001:db8::f816:3eff:fe00:1');
    expect(eui64Address(parseCidr('fe80::/64')!, '00:16:3e:33:44:55')).toBe('fe80::216:3eff:fe33:4455');
  });
  it('stays inside every network of at most 64 bits', () => {
    fc.assert(
      fc.property(ip6, fc.integer({ min: 0, max: 64 }), mac, (address, prefix, value) => {
        const cidr = cidrOf(address, prefix);
        const text = eui64Address(cidr, value.toString(16).padStart(12, '0'));
        expect(contains(cidr, parseIp(text)!)).toBe(true);
      }),
    );
  });
  it('refuses an IPv4 network and a bad MAC', () => {
    expect(() => eui64Address(parseCidr('10.0.0.0/8')!, 'fa:16:3e:00:00:01')).toThrow(TypeError);
    expect(() => eui64Address(parseCidr('::/64')!, 'x')).toThrow(TypeError);
  });
});
