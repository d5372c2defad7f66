/**
 * Whether memory stays flat: `node bin/node24.mjs bench/soak.ts --requests 1000000`. Starts a server of its own and sends it requests of all
 * kinds, refused ones among them, that leave as many objects as they found; tells the memory of each process every
 * twentieth of the way. On Linux.
 */
import { parseArgs } from 'node:util';
import { memoryBelow } from './support/memory.ts';
import { openBench } from './support/options.ts';

const { values } = parseArgs({ options: { requests: { type: 'string' } }, strict: false });
const total = Number(values['requests'] ?? 1_000_000);

const bench = await openBench({ requests: { type: 'string' } });
const { client, pid } = bench;
const clients = Math.max(...bench.clients);
if (pid === undefined) throw new Error('give --pid, the process id of the server');

const network = (await client.json('POST', '/v2.0/networks', { network: { name: 'soak' } })).network.id;
await client.send('POST', '/v2.0/subnets', { subnet: { network_id: network, ip_version: 4, cidr: '10.0.0.0/16' } });

let sent = 0;
/** Sends one; that it is refused is no failure here. */
async function send(method: string, path: string, body?: unknown): Promise<string> {
  sent++;
  return client.send(method, path, body).catch((error: Error) => {
    if (/: 4\d\d /.test(error.message)) return '';
    throw error;
  });
}

/** The life of one port, among readers: 20 requests. */
async function round(n: number): Promise<void> {
  const made = JSON.parse(await send('POST', '/v2.0/ports', { port: { network_id: network, name: `port ${n}` } }));
  const path = `/v2.0/ports/${made.port.id}`;
  for (let reads = 0; reads < 10; reads++) await send('GET', path);
  await send('GET', `/v2.0/ports?name=port ${n}`.replace(' ', '%20'));
  await send('GET', `/v2.0/ports?limit=10&sort_key=name&marker=${made.port.id}`);
  await send('GET', `/v2.0/networks/${network}?fields=name&fields=n${n % 50}`);
  await send('PUT', path, { port: { name: `other ${n}` } });
  await send('PUT', path, { port: { [`unknown ${n}`]: 1 } });
  await send('POST', '/v2.0/ports', { port: { network_id: crypto.randomUUID() } });
  await send('GET', `/v2.0/ports/${crypto.randomUUID()}`);
  await send('GET', `/v2.0/nothing-${n}`);
  await send('DELETE', path);
  await send('DELETE', path);
}

/** One line of figures. */
function tell(root: number): void {
  const sizes = Object.entries(memoryBelow(root)).filter(([name]) => name !== 'postgres' && name !== 'mqtt broker');
  const sum = sizes.reduce((all, [, size]) => all + size, 0);
  const each = sizes.map(([name, size]) => `${name} ${size.toFixed(0)}`).join(', ');
  console.log(`${String(sent).padStart(9)} requests: ${sum.toFixed(0)} MiB (${each})`);
}

let next = 0;
let told = 0;
tell(pid);
await Promise.all(
  Array.from({ length: clients }, async () => {
    while (sent < total) {
      await round(next++);
      if (sent < (told + 1) * (total / 20)) continue;
      told++;
      tell(pid);
    }
  }),
);
await bench.stop();
