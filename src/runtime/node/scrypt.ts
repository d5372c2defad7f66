/** scrypt through node:crypto, off the event loop. */
import { scrypt as nodeScrypt } from 'node:crypto';
import type { Runtime } from '#src/lib/runtime.ts';

export const scrypt: Runtime['scrypt'] = (password, salt, { logN, r, p, length }) => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const cost = 2 ** logN;
  nodeScrypt(password, salt, length, { N: cost, r, p, maxmem: 256 * cost * r }, (error, key) =>
    error === null ? resolve(new Uint8Array(key)) : reject(error),
  );
  return promise;
};
