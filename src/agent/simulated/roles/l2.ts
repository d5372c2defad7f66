/**
 * The layer 2 agent: learns which ports are bound to its host, asks how to wire them and says that they are
 * (neutron.plugins.ml2.drivers.openvswitch.agent). A real one sees a port when its interface appears on the bridge; here the
 * binding is that moment, but for the ports of routers where an L3 agent is beside it: it plugs them into the host's bridge.
 * Forwarding entries and tunnels are kept in memory, as told.
 */
import { type Gathering, gather } from '#src/agent/sdk/mod.ts';
import { NeutronError } from '#src/lib/errors.ts';
import {
  type DeviceDetails,
  getDevicesDetailsList,
  getDvrMacAddressByHost,
  L2_TOPICS,
  PORT_OBJECT,
  type PortObject,
  tunnelSync,
  updateDeviceList,
} from '#src/plugins/ml2/agents/contract.ts';
import { isRoutersPort } from '../bridge.ts';
import type { RoleHost, RunningRole } from './role.ts';
import { followSecurityGroups } from './security.ts';

const NOT_BOUND: ReadonlySet<string> = new Set(['unbound', 'binding_failed']);

/** Sets the role up. */
export async function startL2(role: RoleHost): Promise<RunningRole> {
  const { agent, state, say, tunnelTypes, tunnelingIp, l3Mode } = role;
  const { host, log, signal } = agent;
  const { bridge } = state;
  const asking = { agent_id: `ovs-agent-${host}`, host };
  /** Whether the next report of devices asks for all forwarding entries of their networks. */
  let refresh = true;
  let security: Gathering | undefined;
  /** Of each port that was wired, what wiring depends on. */
  const seen = new Map<string, string>();

  /** Plugged in, or there by its binding. Distributed ports get theirs when they are asked for. */
  const isHere = (port: PortObject): boolean =>
    bridge.has(port.id) ||
    (!(bridge.routed && isRoutersPort(port.device_owner)) &&
      port.bindings.some(
        ({ 'versioned_object.data': { host: bound, vif_type, status } }) =>
          bound === host && status === 'ACTIVE' && !NOT_BOUND.has(vif_type),
      ));

  /** Ports that have gone while the server is asked for their details. */
  const forgotten = new Set<string>();

  function forget(id: string): void {
    seen.delete(id);
    forgotten.add(id);
    state.securityGroups.delete(id);
    if (state.ports.delete(id)) say(`port ${id} is gone`);
  }

  /** Ports that were taken out of the bridge, and may be elsewhere by now. */
  const pulled = new Set<string>();

  async function reportPulled(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await agent.call(updateDeviceList, { ...asking, devices_up: [], devices_down: ids });
    for (const id of ids) {
      pulled.delete(id);
      forget(id);
    }
  }

  const devices = gather({
    name: 'wiring of ports',
    async work(all) {
      forgotten.clear();
      await reportPulled(all.filter((id) => pulled.has(id)));
      const ids = all.filter((id) => !forgotten.has(id));
      if (ids.length === 0) return;
      const answers = await agent.call(getDevicesDetailsList, { ...asking, devices: ids });
      const wired = answers.flatMap((answer) => ('port_id' in answer ? [answer as DeviceDetails] : []));
      const found = new Set(wired.map(({ device }) => device));
      for (const id of ids) if (!found.has(id)) forget(id);
      if (wired.length === 0) return;
      const up = wired.filter(({ admin_state_up }) => admin_state_up).map(({ device }) => device);
      const down = wired.filter(({ admin_state_up }) => !admin_state_up).map(({ device }) => device);
      const reported = await agent.call(updateDeviceList, {
        ...asking,
        devices_up: up,
        devices_down: down,
        ...(refresh ? { refresh_tunnels: true } : {}),
      });
      refresh = false;
      const failed = [...reported.failed_devices_up, ...reported.failed_devices_down];
      for (const details of wired) {
        if (failed.includes(details.device) || forgotten.has(details.port_id)) continue;
        state.ports.set(details.port_id, { details, up: details.admin_state_up });
        const { segmentation_id, network_type } = details;
        say(
          `port ${details.port_id} is ${details.admin_state_up ? 'up' : 'down'} (${network_type} ${segmentation_id})`,
        );
      }
      security?.add(wired.map(({ port_id }) => port_id));
      if (failed.length > 0) throw new Error(`the server could not take the state of ${failed.join(', ')}`);
    },
    log,
    signal,
  });

  const ports = await agent.follow(PORT_OBJECT, {
    async changed(objects) {
      for (const port of objects) {
        if (!isHere(port)) {
          forget(port.id);
          continue;
        }
        const matters = whatMatters(port);
        if (seen.get(port.id) === matters) continue;
        seen.set(port.id, matters);
        devices.add([port.id]);
      }
    },
    async gone(ids) {
      for (const id of ids) forget(id);
    },
  });

  state.known = ports.known;
  security = await followSecurityGroups(role, ports);

  bridge.watch({
    plugged(ids) {
      for (const id of ids) pulled.delete(id);
      devices.add(ids);
    },
    unplugged(ids) {
      for (const id of ids) pulled.add(id);
      devices.add(ids);
    },
  });

  const again = (id: string): void => {
    const port = ports.known.get(id);
    if (port !== undefined && isHere(port)) devices.add([id]);
  };
  const ofNetwork = (network_id: string): readonly string[] =>
    [...state.ports.values()]
      .filter(({ details }) => details.network_id === network_id)
      .map(({ details }) => details.port_id);

  await agent.listen(L2_TOPICS.portUpdate, { port_update: ({ port }) => again(port.id) });
  await agent.listen(L2_TOPICS.portDelete, { port_delete: ({ port_id }) => forget(port_id) });
  await agent.listen(L2_TOPICS.networkUpdate, { network_update: ({ network }) => devices.add(ofNetwork(network.id)) });
  await agent.listen(L2_TOPICS.networkDelete, {
    network_delete: ({ network_id }) => state.forwarding.forget(network_id),
  });
  await agent.listen(L2_TOPICS.bindingActivate, {
    binding_activate: ({ port_id, host: bound }) => {
      if (bound === host) devices.add([port_id]);
    },
  });
  await agent.listen(L2_TOPICS.bindingDeactivate, {
    binding_deactivate: ({ port_id, host: bound }) => {
      if (bound === host) forget(port_id);
    },
  });
  await agent.listen(L2_TOPICS.tunnelUpdate, {
    tunnel_update: ({ tunnel_ip, tunnel_type }) => addTunnel(tunnel_type, tunnel_ip),
  });
  await agent.listen(L2_TOPICS.tunnelDelete, {
    tunnel_delete: ({ tunnel_ip, tunnel_type }) => void state.tunnels.get(tunnel_type)?.delete(tunnel_ip),
  });
  await agent.listen(L2_TOPICS.l2population, {
    add_fdb_entries: ({ fdb_entries }) => state.forwarding.add(fdb_entries),
    remove_fdb_entries: ({ fdb_entries }) => state.forwarding.remove(fdb_entries),
    update_fdb_entries: ({ fdb_entries }) => state.forwarding.move(fdb_entries.chg_ip),
  });

  function addTunnel(type: string, ip: string): void {
    if (ip === tunnelingIp) return;
    const known = state.tunnels.get(type) ?? new Set();
    state.tunnels.set(type, known.add(ip));
  }

  async function syncTunnels(tunnel_type: string): Promise<void> {
    try {
      const { tunnels } = await agent.call(tunnelSync, { tunnel_ip: tunnelingIp, tunnel_type, host });
      state.tunnels.set(tunnel_type, new Set());
      for (const { ip_address } of tunnels) addTunnel(tunnel_type, ip_address);
    } catch (error) {
      // Of a type that the server is not configured for there are no tunnels.
      if (!(error instanceof NeutronError) || error.type !== 'InvalidInput') throw error;
      log.debug('the server has no tunnels of this type', { tunnel_type, error });
    }
  }

  agent.onResync(async (reason) => {
    for (const type of tunnelTypes) await syncTunnels(type);
    if (l3Mode !== 'legacy') await agent.call(getDvrMacAddressByHost, { host });
    // At the start all have just been wired; later the server may have taken them for down.
    if (reason !== 'start') {
      refresh = true;
      devices.add(state.ports.keys());
    }
    await devices.settled();
  });

  return {
    settled: async () => {
      await ports.settled();
      await devices.settled();
      await security.settled();
    },
  };
}

/** The port without what changes when its wiring is reported, here or on other hosts. */
function whatMatters(port: PortObject): string {
  const { status: _, revision_number: __, updated_at: ___, distributed_bindings: ____, ...rest } = port;
  return JSON.stringify(rest);
}
