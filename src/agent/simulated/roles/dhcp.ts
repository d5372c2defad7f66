/**
 * The DHCP agent: serves the networks that the server has given it, with a port of its own on each, and says which ports it is
 * ready for (neutron.agent.dhcp.agent). Every message makes it read its network anew, for there are few and they are small;
 * ports alone are taken as they are told.
 */
import { type Agent, gather, inParallel } from '#src/agent/sdk/mod.ts';
import {
  createDhcpPort,
  DHCP_AGENT,
  type DhcpNetwork,
  dhcpDeviceId,
  dhcpReadyOnPorts,
  getActiveNetworksInfo,
  getNetworkInfo,
  RESERVED_DHCP_PORT,
  releaseDhcpPort,
  updateDhcpPort,
} from '#src/plugins/ml2/dhcp/contract.ts';
import type { RoleHost, RunningRole } from './role.ts';

const AT_ONCE = 8;
const PAGE = 1000;
/** Subnets that give every port its address: the server does so by itself. */
const AUTOMATIC: ReadonlySet<unknown> = new Set(['slaac', 'dhcpv6-stateless']);

/** The subnets that an agent's port must be on. */
const wantedSubnets = ({ subnets }: DhcpNetwork): readonly string[] =>
  subnets.filter((subnet) => subnet.enable_dhcp && !AUTOMATIC.has(subnet['ipv6_address_mode'])).map(({ id }) => id);

