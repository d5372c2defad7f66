/** SQL of routers' gateways. */
import type { Transaction } from '#src/lib/database.ts';

/** The first of the networks by which floating IPs of the router are reached. */
export async function neededNetwork(
  tx: Transaction,
  router_id: string,
  networks: readonly string[],
): Promise<string | undefined> {
  const [found] = await tx<{ network_id: string }[]>`
    select floating_network_id as network_id from floatingips
    where router_id = ${router_id} and floating_network_id = any(${networks as string[]}::uuid[]) limit 1`;
  return found?.network_id;
}

/** Makes the gateway the one that the router shows. */
export async function showGateway(tx: Transaction, router_id: string, port_id: string): Promise<void> {
  await tx`update routers set gw_port_id = ${port_id} where id = ${router_id}`;
}
