/** An RPC worker that takes a call and never answers it: `stuck_worker.ts URL PASSWORD`. It says `listening` and `called`. */
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { connectMqtt, createTopics, startRpcServer } from '#src/rpc/mod.ts';

const [url, password] = process.argv.slice(2);
const base = { log: silentLogger, metrics: silentMetrics, clock: systemClock };
const connection = await connectMqtt({
  ...base,
  url: url!,
  username: 'server',
  password: password!,
  clientId: `stuck-${process.pid}`,
  clean: true,
});
const never = () => {
  console.log('called');
  return new Promise<never>(() => {});
};
const listeners = [{ topic: 'stuck', endpoints: [{ version: '1.0', methods: { work: never } }] }];
await startRpcServer({ ...base, connection, topics: createTopics(), listeners });
console.log('listening');
