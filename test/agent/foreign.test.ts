/** An agent that knows nothing of Nucleon but what docs/agent_protocol.md says, in a process of its own. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROKERS, passwordOf } from '../broker/brokers.ts';
import { until } from '../rpc/support.ts';
import { type Cloud, startCloud } from './support.ts';

const SCRIPT = fileURLToPath(new URL('../../examples/tiny_agent/agent.ts', import.meta.url));
const HOST = 'rack 7/node';
const USER = encodeURIComponent(HOST);

function start(url: string) {
  const child = spawn(process.execPath, [SCRIPT, url, HOST, passwordOf(USER)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, lines, exited };
}

describe.each(BROKERS)('an agent on a bare MQTT client, $name', (kind) => {
  let cloud: Cloud;
  beforeAll(async () => {
    if (!kind.present) return;
    cloud = await startCloud(`foreign_${kind.name.length}`, kind, [HOST]);
  });
  afterAll(() => cloud?.stop());

  it.skipIf(!kind.present)('reports, is told of a port, wires it, and is missed when it dies', async () => {
    const alive = async () => (await cloud.stack.call('GET', '/v2.0/agents')).body.agents[0]?.alive;
    const status = async (id: string) => (await cloud.stack.call('GET', `/v2.0/ports/${id}`)).body.port.status;
    const network = await cloud.stack.create('network', {});
    const bound = () => cloud.stack.create('port', { network_id: network.id, 'binding:host_id': HOST });

    const first = start(cloud.world.url);
    await until(() => first.lines.includes('ready'), `it is ready; it said ${first.lines}`);
    expect(first.lines[0]).toBe('reported: new');
    expect(await alive()).toBe(true);
    const told = await bound();
    expect(told['binding:vif_type']).toBe('ovs');
    await until(async () => (await status(told.id)) === 'ACTIVE', 'the port is ACTIVE');
    const lines = [`port ${told.id}: vxlan ${network['provider:segmentation_id']}`, `port ${told.id} is up`];
    await until(() => lines.every((line) => first.lines.includes(line)), `it says so; it said ${first.lines}`);
    first.child.kill('SIGKILL');
    await first.exited;
    await until(async () => !(await alive()), 'its will is heard');

    const second = start(cloud.world.url);
    await until(() => second.lines.includes('ready'), `it is ready again; it said ${second.lines}`);
    expect(await alive()).toBe(true);
    expect(second.lines).toContain(`port ${told.id} is up`);
    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);
    await until(async () => !(await alive()), 'its good-bye is heard');
  });
});
