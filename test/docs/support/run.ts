/** Runs the `nucleon` command to its end. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from './markdown.ts';

const run = promisify(execFile);

/** What it prints. */
export async function runNucleon(args: readonly string[]): Promise<string> {
  const { stdout } = await run('node', ['bin/nucleon.mjs', ...args], { cwd: ROOT, timeout: 30_000 });
  return stdout;
}
