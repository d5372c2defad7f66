/** Who sees subnet pools and address scopes: their owners, and those with whom they are shared. */
import type { Scope } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';

/** A condition over the row that goes by `alias`, whose shares are in the table. */
const ownOrShared =
  (alias: string, shares: string) =>
  (context: Context): Scope =>
  (parameters) => {
    if (context.is_admin || context.is_advsvc || context.is_service) return undefined;
    const project = parameters.add(context.project_id, 'text');
    return `(${alias}.project_id = ${project} or ${alias}.id = any(array(
      select r.object_id from ${shares} r where r.target_project in (${project}, '*'))))`;
  };

/** Over `subnetpools p`. */
export const subnetPoolScope = ownOrShared('p', 'subnetpool_rbacs');
/** Over `address_scopes a`. */
export const addressScopeScope = ownOrShared('a', 'address_scope_rbacs');
