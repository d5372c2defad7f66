/** The Deno that the tests run on: the binary of the npm package for this platform, which is there without install scripts. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Its path. */
export function denoPath(): string {
  const name = `@deno/${process.platform}-${process.arch}-glibc`;
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'deno');
}
