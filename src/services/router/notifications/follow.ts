/**
 * What makes routers others than they were, for the agents that have them (neutron.db.l3_db, L3RpcNotifierMixin): routers, their
 * interfaces and floating IPs, and what they have of networks, subnets and address scopes. What distributed routers make of ports is
 * `dvr/`'s. Where the router is known nothing is read for it; of a network it is asked when what routers have of it has changed.
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { ON_DISTRIBUTED } from '../dvr/hosts.ts';
import type { RouterHost } from '../host.ts';
import { GATEWAY } from '../routers/store.ts';
import { AGENT_HOSTS } from './attributes.ts';
import { routerDeleted, routerUpdated } from './messages.ts';

/** What routers have of a subnet. */
const SUBNET_ATTRIBUTES = ['gateway_ip', 'dns_nameservers', 'ipv6_ra_mode', 'cidr'] as const;

const ON_NETWORK = `
  select distinct o.router_id from ports p join router_ports o on o.port_id = p.id where p.network_id = $1::uuid order by 1`;
const ON_SUBNET = `
  select distinct o.router_id from ip_allocations a join router_ports o on o.port_id = a.port_id
  where a.subnet_id = $1::uuid order by 1`;
/** Those with addresses of the pool: the others of a network have its scope, too, if one of its subnets has it. */
const OF_POOL = `
  select distinct o.router_id from subnets s join ports p on p.network_id = s.network_id
  join router_ports o on o.port_id = p.id where s.subnetpool_id = $1::uuid order by 1`;

async function updatesOf(tx: Transaction, text: string, id: string): Promise<readonly Notification[]> {
  const found = await tx.unsafe<{ router_id: string }[]>(text, [id], { prepare: true });
  return found.map(({ router_id }) => routerUpdated(router_id));
}

const differs = (original: Resource, latest: Resource, name: string): boolean =>
  JSON.stringify(original[name]) !== JSON.stringify(latest[name]);

/** What of a floating IP says which router leads where by it. */
type Led = { readonly router: string; readonly port: string | null; readonly distributed: boolean };

const ledBy = (floatingip: Resource | undefined): Led | undefined => {
  const router = floatingip?.['router_id'];
  if (floatingip === undefined || typeof router !== 'string') return undefined;
  return { router, port: floatingip['port_id'] as string | null, distributed: floatingip[ON_DISTRIBUTED] === true };
};

/** Of a distributed router only the hosts of the port are concerned; while that is going, nobody can say any more which they are. */
const updatedBy = ({ router, port, distributed }: Led, going: boolean): Notification =>
  distributed && port !== null && !going
    ? routerUpdated(router, { audience: 'router_port', of: [`${router}/${port}`] })
    : routerUpdated(router);

/** Subscribes to all of it. */
export function followRouters({ callbacks, outbox }: Pick<RouterHost, 'callbacks' | 'outbox'>): void {
  callbacks.subscribe('router', 'precommit_create', ({ resource_id, latest, notify }) => {
    const { gw_port_id, ha } = latest as Resource;
    if (ha === true || (gw_port_id ?? null) !== null) notify?.(routerUpdated(resource_id));
  });
  callbacks.subscribe('router', 'precommit_update', ({ resource_id, notify }) => notify?.(routerUpdated(resource_id)));
  callbacks.subscribe('router', 'precommit_delete', ({ resource_id, original, notify }) => {
    const hosts = ((original as Resource)[AGENT_HOSTS] ?? []) as readonly string[];
    if (hosts.length > 0) notify?.(routerDeleted(resource_id, hosts));
  });
  for (const event of ['precommit_create', 'precommit_delete'] as const) {
    callbacks.subscribe('router_interface', event, ({ resource_id, notify }) => notify?.(routerUpdated(resource_id)));
  }

  const floatingip = ({ original, latest, request, notify }: CallbackPayload): void => {
    const [before, after] = [ledBy(original as Resource), ledBy(latest as Resource)];
    // Nobody asks for it when it is taken off a port that is deleted.
    const going = original !== undefined && latest !== undefined && request === undefined;
    const moved = before?.router !== after?.router || before?.port !== after?.port;
    if (before !== undefined && moved) notify?.(updatedBy(before, going));
    if (after !== undefined) notify?.(updatedBy(after, false));
  };
  for (const event of ['precommit_create', 'precommit_update', 'precommit_delete'] as const) {
    callbacks.subscribe('floatingip', event, floatingip);
  }

  callbacks.subscribe('port', 'precommit_update', ({ original, latest, notify }) => {
    const [before, after] = [original, latest] as [Resource, Resource];
    if (before['device_owner'] !== GATEWAY || !differs(before, after, 'fixed_ips')) return;
    notify?.(routerUpdated(String(after['device_id'])));
  });
  callbacks.subscribe('network', 'precommit_update', async ({ resource_id, original, latest, tx, notify }) => {
    if (tx === undefined || !differs(original as Resource, latest as Resource, 'mtu')) return;
    notify?.(...(await updatesOf(tx, ON_NETWORK, resource_id)));
  });
  callbacks.subscribe('subnet', 'precommit_update', async ({ resource_id, original, latest, tx, notify }) => {
    const changed = SUBNET_ATTRIBUTES.some((name) => differs(original as Resource, latest as Resource, name));
    if (tx !== undefined && changed) notify?.(...(await updatesOf(tx, ON_SUBNET, resource_id)));
  });
  callbacks.subscribe('subnetpool', 'precommit_update', async ({ context, resource_id, original, latest, tx }) => {
    if (tx === undefined || !differs(original as Resource, latest as Resource, 'address_scope_id')) return;
    const messages = await updatesOf(tx, OF_POOL, resource_id);
    if (messages.length > 0) await outbox.add(tx, context, messages);
  });
}
