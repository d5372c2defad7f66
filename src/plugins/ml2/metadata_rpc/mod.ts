/**
 * What a metadata agent asks to know the instance behind a request: MetadataRpcCallback 1.0 (neutron.api.rpc.handlers.
 * metadata_rpc). Neutron answers with any port. Here a host sees the ports that are bound to it, and all ports of the networks
 * whose DHCP it serves or whose router is on it: those whose instances can reach its proxy.
 */
import * as v from 'valibot';
import type { Scope } from '#src/db/mod.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { RpcEndpoint } from '#src/lib/rpc.ts';
import { parseArguments } from '#src/rpc/contract.ts';
import { agentPortReading } from '../notifications/mod.ts';
import { PAGE, TEXT } from '../rpc/arguments.ts';
import { listPorts } from '../rpc/lists.ts';
import type { Ml2 } from '../state.ts';

const VALUES = v.pipe(v.array(TEXT), v.maxLength(1000));
const FILTERS = {
  id: v.optional(VALUES),
  network_id: v.optional(VALUES),
  device_id: v.optional(VALUES),
  device_owner: v.optional(VALUES),
  mac_address: v.optional(VALUES),
};
const ARGS = v.object({
  filters: v.strictObject({
    ...FILTERS,
    fixed_ips: v.optional(v.strictObject({ ip_address: v.optional(VALUES), subnet_id: v.optional(VALUES) })),
  }),
  ...PAGE,
});

const ROUTER_PORTS =
  "'network:router_interface', 'network:ha_router_replicated_interface', 'network:router_interface_distributed'";

/** Ports on a host, and ports whose metadata requests come to it. */
function servedBy(host: string): Scope {
  return (parameters) => {
    const here = parameters.add(host, 'text');
    return (
      `(p.id = any(array(select port_id from port_bindings where host = ${here})) ` +
      'or p.network_id = any(array(select s.network_id from network_dhcp_agents s join agents g on g.id = s.agent_id ' +
      `where g.host = ${here} union all select r.network_id from ports r join port_bindings o on o.port_id = r.id ` +
      `where o.host = ${here} and r.device_owner in (${ROUTER_PORTS}))))`
    );
  };
}

/** The metadata agents' part of the plugin. */
export function metadataRpc({ db, extensions }: Pick<Ml2, 'db' | 'extensions'>): PluginPart {
  const reading = agentPortReading(extensions);
  const endpoint: RpcEndpoint = {
    version: '1.0',
    methods: {
      async get_ports({ host }, args) {
        const { filters, ...page } = parseArguments(ARGS, 'get_ports', args);
        const { fixed_ips = {}, ...plain } = filters;
        const conditions = [
          ...Object.entries(plain).map(([attribute, values]) => ({ attribute, operator: 'in' as const, values })),
          ...Object.entries(fixed_ips).map(([key, values]) => ({
            attribute: 'fixed_ips',
            operator: 'in' as const,
            key,
            values,
          })),
        ];
        if (conditions.length === 0) throw new InvalidInput('get_ports: filters: name at least one');
        return await listPorts(db.sql, reading, 'get_ports', { filters: conditions, scope: servedBy(host), page });
      },
    },
  };
  return { rpcListeners: () => [{ topic: 'q-plugin', endpoints: [endpoint] }] };
}
