/**
 * RpcCallbacks 1.9 (neutron.plugins.ml2.rpc) on `q-plugin`: devices, networks and tunnels of L2 agents. The caller's host is that
 * of its topic, whatever `host` and `agent_id` say beside it.
 */
import * as v from 'valibot';
import { showRow } from '#src/db/mod.ts';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Queryable } from '#src/lib/database.ts';
import { NetworkNotFound } from '#src/lib/errors.ts';
import type { RpcEndpoint, RpcMethod } from '#src/lib/rpc.ts';
import { parseArguments } from '#src/rpc/contract.ts';
import { agentNetworkReading, agentPortReading } from '../notifications/mod.ts';
import { DEVICES_UP_AND_DOWN, MANY_DEVICES, ONE_DEVICE, ONE_DEVICE_UP, ONE_NETWORK, PAGE, TEXT } from './arguments.ts';
import { type DeviceHost, devices } from './devices.ts';
import { thoseThatFail } from './failing.ts';
import { listPorts } from './lists.ts';

const VNIC_TYPE = v.object({ vnic_type: TEXT, ...PAGE });

/** Whether a host has to do with a network: ports on it are bound there, or its DHCP agent serves it. */
async function hostHasNetwork(sql: Queryable, host: string, network: string): Promise<boolean> {
  const found = await sql`
    select 1 where exists (
      select 1 from port_bindings b join ports p on p.id = b.port_id where b.host = ${host} and p.network_id = ${network})
    or exists (
      select 1 from network_dhcp_agents s join agents a on a.id = s.agent_id
      where s.network_id = ${network} and a.host = ${host})`;
  return found.length > 0;
}

/** The endpoint, with the methods of `others` beside its own. */
export function rpcCallbacks(ml2: DeviceHost, others: Readonly<Record<string, RpcMethod>>): RpcEndpoint {
  const { db, extensions, log } = ml2;
  const ports = agentPortReading(extensions);
  const networks = agentNetworkReading(extensions);
  const { details, detailsOfOne, up, oneIsUp, down, oneIsDown } = devices(ml2);
  const ofHost = (host: string, names: readonly string[]) => names.map((device) => ({ host, device }));

  /** Does the work for devices; those that it fails for. What agents are told of a failure is which devices to ask for again. */
  const failing = async (
    method: string,
    host: string,
    names: readonly string[],
    work: (names: readonly string[]) => Promise<void>,
  ): Promise<ReadonlySet<string>> => {
    const failed = await thoseThatFail(names, work);
    const [first] = failed;
    if (first !== undefined) {
      const { item: device, error } = first;
      const count = failed.length;
      log.error('devices were not dealt with; their agent tries again', { method, host, device, count, error });
    }
    return new Set(failed.map(({ item }) => item));
  };

  return {
    version: '1.9',
    methods: {
      async get_device_details({ context, host }, args) {
        const { device } = parseArguments(ONE_DEVICE, 'get_device_details', args);
        return await detailsOfOne({ context, host, device });
      },

      async get_devices_details_list({ context, host }, args) {
        const { devices: names } = parseArguments(MANY_DEVICES, 'get_devices_details_list', args);
        return await details(context, ofHost(host, names));
      },

      async get_devices_details_list_and_failed_devices({ context, host }, args) {
        const method = 'get_devices_details_list_and_failed_devices';
        const { devices: names } = parseArguments(MANY_DEVICES, method, args);
        const answers = new Map<string, JsonObject>();
        const failed = await failing(method, host, names, async (some) => {
          const found = await details(context, ofHost(host, some));
          for (const [place, device] of some.entries()) answers.set(device, found[place]!);
        });
        return { devices: names.flatMap((device) => answers.get(device) ?? []), failed_devices: [...failed] };
      },

      async get_network_details({ host }, args) {
        const { network: id } = parseArguments(ONE_NETWORK, 'get_network_details', args);
        const [concerned, network] = await Promise.all([
          hostHasNetwork(db.sql, host, id),
          showRow(db.sql, networks, id, undefined),
        ]);
        if (!concerned || network === undefined) throw new NetworkNotFound(id);
        return network as JsonObject;
      },

      async update_device_up({ context, host }, args) {
        const { device, refresh_tunnels, agent_restarted } = parseArguments(ONE_DEVICE_UP, 'update_device_up', args);
        return await oneIsUp({ context, host, device, resync: refresh_tunnels || agent_restarted });
      },

      async update_device_down({ context, host }, args) {
        const { device } = parseArguments(ONE_DEVICE, 'update_device_down', args);
        return { device, exists: await oneIsDown({ context, host, device }) };
      },

      async update_device_list({ context, host }, args) {
        const method = 'update_device_list';
        const { devices_up, devices_down, ...resync } = parseArguments(DEVICES_UP_AND_DOWN, method, args);
        const wants = { resync: resync.refresh_tunnels || resync.agent_restarted };
        const notUp = await failing(method, host, devices_up, (some) =>
          up(
            context,
            some.map((device) => ({ host, device, ...wants })),
          ),
        );
        const gone = new Map<string, Json>();
        const notDown = await failing(method, host, devices_down, async (some) => {
          const known = await down(context, ofHost(host, some));
          for (const [place, device] of some.entries()) gone.set(device, { device, exists: known[place]! });
        });
        return {
          devices_up: devices_up.filter((device) => !notUp.has(device)),
          failed_devices_up: [...notUp],
          devices_down: devices_down.flatMap((device) => gone.get(device) ?? []),
          failed_devices_down: [...notDown],
        };
      },

      async get_ports_by_vnic_type_and_host({ host }, args) {
        const method = 'get_ports_by_vnic_type_and_host';
        const { vnic_type, ...page } = parseArguments(VNIC_TYPE, method, args);
        const filters = [
          { attribute: 'binding:vnic_type', operator: 'in', values: [vnic_type] },
          { attribute: 'binding:host_id', operator: 'in', values: [host] },
        ] as const;
        return await listPorts(db.sql, ports, method, { filters, page });
      },

      ...others,
    },
  };
}
