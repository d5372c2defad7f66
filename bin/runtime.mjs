// Finds the Node that runs Nucleon. The project needs a Node that strips types (24); a machine may have 20 only, so the
// binary comes with `npm ci` as an optional dependency. The script that calls this runs under any Node from 20 on.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** The path of a Node >= 24: the pinned one if it is installed, else the running one if it is new enough. */
export function nodePath() {
  const name = `node-${process.platform}-${process.arch}`;
  try {
    const path = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
    if (existsSync(path)) return path;
  } catch {
    // Not installed for this platform: fall through to the running Node.
  }
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Error(
    `Nucleon needs Node 24 or newer: this is ${process.versions.node} and the package ${name} is not installed. ` +
      'Run "npm ci" without --omit=optional, or install Node 24.',
  );
}
