#!/usr/bin/env node
// The `nucleon` command. Under Node 24 or newer it is the program itself; under an older one it starts the Node that
// bin/runtime.mjs finds and stands in for it: signals are passed on, the exit code is returned, and should this process be
// killed, the one below notices (its channel closes) and stops.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodePath } from './runtime.mjs';

const main = new URL('../src/runtime/node/main.ts', import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(main.href);
} else {
  let node;
  try {
    node = nodePath();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
