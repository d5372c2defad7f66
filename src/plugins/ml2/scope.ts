/**
 * What a caller sees, as conditions inside the queries: its own, what is shared with it (network RBAC), external networks,
 * and ports on its own networks. Sub-selects are arrays, so that PostgreSQL combines indexes and never walks a table.
 */
import type { Scope } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';

/** Whether the caller sees everything. */
export function seesAll(context: Context): boolean {
  return context.is_admin || context.is_advsvc || context.is_service;
}

const shared = (project: string, actions: string): string =>
  `array(select r.network_id from network_rbacs r where r.target_project in (${project}, '*') and r.action in (${actions}))`;

type ScopeOf = (context: Context) => Scope;

const limited =
  (condition: (project: string) => string): ScopeOf =>
  (context) =>
  (parameters) =>
    seesAll(context) ? undefined : `(${condition(parameters.add(context.project_id, 'text'))})`;

export const networkScope = limited(
  (project) =>
    `n.project_id = ${project} or n.id = any(${shared(project, "'access_as_shared', 'access_as_external'")})`,
);

/** Of external networks, too: whoever may have floating IPs and gateways there sees the subnets they are from. */
export const subnetScope = limited(
  (project) =>
    `s.project_id = ${project} or s.network_id = any(${shared(project, "'access_as_shared', 'access_as_external'")})`,
);

export const portScope = limited(
  (project) =>
    `p.project_id = ${project} or p.network_id = any(array(select id from networks where project_id = ${project}))`,
);
