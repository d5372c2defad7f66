/** A process that sends events to Nova, as the periodic worker does; it is there to be killed. Arguments: JSON. */
import { openDatabase } from '#src/db/mod.ts';
import { createServiceSession, type ServiceSettings } from '#src/identity/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger as log } from '#src/lib/log.ts';
import { silentMetrics as metrics } from '#src/lib/metrics.ts';
import { periodic } from '#src/scheduler/mod.ts';
import { createSender } from '#src/services/nova_notifier/sender.ts';

const { url, settings } = JSON.parse(process.argv[2]!) as { readonly url: string; readonly settings: ServiceSettings };
const db = openDatabase({ url, applicationName: 'nova sender', poolSize: 2, log, metrics });
const nova = createServiceSession({ settings, serviceType: 'compute', fetch, clock: systemClock });
const run = createSender({ db, nova, log, metrics, interval: 0.01 });
await periodic({ db, name: 'nova notifier', seconds: 1, leaseSeconds: 1, lasting: true, run, log }).start();
