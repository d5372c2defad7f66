/** An agent that connects and waits to be killed: `presence_agent.ts URL HOST PASSWORD`. It says `connected`. */
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { connectAgent, createTopics } from '#src/rpc/mod.ts';

const [url, host, password] = process.argv.slice(2);
await connectAgent({
  url: url!,
  username: host!,
  password: password!,
  host: host!,
  binary: 'killed-agent',
  topics: createTopics(),
  log: silentLogger,
  metrics: silentMetrics,
  clock: systemClock,
});
console.log('connected');
