/**
 * A whole layer 2 agent on a bare MQTT client, written from docs/agent_protocol.md and with nothing of Nucleon's: it says that it
 * is there, hears of ports, asks for their details and reports them up.
 *
 *   node examples/tiny_agent/agent.ts mqtt://127.0.0.1:1883 compute-9 PASSWORD
 */
import mqtt, { type MqttClient } from 'mqtt';

const [url = 'mqtt://127.0.0.1:1883', host = 'compute-9', password = ''] = process.argv.slice(2);
const binary = 'tiny-agent';
// As encodeURIComponent writes it: one level of a topic, and the user name.
const level = encodeURIComponent(host);
const up = `neutron/v1/up/${level}`;
const down = `neutron/v1/down/${level}`;
const answers = `${down}/rep/${level}.${binary}`;
const presence = `${up}/presence/${binary}`;
// One connection, one epoch: this agent does not come back by itself.
const epoch = Date.now();

const client: MqttClient = await mqtt.connectAsync(url, {
  protocolVersion: 5,
  username: level,
  password,
  clientId: `${level}.${binary}`,
  clean: false,
  properties: { sessionExpiryInterval: 300 },
  reconnectPeriod: 0,
  will: { topic: presence, payload: JSON.stringify({ epoch, alive: false }), qos: 1, retain: true },
});

/** Calls that wait for their answers, by Correlation Data. */
const waiting = new Map<string, (answer: { result?: unknown; failure?: { type: string; message: string } }) => void>();
/** What is done with messages, by the last level of their topic. */
const listeners = new Map<string, (args: Record<string, unknown>) => void>();

client.on('message', (topic, payload, { properties }) => {
  const message = JSON.parse(payload.toString());
  if (topic === answers) waiting.get(String(properties?.correlationData))?.(message);
  else listeners.get(topic.split('/').at(-1) ?? '')?.(message.args);
});
await client.subscribeAsync(answers, { qos: 1 });

/** Sends the same request again, with the same Correlation Data, until it is answered. */
async function call(topic: string, method: string, version: string, args: object): Promise<unknown> {
  const id = crypto.randomUUID();
  const answered = Promise.withResolvers<unknown>();
  waiting.set(id, ({ result, failure }) => {
    if (failure === undefined) answered.resolve(result);
    else answered.reject(new Error(`${method}: ${failure.type}: ${failure.message}`));
  });
  const send = () =>
    client.publish(`${up}/req/${topic}`, JSON.stringify({ method, version, args, context: {} }), {
      qos: 1,
      properties: { responseTopic: answers, correlationData: Buffer.from(id), messageExpiryInterval: 5 },
    });
  send();
  const again = setInterval(send, 5000);
  try {
    return await answered.promise;
  } finally {
    clearInterval(again);
    waiting.delete(id);
  }
}

async function report(start: boolean): Promise<void> {
  const agent_state = {
    agent_type: 'Open vSwitch agent',
    binary,
    host,
    topic: 'N/A',
    // What the server chooses a port's segment by: the tunnels that this host has.
    configurations: { tunnel_types: ['vxlan', 'geneve', 'gre'], tunneling_ip: '192.0.2.9', bridge_mappings: {} },
    ...(start ? { start_flag: true } : {}),
  };
  const time = new Date().toISOString().replace('Z', '000');
  const status = await call('q-reports-plugin', 'report_state', '1.4', { time, agent_state: { agent_state } });
  console.log(`reported: ${status}`);
}

interface Port {
  readonly id: string;
  readonly bindings: readonly {
    readonly 'versioned_object.data': { readonly host: string; readonly vif_type: string };
  }[];
}

/** Of every port that is bound to this host: asks how to wire it, and says that it is. */
async function wire(ports: readonly Port[]): Promise<void> {
  const here = ports.filter(({ bindings }) =>
    bindings.some(({ 'versioned_object.data': { host: bound, vif_type } }) => bound === host && vif_type === 'ovs'),
  );
  const devices = here.map(({ id }) => id).filter((id) => !wired.has(id));
  if (devices.length === 0) return;
  for (const id of devices) wired.add(id);
  const asking = { agent_id: `tiny-agent-${host}`, host };
  const details = await call('q-plugin', 'get_devices_details_list', '1.9', { ...asking, devices });
  for (const { device, network_type, segmentation_id } of details as Record<string, string>[]) {
    console.log(`port ${device}: ${network_type} ${segmentation_id}`);
  }
  await call('q-plugin', 'update_device_list', '1.9', { ...asking, devices_up: devices, devices_down: [] });
  for (const device of devices) console.log(`port ${device} is up`);
}
const wired = new Set<string>();

// Listen first, then say that it is there, then ask for what was said before.
const pushes = 'neutron-vo-Port-1.11';
listeners.set(pushes, ({ resource_list, event_type }) => {
  const objects = resource_list as { 'versioned_object.data': Port }[];
  if (event_type !== 'deleted') void wire(objects.map((object) => object['versioned_object.data']));
});
await client.subscribeAsync(`${down}/msg/${pushes}`, { qos: 1 });
await client.publishAsync(presence, JSON.stringify({ epoch, alive: true }), { qos: 1, retain: true });
await report(true);
const known = await call('q-plugin', 'bulk_pull', '1.1', { resource_type: 'Port', version: '1.11', filter_kwargs: {} });
await wire((known as { 'versioned_object.data': Port }[]).map((object) => object['versioned_object.data']));
console.log('ready');

const reports = setInterval(() => void report(false), 30_000);
process.once('SIGTERM', async () => {
  clearInterval(reports);
  await client.publishAsync(presence, JSON.stringify({ epoch, alive: false }), { qos: 1, retain: true });
  await client.endAsync();
});
