/**
 * What DHCP agents ask: DhcpRpcCallback 1.10 (neutron.api.rpc.handlers.dhcp_rpc). An agent is told of the networks that it serves,
 * and acts on its own ports there; everything else is to it as if it did not exist.
 */
import * as v from 'valibot';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import { PortNotFound } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { MessageReader, RpcEndpoint } from '#src/lib/rpc.ts';
import { parseArguments } from '#src/rpc/contract.ts';
import { createAgentPort, updateAgentPort } from './agent_port.ts';
import { dhcpDeviceId } from './contract.ts';
import type { DhcpHost } from './mod.ts';
import { type NetworkInfoHost, type NetworkPage, networkInfos } from './network_info.ts';
import { type AgentPorts, isGone } from './ports.ts';
import { networksOfHost, portsServedBy, servedBy } from './store.ts';
import type { Sweep } from './sweep.ts';

const ID = v.pipe(v.string(), v.check(isUuid, 'must be a UUID'));
/** Networks may be asked for by what is none: there is no such network. */
const NAMED = v.pipe(v.string(), v.maxLength(255));
const LIMIT = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)));
const ACTIVE = v.object({
  enable_dhcp_filter: v.nullish(v.boolean(), true),
  limit: LIMIT,
  after: v.nullish(v.object({ network_id: ID, port_id: v.nullish(ID, null) })),
});
const ONE = v.object({
  network_id: NAMED,
  enable_dhcp: v.optional(v.nullable(v.boolean()), true),
  limit: LIMIT,
  after: v.nullish(ID),
});
const RELEASE = v.object({ network_id: NAMED, device_id: v.pipe(v.string(), v.maxLength(255)) });
const GET_PORT = v.object({ port_id: NAMED });
/** Each that becomes ready is told of: neutron-dhcp-agent says 64 at once. */
const READY = v.object({ port_ids: v.pipe(v.array(NAMED), v.maxLength(1000)) });
const VALUES = v.pipe(v.array(v.union([v.string(), v.number(), v.boolean(), v.null()])), v.maxLength(1000));
const NETWORKS = v.object({
  filters: v.nullish(v.pipe(v.record(v.string(), VALUES), v.maxEntries(50))),
  fields: v.nullish(v.pipe(v.array(NAMED), v.maxLength(100))),
  limit: LIMIT,
  after: v.nullish(ID),
});

/** The endpoint; answers on `q-plugin`. */
export function dhcpEndpoint(host: DhcpHost, ports: AgentPorts, sweep: Sweep): RpcEndpoint {
  const { db, mechanisms, plugins, statuses } = host;
  const { settings } = host.dhcp;
  const reader = (name: string): MessageReader => plugins.get('CORE')!.readers![name]!;
  const infoHost: NetworkInfoHost = {
    sql: db.sql,
    reader,
    mechanisms,
    downTime: settings.downTime,
    disabledServe: settings.disabledServe,
  };
  const read = async (name: string, id: string): Promise<Json | undefined> =>
    (await reader(name)(db.sql, [id])).get(id);

  return {
    version: '1.10',
    methods: {
      async get_active_networks_info(call, args) {
        const { enable_dhcp_filter, limit, after } = parseArguments(ACTIVE, 'get_active_networks_info', args);
        if (after == null && settings.automatic) await sweep();
        const enable_dhcp = enable_dhcp_filter === false ? null : true;
        const page: NetworkPage = { limit, after: after ?? undefined };
        return await networkInfos(infoHost, { host: call.host, enable_dhcp, page });
      },

      async get_network_info(call, args) {
        const { network_id, enable_dhcp, limit, after } = parseArguments(ONE, 'get_network_info', args);
        if (!isUuid(network_id)) return null;
        const start = after == null ? undefined : { network_id, port_id: after };
        const wanted = { host: call.host, network_id, enable_dhcp };
        const [info] = await networkInfos(infoHost, { ...wanted, page: { limit, after: start } });
        if (info !== undefined || start === undefined) return info ?? null;
        // Behind its last port: the network with no more of them.
        const [whole] = await networkInfos(infoHost, { ...wanted, page: { limit: 1 } });
        return whole === undefined ? null : { ...whole, ports: [] };
      },

      async release_dhcp_port(call, args) {
        const { network_id, device_id } = parseArguments(RELEASE, 'release_dhcp_port', args);
        // Also where it does not serve the network any more: that is when it releases the port.
        if (!isUuid(network_id) || !device_id.startsWith(await dhcpDeviceId(network_id, call.host))) return null;
        for (const id of await ports.of({ network_id, host: call.host, device_id })) {
          try {
            await ports.verb('delete_port')(call.context, { id, parents: {} });
          } catch (error) {
            if (!isGone(error)) throw error;
          }
        }
        return null;
      },

      create_dhcp_port: async (call, args) =>
        await createAgentPort({ db, ports, log: host.log, read: (id) => read('port', id) }, call, args),

      update_dhcp_port: async (call, args) =>
        await updateAgentPort({ db, ports, log: host.log, read: (id) => read('port', id) }, call, args),

      async get_dhcp_port(call, args) {
        const { port_id } = parseArguments(GET_PORT, 'get_dhcp_port', args);
        const port = isUuid(port_id) ? ((await read('port', port_id)) as JsonObject | undefined) : undefined;
        const network_id = String(port?.['network_id']);
        if (port === undefined || !(await servedBy(db.sql, call.host, [network_id])).has(network_id)) {
          throw new PortNotFound(port_id);
        }
        return port;
      },

      async dhcp_ready_on_ports(call, args) {
        const { port_ids } = parseArguments(READY, 'dhcp_ready_on_ports', args);
        const served = await portsServedBy(db.sql, call.host, port_ids.filter(isUuid));
        await statuses.provisioned(
          call.context,
          'DHCP',
          served.map((port_id) => ({ port_id })),
        );
        return null;
      },

      async get_networks(call, args) {
        const { filters, fields, limit, after } = parseArguments(NETWORKS, 'get_networks', args);
        const served = await networksOfHost(db.sql, call.host);
        const named = filters?.['id'];
        const ids = served.filter((id) => (named == null || named.includes(id)) && (after == null || id > after));
        const networks = await reader('network')(db.sql, ids);
        const matches = ids.flatMap((id) => {
          const network = networks.get(id) as JsonObject | undefined;
          const fits = Object.entries(filters ?? {}).every(([name, values]) =>
            values.some((value) => value === (network?.[name] ?? null)),
          );
          return network === undefined || !fits ? [] : [network];
        });
        return matches.slice(0, limit ?? matches.length).map((network) => pick(network, fields));
      },
    },
  };
}

function pick(object: JsonObject, names: readonly string[] | null | undefined): JsonObject {
  if (names == null || names.length === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}
