/** Extra routes: each leads to a next hop that the router reaches by itself (neutron.db.extraroute_db). */

import { storedCidr } from '#src/ipam/mod.ts';
import { defaultAttributeRules } from '#src/lib/api/rules.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { canonicalIp, contains, formatCidr, parseCidr, parseIp } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { InvalidRoutes, RouterInterfaceInUseByRoute } from '../errors.ts';
import type { PortAddress, RouterPort } from './store.ts';

export interface Route {
  readonly destination: string;
  readonly nexthop: string;
}

const isWrong = defaultAttributeRules.validators['type:hostroutes'];

const keyOf = ({ destination, nexthop }: Route): string => `${destination} ${nexthop}`;

/** The same routes, written in one way. */
export function canonicalRoutes(routes: readonly Route[]): readonly Route[] {
  return routes.map(({ destination, nexthop }) => {
    const cidr = parseCidr(destination);
    return { destination: cidr === null ? destination : formatCidr(cidr), nexthop: canonicalIp(nexthop) ?? nexthop };
  });
}

/** The routes of an action's body: `{router: {routes: [...]}}`. */
export function routesOf(body: Resource): readonly Route[] {
  const { router } = body as { readonly router?: { readonly routes?: unknown } };
  const routes = typeof router === 'object' && router !== null ? router.routes : undefined;
  if (!Array.isArray(routes)) throw new BadRequest('router', 'the body is to be {"router": {"routes": [...]}}');
  const wrong = isWrong(routes, null);
  if (wrong !== null) throw new BadRequest('router', `Invalid input for routes. Reason: ${wrong}`);
  return canonicalRoutes(routes as Route[]);
}

/** Those that are there and those that come, each once. */
export function withRoutes(present: readonly Route[], added: readonly Route[]): readonly Route[] {
  return [...new Map([...present, ...added].map((route) => [keyOf(route), route])).values()];
}

/** Those that stay; what is not there need not be taken away. */
export function withoutRoutes(present: readonly Route[], removed: readonly Route[]): readonly Route[] {
  const gone = new Set(removed.map(keyOf));
  return present.filter((route) => !gone.has(keyOf(route)));
}

export function sameRoutes(a: readonly Route[], b: readonly Route[]): boolean {
  return a.length === b.length && a.every((route, at) => keyOf(route) === keyOf(b[at]!));
}

const reaches = (cidr: string, address: string): boolean => {
  const ip = parseIp(address);
  return ip !== null && contains(storedCidr(cidr), ip);
};

/** Throws for a next hop on none of the router's subnets, or that is the router itself. */
export function checkRoutes(routes: readonly Route[], ports: readonly RouterPort[]): void {
  const cidrs = ports.flatMap(({ fixed_ips, outside }) => [...fixed_ips, ...outside].map(({ cidr }) => cidr));
  const own = new Set(ports.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address)));
  for (const { nexthop } of routes) {
    if (!cidrs.some((cidr) => reaches(cidr, nexthop))) {
      throw new InvalidRoutes(routes, 'the nexthop is not connected with router');
    }
    if (own.has(nexthop)) throw new InvalidRoutes(routes, 'the nexthop is used by router');
  }
}

/** Throws where a route needs one of the subnets that the router is to leave. */
export function refuseWhileRouted(id: string, routes: readonly Route[], leaving: readonly PortAddress[]): void {
  for (const { subnet_id, cidr } of leaving) {
    if (routes.some(({ nexthop }) => reaches(cidr, nexthop))) throw new RouterInterfaceInUseByRoute(id, subnet_id);
  }
}
