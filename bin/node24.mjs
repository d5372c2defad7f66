// Runs any script under the Node that bin/runtime.mjs finds: `node bin/node24.mjs node_modules/vitest/vitest.mjs run`.
import { spawnSync } from 'node:child_process';
import { nodePath } from './runtime.mjs';

const done = spawnSync(nodePath(), process.argv.slice(2), { stdio: 'inherit' });
process.exit(done.status ?? 1);
