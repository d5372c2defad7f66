/** A relay whose process sends but never learns that it has: `stuck_relay.ts DATABASE_URL`. It says `sent N` for each. */
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { startRelay } from '#src/outbox/mod.ts';

await startRelay({
  url: process.argv[2]!,
  log: silentLogger,
  metrics: silentMetrics,
  clock: systemClock,
  publish: ({ payload }) => {
    console.log(`sent ${JSON.parse(payload).args.n}`);
    return new Promise(() => {});
  },
});
