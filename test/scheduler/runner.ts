/** Runs periodic work that does not end, until it is killed. */
import { openDatabase } from '#src/db/mod.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { periodic } from '#src/scheduler/mod.ts';

const db = openDatabase({
  url: process.argv[2]!,
  applicationName: 'runner',
  poolSize: 2,
  log: silentLogger,
  metrics: silentMetrics,
});
const run = async () => {
  console.log('running');
  await new Promise(() => {});
};
await periodic({ db, name: 'work', seconds: 1, leaseSeconds: 1, run, log: silentLogger }).start();
