/** What agents are given of further gateways: those behind the first of `external_gateways`, which is `gw_port`, with their ports. */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';

/** `ports` are the router's gateways as agents have ports; nothing of a router with one gateway. */
export function furtherGateways(router: JsonObject, ports: readonly JsonObject[]): JsonObject {
  const shown = router['external_gateways'] as readonly JsonObject[] | undefined;
  const further = ports.filter(({ id }) => id !== router['gw_port_id']);
  if (shown === undefined || further.length === 0) return {};
  const withPorts = further.map((port): Json => {
    const external_fixed_ips = (port['fixed_ips'] as readonly JsonObject[]).map(({ subnet_id, ip_address }) => ({
      subnet_id: subnet_id ?? null,
      ip_address: ip_address ?? null,
    }));
    const enable_snat = router['enable_snat'] ?? true;
    return { network_id: port['network_id'] ?? null, external_fixed_ips, enable_snat, port };
  });
  return { external_gateways: [...shown.slice(0, 1), ...withPorts] };
}
