/**
 * The host's own ports on external networks, by which it leads floating IPs of distributed routers: one for each network, shared by
 * all routers, asked for when the first floating IP needs it and given back when the server says that nothing does any more.
 */
import type { Agent } from '#src/agent/sdk/mod.ts';
import { deleteAgentGatewayPort, getAgentGatewayPort, type RouterPort } from '#src/services/router/contract.ts';

export interface AgentGateways {
  /** The host's port on the network; `told` has it where the server has said so already. Undefined: there cannot be one. */
  on(network_id: string, told: readonly RouterPort[]): Promise<RouterPort | undefined>;
  /** Gives the port back. */
  leave(network_id: string): Promise<void>;
}

export function agentGateways(agent: Agent): AgentGateways {
  const { host } = agent;
  const ports = new Map<string, RouterPort>();
  return {
    async on(network_id, told) {
      const port =
        told.find((one) => one.network_id === network_id) ??
        ports.get(network_id) ??
        (await agent.call(getAgentGatewayPort, { host, network_id }));
      if (port != null) ports.set(network_id, port);
      return port ?? undefined;
    },
    async leave(network_id) {
      if (ports.delete(network_id)) await agent.call(deleteAgentGatewayPort, { host, network_id });
    },
  };
}
