/**
 * SNAT ports: by which the one agent that translates addresses is on the networks of a distributed router, whose interfaces are on
 * every host (neutron.db.l3_dvr_db, `_add_csnat_router_interface_port`). While the router has a gateway there is one for each
 * IPv4 subnet of its interfaces, and one for the IPv6 subnets of a network together. They follow interfaces and gateways within
 * their transactions.
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource, Verb } from '#src/lib/plugin.ts';
import type { RouterHost } from '../host.ts';
import { attachPorts, GATEWAY, type PortAddress, portsOf, type RouterPort } from '../routers/store.ts';
import { DISTRIBUTED, SNAT } from './hosts.ts';

/** A transaction with the core's verbs. */
export interface JointWork {
  readonly tx: Transaction;
  readonly verbs: Readonly<Record<string, Verb>>;
  readonly context: Context;
}

/** The joint transaction of a callback; undefined outside of one. */
export function jointOf({ tx, verbs, context }: CallbackPayload): JointWork | undefined {
  return tx === undefined || verbs === undefined ? undefined : { tx, verbs, context };
}

/** A port that there is to be. */
interface Wanted {
  readonly network_id: string;
  readonly subnet_ids: string[];
}

const isIpv6 = ({ ip_address }: Pick<PortAddress, 'ip_address'>): boolean => ip_address.includes(':');

/** By what the port is of a router's SNAT ports: its IPv4 subnet, or the network with its IPv6 subnets. */
const keyOf = (network_id: string, address: PortAddress): string =>
  isIpv6(address) ? `IPv6 of ${network_id}` : address.subnet_id;

function wantedFor(ports: readonly RouterPort[]): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const { port_type, network_id, fixed_ips } of ports) {
    if (port_type !== DISTRIBUTED) continue;
    for (const address of fixed_ips) {
      const key = keyOf(network_id, address);
      const known = wanted.get(key);
      if (known === undefined) wanted.set(key, { network_id, subnet_ids: [address.subnet_id] });
      else known.subnet_ids.push(address.subnet_id);
    }
  }
  return wanted;
}

/** Gives the locked router the SNAT ports that its interfaces need, and no others; `gateways` are its gateways as they are to be. */
async function settle(
  { acting }: RouterHost,
  { tx, verbs, context }: JointWork,
  router_id: string,
  gateways: (ports: readonly RouterPort[]) => boolean,
): Promise<void> {
  const ports = await portsOf(tx, router_id);
  const wanted = new Map(gateways(ports) ? wantedFor(ports) : []);
  const own = acting.as(context);
  for (const { id, port_type, network_id, fixed_ips } of ports) {
    if (port_type !== SNAT) continue;
    const [first] = fixed_ips;
    const key = first === undefined ? '' : keyOf(network_id, first);
    const place = wanted.get(key);
    wanted.delete(key);
    if (place === undefined) {
      await verbs['delete_port']?.(own, { id, parents: {} });
      continue;
    }
    const kept = fixed_ips.filter(({ subnet_id }) => place.subnet_ids.includes(subnet_id));
    const added = place.subnet_ids.filter((subnet_id) => !kept.some((fixed) => fixed.subnet_id === subnet_id));
    if (kept.length === fixed_ips.length && added.length === 0) continue;
    const addresses = kept.map(({ subnet_id, ip_address }) => ({ subnet_id, ip_address }));
    const body = { fixed_ips: [...addresses, ...added.map((subnet_id) => ({ subnet_id }))] };
    await verbs['update_port']?.(own, { id, parents: {}, body });
  }
  if (wanted.size === 0) return;
  const bodies = [...wanted.values()].map(({ network_id, subnet_ids }) => ({
    ...{ project_id: '', network_id, device_id: router_id, device_owner: SNAT, admin_state_up: true, name: '' },
    fixed_ips: subnet_ids.map((subnet_id) => ({ subnet_id })),
  }));
  const made = (await verbs['create_port_bulk']?.(own, { parents: {}, bodies })) as readonly Resource[];
  await attachPorts(
    tx,
    made.map(({ id }) => ({ router_id, port_id: String(id), port_type: SNAT })),
  );
}

const hasGateway = (ports: readonly RouterPort[]): boolean => ports.some(({ port_type }) => port_type === GATEWAY);

/** After the router has become distributed, or has ceased to be. */
export async function settleMigrated(router: RouterHost, work: JointWork, id: string): Promise<void> {
  await settle(router, work, id, hasGateway);
}

/** Subscribes to the interfaces and gateways of distributed routers. */
export function followSnat(router: RouterHost): void {
  const { callbacks } = router;

  for (const event of ['precommit_create', 'precommit_delete'] as const) {
    callbacks.subscribe('router_interface', event, async (payload) => {
      const work = jointOf(payload);
      const { distributed, gw_port_id } = payload.latest as Resource;
      if (work === undefined || distributed !== true || gw_port_id === null) return;
      await settle(router, work, payload.resource_id, hasGateway);
    });
  }

  callbacks.subscribe('router_gateway', 'precommit_create', async (payload) => {
    const work = jointOf(payload);
    if (work === undefined || (payload.latest as Resource)['distributed'] !== true) return;
    await settle(router, work, payload.resource_id, () => true);
  });

  // The gateway is still there: another may follow it, or be there beside it.
  callbacks.subscribe('router_gateway', 'precommit_delete', async (payload) => {
    const work = jointOf(payload);
    const { new_network_id, port } = (payload.metadata ?? {}) as Readonly<Record<string, unknown>>;
    if (work === undefined || (payload.original as Resource)['distributed'] !== true || new_network_id) return;
    const leaving = (port as RouterPort | undefined)?.id;
    await settle(router, work, payload.resource_id, (ports) => hasGateway(ports.filter(({ id }) => id !== leaving)));
  });
}
