/**
 * What NDP proxies hold, and what they follow. Inside the transactions of others, under their locks; where there are none it
 * costs no statement, because it is read along whether there are.
 */
import type { CallbackRegistry } from '#src/lib/callbacks.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { ASKED, HAS_PROXIES, PROXIED } from './attributes.ts';
import {
  RouterGatewayInUseByNDPProxy,
  RouterGatewayNotValid,
  RouterInterfaceInUseByNDPProxy,
  RouterIPv6GatewayInUse,
} from './errors.ts';
import { proxyChanged } from './objects.ts';
import { deleteLost, forgetAsked, proxiedSubnet } from './store.ts';

const resourceOf = (value: unknown): Resource => (value ?? {}) as Resource;
const addresses = (port: Resource): readonly string[] =>
  ((port['fixed_ips'] ?? []) as readonly { readonly ip_address: string }[]).map(({ ip_address }) => ip_address);

interface Named {
  readonly id: string;
}

/** Whether it is the gateway that the router shows: of several the others are nothing to proxies. */
const isShown = (router: Resource, { id }: Named): boolean => id === router['gw_port_id'];

/** Why a router that is asked to may have no proxies. */
const WITHOUT_GATEWAY = 'The router has no external gateway';
const WITHOUT_IPV6 = 'The external gateway has no IPv6 address, or its network no IPv6 subnet in an address scope';

export function followOthers(callbacks: CallbackRegistry): void {
  for (const event of ['precommit_create', 'precommit_update'] as const) {
    callbacks.subscribe('router', event, ({ resource_id, request, metadata, ...payload }) => {
      const [original, latest] = [payload.original, payload.latest].map(resourceOf) as [Resource, Resource];
      const { gateway } = (metadata ?? {}) as { readonly gateway?: { readonly updated: readonly Named[] } };
      const asked = request?.['enable_ndp_proxy'];
      if (latest['enable_ndp_proxy'] === true || asked === false) return;
      if (original['enable_ndp_proxy'] === true && gateway?.updated.some((port) => isShown(original, port)) === true) {
        throw new RouterIPv6GatewayInUse(resource_id);
      }
      if (asked !== true) return;
      throw new RouterGatewayNotValid(
        resource_id,
        latest['external_gateway_info'] === null ? WITHOUT_GATEWAY : WITHOUT_IPV6,
      );
    });
  }

  callbacks.subscribe('router_gateway', 'precommit_delete', async ({ tx, resource_id, original, metadata }) => {
    const router = resourceOf(original);
    const { port } = (metadata ?? {}) as { readonly port?: Named };
    if (port === undefined || !isShown(router, port)) return;
    if (router[HAS_PROXIES] === true) throw new RouterGatewayInUseByNDPProxy(resource_id);
    if (tx !== undefined && typeof router[ASKED] === 'boolean') await forgetAsked(tx, resource_id);
  });

  callbacks.subscribe('router_interface', 'precommit_delete', async ({ tx, resource_id, latest, metadata }) => {
    if (tx === undefined || resourceOf(latest)[HAS_PROXIES] !== true) return;
    const leaving = (metadata?.['subnets'] ?? []) as readonly { readonly id: string }[];
    const needed = await proxiedSubnet(
      tx,
      resource_id,
      leaving.map(({ id }) => id),
    );
    if (needed !== undefined) throw new RouterInterfaceInUseByNDPProxy(needed, resource_id);
  });

  /** Proxies go with the address that they are for. */
  for (const event of ['precommit_update', 'precommit_delete'] as const) {
    callbacks.subscribe('port', event, async ({ tx, notify, resource_id, ...payload }) => {
      const [original, latest] = [payload.original, payload.latest].map(resourceOf) as [Resource, Resource];
      if (tx === undefined || original[PROXIED] !== true) return;
      const staying = event === 'precommit_update' ? addresses(latest) : [];
      if (addresses(original).every((address) => staying.includes(address))) return;
      const gone = await deleteLost(tx, resource_id, staying);
      notify?.(...gone.map(({ id, router_id }) => proxyChanged(id, router_id)));
    });
  }
}
