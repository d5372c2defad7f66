import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);
const passwords = (logN = 10) =>
  createPasswords({
    scrypt: (password, salt, { logN, r, p, length }) => derive(password, salt, length, { N: 2 ** logN, r, p }),
    logN,
    concurrent: 2,
    queued: 3,
  });

test('a hash opens for its password only, and two hashes of one password differ', async () => {
  const { hash, verify } = passwords();
  const [one, two] = await Promise.all([hash('pässword'), hash('pässword')]);
  expect(one).not.toBe(two);
  expect(await verify('pässword', one)).toBe(true);
  expect(await verify('password', one)).toBe(false);
});

test('a hash carries its cost: it opens after the cost was changed, and counts as outdated', async () => {
  const old = await passwords(10).hash('x');
  const now = passwords(11);
  expect(await now.verify('x', old)).toBe(true);
  expect(now.outdated(old)).toBe(true);
  expect(now.outdated(await now.hash('x'))).toBe(false);
});

test.each([null, '', 'scrypt$40$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'plain'])(
  '%s opens for nothing, but is computed all the same',
  async (hash) => {
    let derivations = 0;
    const { verify } = createPasswords({
      scrypt: async () => {
        derivations++;
        return new Uint8Array(32);
      },
      logN: 10,
      concurrent: 1,
      queued: 0,
    });
    expect(await verify('plain', hash)).toBe(false);
    expect(derivations).toBe(1);
  },
);

test('inTurn() runs so many at once, lets so many wait, and refuses the rest', async () => {
  const { inTurn } = passwords();
  let running = 0;
  let most = 0;
  const works: (() => void)[] = [];
  const work = async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => works.push(resolve));
    running--;
  };
  const all = Promise.allSettled(Array.from({ length: 7 }, () => inTurn(work)));
  for (let done = 0; done < 5; done++) {
    while (works.length === 0) await new Promise((resolve) => setImmediate(resolve));
    works.shift()?.();
  }
  const outcomes = (await all).map(({ status }) => status);
  expect(outcomes).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(most).toBe(2);
  await expect(inTurn(async () => 'free again')).resolves.toBe('free again');
});
