/** SQL of conntrack helpers beside their reading. What writes them has locked the router. */
import type { Transaction } from '#src/lib/database.ts';

/** The constraint that two of a router which are the same meet. */
export const ONCE = 'conntrack_helpers_once';
/** The one that a helper of a router that is gone meets. */
export const OF_ROUTER = 'conntrack_helpers_router_id_routers_id_fk';

/** What may be changed of a helper. */
export const COLUMNS = { protocol: 'text', port: 'integer', helper: 'text' } as const;

export const NEW_COLUMNS = { id: 'uuid', router_id: 'uuid', ...COLUMNS } as const;

export interface HelperValues {
  readonly protocol: string;
  readonly port: number;
  readonly helper: string;
}

/** Violates ONCE. */
export async function changeHelper(
  tx: Transaction,
  id: string,
  { protocol, port, helper }: HelperValues,
): Promise<void> {
  await tx`
    update conntrack_helpers set protocol = ${protocol}, port = ${port}, helper = ${helper},
      revision_number = revision_number + 1 where id = ${id}`;
}

export async function deleteHelper(tx: Transaction, id: string): Promise<void> {
  await tx`delete from conntrack_helpers where id = ${id}`;
}