/** All networks of the agent, read in pages: they may be more than one answer can hold. */
async function readNetworks(agent: Agent): Promise<readonly DhcpNetwork[]> {
  const { host } = agent;
  const networks = new Map<string, DhcpNetwork>();
  for (let after: { readonly network_id: string; readonly port_id: string | null } | undefined; ; ) {
    const page: readonly DhcpNetwork[] = await agent.call(getActiveNetworksInfo, {
      host,
      enable_dhcp_filter: false,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const network of page) {
      const begun = networks.get(network.id);
      networks.set(network.id, begun === undefined ? network : { ...begun, ports: [...begun.ports, ...network.ports] });
    }
    const last = page.at(-1);
    if (last === undefined) return [...networks.values()];
    after = { network_id: last.id, port_id: last.ports.at(-1)?.id ?? null };
  }
}

/** One network with all its ports, in pages; null when there is none, or it is another's. */
async function readNetwork(agent: Agent, network_id: string): Promise<DhcpNetwork | null> {
  const { host } = agent;
  let network = await agent.call(getNetworkInfo, { host, network_id, limit: PAGE });
  for (let last = network?.ports.at(-1); network !== null && last !== undefined; ) {
    const more: DhcpNetwork | null = await agent.call(getNetworkInfo, {
      host,
      network_id,
      limit: PAGE,
      after: last.id,
    });
    if (more === null) return null;
    network = { ...network, ports: [...network.ports, ...more.ports] };
    last = more.ports.at(-1);
  }
  return network;
}

/** Sets the role up. */
export async function startDhcp({ agent, state, say }: RoleHost): Promise<RunningRole> {
  const { host, log, signal } = agent;

  const ready = gather({
    name: 'readiness of DHCP',
    work: async (port_ids) => {
      await agent.call(dhcpReadyOnPorts, { port_ids });
    },
    log,
    signal,
  });

  /** The port of our own on the network, made or brought on to the subnets that want it. */
  async function ownPort(network: DhcpNetwork): Promise<string | null> {
    const wanted = wantedSubnets(network);
    const device_id = await dhcpDeviceId(network.id, host);
    const existing = network.ports.find((port) => port.device_id === device_id);
    if (wanted.length === 0) {
      if (existing !== undefined) await agent.call(releaseDhcpPort, { host, network_id: network.id, device_id });
      return null;
    }
    const fixed_ips = wanted.map((subnet_id) => ({ subnet_id }));
    const reserved = network.ports.find((port) => port.device_id === RESERVED_DHCP_PORT);
    const found = existing ?? reserved;
    if (found === undefined) {
      const port = {
        name: '',
        admin_state_up: true,
        device_owner: 'network:dhcp',
        network_id: network.id,
        tenant_id: network.project_id,
        mac_address: null,
        fixed_ips,
        device_id,
      };
      return (await agent.call(createDhcpPort, { host, port: { port } }))?.id ?? null;
    }
    const on = new Set(found.fixed_ips.map(({ subnet_id }) => subnet_id));
    if (found.device_id !== device_id || !wanted.every((id) => on.has(id))) {
      const kept = found.fixed_ips.filter(({ subnet_id }) => wanted.includes(subnet_id));
      const added = fixed_ips.filter(({ subnet_id }) => !on.has(subnet_id));
      const port = { network_id: network.id, device_id, fixed_ips: [...kept, ...added] };
      await agent.call(updateDhcpPort, { host, port_id: found.id, port: { port } });
    }
    return found.id;
  }

  function drop(network_id: string): void {
    if (state.networks.delete(network_id)) say(`serves network ${network_id} no more`);
  }

  async function serve(network: DhcpNetwork): Promise<void> {
    if (!network.admin_state_up) return drop(network.id);
    const port_id = await ownPort(network);
    if (!state.networks.has(network.id)) say(`serves network ${network.id}`);
    state.networks.set(network.id, { network, port_id });
    const ids = network.ports.map(({ id }) => id);
    ready.add(port_id === null ? ids : [...ids, port_id]);
  }

  const networks = gather({
    name: 'serving of networks',
    work: (ids) =>
      inParallel(ids, AT_ONCE, async (network_id) => {
        const network = await readNetwork(agent, network_id);
        if (network === null) drop(network_id);
        else await serve(network);
      }),
    log,
    signal,
  });

  const again = (network_id: string) => networks.add([network_id]);

  /** A port as it was told; its network may be on its way yet, and read without it. */
  function changed(port: DhcpNetwork['ports'][number]): void {
    const served = state.networks.get(port.network_id);
    if (served === undefined) {
      again(port.network_id);
      return;
    }
    const ports = [...served.network.ports.filter(({ id }) => id !== port.id), port];
    state.networks.set(port.network_id, { ...served, network: { ...served.network, ports } });
    ready.add([port.id]);
  }

  await agent.listen(DHCP_AGENT, {
    network_create_end: ({ payload: { network } }) => again(network.id),
    network_update_end: ({ payload: { network } }) => again(network.id),
    network_delete_end: ({ payload: { network_id } }) => {
      drop(network_id);
      // It may be on its way.
      again(network_id);
    },
    subnet_create_end: ({ payload: { subnet } }) => again(subnet.network_id),
    subnet_update_end: ({ payload: { subnet } }) => again(subnet.network_id),
    subnet_delete_end: ({ payload: { subnet_id, network_id } }) => {
      for (const { network } of state.networks.values()) {
        if (network.id === network_id || network.subnets.some(({ id }) => id === subnet_id)) again(network.id);
      }
    },
    port_create_end: ({ payload: { port } }) => changed(port),
    port_update_end: ({ payload: { port } }) => changed(port),
    port_delete_end: ({ payload: { port_id } }) => {
      for (const served of state.networks.values()) {
        const { network } = served;
        if (!network.ports.some(({ id }) => id === port_id)) continue;
        const ports = network.ports.filter(({ id }) => id !== port_id);
        state.networks.set(network.id, { ...served, network: { ...network, ports } });
        if (served.port_id === port_id) again(network.id);
      }
    },
    agent_updated: () => void agent.resync(),
  });

  agent.onResync(async () => {
    const given = await readNetworks(agent);
    const ids = new Set(given.map(({ id }) => id));
    for (const id of state.networks.keys()) if (!ids.has(id)) drop(id);
    await inParallel(given, AT_ONCE, serve);
  });

  return {
    settled: async () => {
      await networks.settled();
      await ready.settled();
    },
  };
}
