/** How an agent makes its port on a network, and takes over one that another has left. */
import * as v from 'valibot';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Database } from '#src/lib/database.ts';
import { InvalidInput, NetworkNotFound, NeutronError } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { RpcCall } from '#src/lib/rpc.ts';
import { parseArguments } from '#src/rpc/contract.ts';
import { dhcpDeviceId, RESERVED_DHCP_PORT } from './contract.ts';
import { type AgentPorts, DHCP_OWNER, isGone } from './ports.ts';
import { existingSubnets, projectOf, servedBy } from './store.ts';

export interface AgentPortHost {
  readonly db: Database;
  readonly ports: AgentPorts;
  readonly log: Logger;
  /** The port as messages carry it. */
  readonly read: (id: string) => Promise<Json | undefined>;
}

const TEXT = v.pipe(v.string(), v.maxLength(255));
const FIXED_IPS = v.pipe(
  v.array(v.object({ subnet_id: v.optional(TEXT), ip_address: v.optional(v.pipe(v.string(), v.maxLength(64))) })),
  v.maxLength(100),
);
/** What an agent may say of its port; whatever else it sends is not its to decide. */
const PORT = v.object({
  network_id: TEXT,
  device_id: TEXT,
  name: v.optional(TEXT),
  admin_state_up: v.optional(v.boolean()),
  mac_address: v.nullish(v.pipe(v.string(), v.regex(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i, 'must be a MAC address'))),
  fixed_ips: v.optional(FIXED_IPS),
});
const CREATE = v.object({ port: v.object({ port: PORT }) });
const UPDATE = v.object({
  port_id: TEXT,
  port: v.object({
    port: v.object({ ...v.omit(PORT, ['device_id', 'mac_address']).entries, device_id: v.optional(TEXT) }),
  }),
});

/** What the network or its subnets have become meanwhile: the agent gets no port, and will hear why. */
const MOVED_ON: ReadonlySet<string> = new Set(['NetworkNotFound', 'SubnetNotFound', 'InvalidInput']);
/** Tries to take a port that somebody else changes at the same time. */
const TRIES = 4;

type FixedIps = v.InferOutput<typeof FIXED_IPS> | undefined;

/** The port that the agent has on the network, made if it has none: asking again gives the same. Null: nothing to be had. */
export async function createAgentPort(
  from: AgentPortHost,
  { context, host }: RpcCall,
  args: JsonObject,
): Promise<Json> {
  const { db, ports, read } = from;
  const { network_id, device_id, name, admin_state_up, mac_address, fixed_ips } = parseArguments(
    CREATE,
    'create_dhcp_port',
    args,
  ).port.port;
  if (!(await serves(db, host, network_id))) return null;
  await checkDevice('create_dhcp_port', network_id, host, device_id);
  const device = { network_id, host, device_id };
  const [known] = await ports.of(device);
  if (known !== undefined) return (await read(known)) ?? null;
  const body: Resource = {
    network_id,
    project_id: await projectOf(db.sql, network_id),
    name: name ?? '',
    admin_state_up: admin_state_up ?? true,
    device_id,
    device_owner: DHCP_OWNER,
    'binding:host_id': host,
    ...(mac_address == null ? {} : { mac_address }),
    ...(fixed_ips === undefined ? {} : { fixed_ips }),
  };
  return await unlessMovedOn(from, network_id, fixed_ips, async () => {
    const id = await ports.make(context, device, body);
    return id === undefined ? null : ((await read(id)) ?? null);
  });
}

/**
 * Changes the agent's port, or takes over one that is reserved: of two agents that try, the first has it. Null: it is gone, or
 * another's.
 */
export async function updateAgentPort(
  from: AgentPortHost,
  { context, host }: RpcCall,
  args: JsonObject,
): Promise<Json> {
  const { db, ports, read } = from;
  const { port_id, port } = parseArguments(UPDATE, 'update_dhcp_port', args);
  const { network_id, device_id, name, admin_state_up, fixed_ips } = port.port;
  if (device_id !== undefined) await checkDevice('update_dhcp_port', network_id, host, device_id);
  const own = await dhcpDeviceId(network_id, host);
  for (let tries = 1; ; tries++) {
    const original = (isUuid(port_id) ? await read(port_id) : undefined) as Resource | undefined;
    if (original?.['network_id'] !== network_id || original['device_owner'] !== DHCP_OWNER) return null;
    const owner = String(original['device_id']);
    const place = String(original['binding:host_id']);
    if (owner !== RESERVED_DHCP_PORT && !(owner.startsWith(own) && [host, ''].includes(place))) return null;
    if (!(await serves(db, host, network_id))) throw new NetworkNotFound(network_id);
    const body: Resource = {
      'binding:host_id': host,
      ...(device_id === undefined ? {} : { device_id }),
      ...(name === undefined ? {} : { name }),
      ...(admin_state_up === undefined ? {} : { admin_state_up }),
      ...(fixed_ips === undefined ? {} : { fixed_ips }),
    };
    const if_match = Number(original['revision_number']);
    try {
      return await unlessMovedOn(from, network_id, fixed_ips, async () => {
        await ports.verb('update_port')(context, { id: port_id, parents: {}, body, if_match });
        return (await read(port_id)) ?? null;
      });
    } catch (error) {
      if (isGone(error)) return null;
      const changed = error instanceof NeutronError && error.type === 'RevisionNumberConstraintFailed';
      if (!changed || tries === TRIES) throw error;
    }
  }
}

async function serves({ sql }: Database, host: string, network_id: string): Promise<boolean> {
  return isUuid(network_id) && (await servedBy(sql, host, [network_id])).has(network_id);
}

/** Throws for a device that is not an agent of the host: there may be one for each segment of the network. */
async function checkDevice(method: string, network_id: string, host: string, device_id: string): Promise<void> {
  const own = await dhcpDeviceId(network_id, host);
  if (device_id !== own && !device_id.startsWith(`${own}-`)) {
    throw new InvalidInput(`${method}: device_id is '${device_id}', that of the DHCP agent of ${host} is '${own}'`);
  }
}

/** The answer; null where what was asked for cannot be, since the network or a subnet has gone. */
async function unlessMovedOn(
  { db, log }: AgentPortHost,
  network_id: string,
  fixed_ips: FixedIps,
  work: () => Promise<Json>,
): Promise<Json> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NeutronError)) throw error;
    if (!MOVED_ON.has(error.type)) {
      if (!error.type.startsWith('IpAddressGenerationFailure')) throw error;
      const named = (fixed_ips ?? []).flatMap(({ subnet_id }) => subnet_id ?? []);
      if (await existingSubnets(db.sql, named)) throw error;
    }
    log.warn('a DHCP agent gets no port', { network_id, error });
    return null;
  }
}
