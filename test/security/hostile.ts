/** Values that have broken servers before, and requests made of them; how long to look for more of them. */
import fc from 'fast-check';

/** More by hand: NUCLEON_FUZZ_TIMES=20 tries so many times as much, NUCLEON_FUZZ_SEED=2 something else. */
const TIMES = Number(process.env['NUCLEON_FUZZ_TIMES'] ?? 1);
const SEED = Number(process.env['NUCLEON_FUZZ_SEED'] ?? 1);
/** A machine that is slower than this leaves the rest of a property out. */
const MOST_MS = 30_000 * TIMES;
export const PROPERTY_MS = MOST_MS + 60_000;

/** The same so many tries every time. */
export const tries = (numRuns: number) => ({
  numRuns: numRuns * TIMES,
  seed: SEED,
  interruptAfterTimeLimit: MOST_MS,
  markInterruptAsFailure: false,
});

/** An answer later than this counts as a hang. */
const HANG_MS = 10_000;

/** The answer, or an error when there is none in time. */
export async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${HANG_MS} ms`)), HANG_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

export const TEXTS: readonly string[] = [
  '',
  ' ',
  'a',
  'a'.repeat(255),
  'a'.repeat(256),
  '\u{1f600}'.repeat(255),
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u202e',
  '\r\nX-Injected: yes',
  "'; drop table networks; --",
  '%',
  '_',
  '\\',
  '$1',
  '{}',
  '[]',
  'null',
  'true',
  'NaN',
  'Infinity',
  '-Infinity',
  '0x10',
  '1_000',
  '1e999',
  '9'.repeat(30),
  '9'.repeat(400),
  '-0',
  '\uff11\uff12',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '%00',
  '%zz',
  '0-0000000000000000000000000000000-',
  '{00000000-0000-4000-8000-000000000000}',
  '00000000000040008000000000000000',
  '00000000-0000-4000-8000-00000000000A',
  '00000000-0000-4000-8000-000000000000',
  '10.0.0.5',
  '010.0.0.1',
  '10.0.0',
  '256.1.1.1',
  '0.0.0.0',
  '255.255.255.255',
  '127.0.0.1',
  '224.0.0.1',
  '::',
  '::1',
  'fe80::1%eth0',
  '::ffff:1.2.3.4',
  'ff02::1',
  '2001:db8::5',
  '10.0.0.0/24',
  '10.0.0.1/24',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/+8',
  '10.0.0.0/08',
  '10.0.0.0/31',
  '10.0.0.0/32',
  '0.0.0.0/0',
  '0.0.0.0/1',
  '::/0',
  '::/1',
  '2001:db8::/64',
  '2001:db8::/127',
  '2001:db8::/128',
  '224.0.0.0/4',
  '127.0.0.0/8',
  'fa:16:3e:00:00:01',
  'FA-16-3E-00-00-01',
  'fa163e000001',
  '00:00:00:00:00:00',
  'ff:ff:ff:ff:ff:ff',
  'network:dhcp',
  'network:router_interface',
  'compute:nova',
  'dhcpv6-stateful',
  'slaac',
  'vlan',
  'flat',
  'gre',
  'local',
  'geneve',
  'physnet1',
];

const NUMBERS: readonly unknown[] = [
  0,
  -0,
  -1,
  1,
  1.5,
  4,
  6,
  255,
  256,
  4095,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53,
  2 ** 63,
  1e308,
  -1e308,
  5e-324,
];

const KEYS = [
  'subnet_id',
  'ip_address',
  'mac_address',
  'start',
  'end',
  'destination',
  'nexthop',
  'opt_name',
  'opt_value',
  'ip_version',
  'id',
  'name',
  'domain',
  'all',
  'network_type',
  '__proto__',
  'constructor',
  'prototype',
  'a\0b',
  '\ud800',
  '',
] as const;

export const text = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
);

const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended());
const prefix = fc.tuple(address, fc.integer({ min: -1, max: 130 })).map(([network, length]) => `${network}/${length}`);
/** Texts that look like addresses: some are. */
export const addressLike = fc.oneof(address, prefix, text);

export const scalar = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 1, arbitrary: fc.oneof(address, prefix) },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false) },
);

const object = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), scalar), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

/** Any JSON value, as an attacker would choose it. */
export const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: object },
  { weight: 3, arbitrary: fc.array(fc.oneof(scalar, object), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(31, 33, 40, 70, 200).map(nested) },
);

/** The content type and encoding that a body says it has. */
export const contentType = fc.oneof(
  { weight: 12, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
      '',
    ),
  },
);
