/** The embedded broker in a process of its own: `broker_process.ts PORT USERS_FILE`. It says `listening`. */
import { fileUsers, startBroker } from '#src/broker/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { nodeRuntime } from '#src/runtime/node/runtime.ts';

const [port, path] = process.argv.slice(2);
const { network, files } = nodeRuntime(import.meta.filename);
if (network === undefined || files === undefined || path === undefined) throw new Error('this runtime has no network');
const shared = { clock: systemClock, log: silentLogger };
const users = await fileUsers({ ...shared, files, path, topicPrefix: 'neutron/v1' });
await startBroker({ ...shared, metrics: silentMetrics, network, host: '127.0.0.1', port: Number(port), users });
console.log('listening');
