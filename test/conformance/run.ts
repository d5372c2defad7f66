/**
 * `npm run conformance`: the API tests of tempest and neutron-tempest-plugin, unchanged, against a Nucleon of its own. Ends with 1
 * when a test fails, or one is skipped that has passed before (`passed.txt`).
 */
import { readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCloud } from './cloud.ts';
import { install, type Outcome, runSuites } from './suites.ts';

const USAGE = `Usage: npm run conformance -- [OPTIONS]

Installs the suites (once), starts a server with its embedded services and simulated agents on two hosts, runs the tests with
users and projects of their own, and prints passed, failed and skipped, with the reason of each skip.

Options:
  --only REGEX       tests whose id matches (all of tempest.api.network and neutron_tempest_plugin.api unless told)
  --selection        the tests that CI runs: those of selection.txt
  --concurrency N    tests at a time (2 unless told)
  --folder FOLDER    where the suites are installed (~/.cache/nucleon-conformance unless told)
  --out FILE         write the outcomes as JSON
  --record           write down what passed (passed.txt): what passed once must pass from then on
  --help             this text
`;

const FILES = { passed: new URL('passed.txt', import.meta.url), selection: new URL('selection.txt', import.meta.url) };

const say = (line: string): void => console.log(line);

async function linesOf(file: URL): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

function count(outcomes: readonly Outcome[], status: Outcome['status']): number {
  return outcomes.filter((outcome) => outcome.status === status).length;
}

/** Reasons with how many tests have them, the most frequent first. */
function reasonsOf(outcomes: readonly Outcome[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { reason } of outcomes) {
    const last = reason.split('\n').at(-1) ?? '';
    counts.set(last, (counts.get(last) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

function report(outcomes: readonly Outcome[], known: ReadonlySet<string>): readonly Outcome[] {
  const failed = outcomes.filter(({ status }) => status === 'failed');
  if (failed.length > 0) say('\nfailed:');
  for (const { id, reason } of failed)
    say(`  ${known.has(id) ? '(has passed before) ' : ''}${id}\n    ${reason.replaceAll('\n', '\n    ')}`);
  const skipped = outcomes.filter(({ status }) => status === 'skipped');
  if (skipped.length > 0) say('\nskipped:');
  for (const [reason, tests] of reasonsOf(skipped)) say(`  ${tests}  ${reason}`);
  return failed;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      selection: { type: 'boolean', default: false },
      concurrency: { type: 'string', default: '2' },
      folder: { type: 'string', default: join(homedir(), '.cache', 'nucleon-conformance') },
      out: { type: 'string' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    say(USAGE);
    return 0;
  }
  const suites = await install(values.folder, say);
  const among = values.selection ? { among: new Set(await linesOf(FILES.selection)) } : {};
  const cloud = await startCloud();
  const started = Date.now();
  let outcomes: readonly Outcome[];
  try {
    const selection = { only: values.only, concurrency: Number(values.concurrency), ...among };
    outcomes = await runSuites(suites, cloud, selection, say);
  } finally {
    await cloud.stop();
  }
  const known = new Set(await linesOf(FILES.passed));
  const failed = report(outcomes, known);
  if (values.out !== undefined) await writeFile(values.out, `${JSON.stringify(outcomes, null, 1)}\n`);
  if (values.record) {
    const passed = outcomes.filter(({ status }) => status === 'passed').map(({ id }) => id);
    await writeFile(FILES.passed, `${[...new Set([...known, ...passed])].toSorted().join('\n')}\n`);
  }
  const lost = outcomes.filter(({ id, status }) => status !== 'passed' && known.has(id));
  for (const { id, status } of lost.filter((one) => one.status === 'skipped'))
    say(`${status}, and has passed before: ${id}`);
  const seconds = Math.round((Date.now() - started) / 1000);
  say(`\n${suites.versions}; ${outcomes.length} tests in ${seconds} s`);
  say(`${count(outcomes, 'passed')} passed, ${failed.length} failed, ${count(outcomes, 'skipped')} skipped`);
  return lost.length === 0 && (values.record || failed.length === 0) ? 0 : 1;
}

process.exitCode = await main();
