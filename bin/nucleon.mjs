#!/usr/bin/env node
// The `nucleon` command: starts src/runtime/node/main.ts under the Node that bin/runtime.mjs finds and stands in for it
// (signals are passed on, the exit code is returned).
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodePath } from './runtime.mjs';

let node;
try {
  node = nodePath();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const main = fileURLToPath(new URL('../src/runtime/node/main.ts', import.meta.url));
const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
