/**
 * How fast RPC, state reports and notifications are: `node bin/node24.mjs bench/rpc.ts`, with `--only 'reports|devices'`,
 * `--seconds 5`, `--simulated 2000`, `--broker mosquitto`.
 *
 * A whole server with everything embedded and one worker of each kind but the API's; agents over real MQTT, from here and from
 * `nucleon agent simulated`. Everything is on one machine, so that the load itself takes its share of it: on Linux the CPU time
 * that each process of the server took is told beside the rates.
 */

import { PARTS } from './support/rpc_parts.ts';
import { openRpcBench } from './support/rpc_scene.ts';

const bench = await openRpcBench();
try {
  for (const [name, part] of Object.entries(PARTS)) {
    if (!bench.only.test(name)) continue;
    console.log(`${name}:`);
    await part(bench);
  }
} finally {
  await bench.stop();
}
process.exit(0);
