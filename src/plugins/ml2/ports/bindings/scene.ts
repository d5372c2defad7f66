/** What each verb of bindings looks at first: the port, as the caller sees it, and its bindings. */
import { lockRow, showRow, type TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { BadRequest, PortNotFound } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { portScope } from '../../scope.ts';
import { PortBindingNotFound } from './errors.ts';
import { type PortBinding, readBindings } from './store.ts';

export interface BindingScene {
  readonly port: Resource;
  readonly bindings: readonly PortBinding[];
  /** Undefined between an update that has not happened yet and one that has: never while the port is locked. */
  readonly active: PortBinding | undefined;
  /** The binding on a host; throws PortBindingNotFound. */
  on(host: string): PortBinding;
}

/** Whose ports may be on several hosts. */
const MOVABLE = /^(compute|manila):/;

/** Reads them. Throws PortNotFound, and BadRequest for a port that cannot have several bindings. */
export async function lookAt(
  sql: Queryable,
  reading: TableSql,
  context: Context,
  port_id: string,
): Promise<BindingScene> {
  if (!isUuid(port_id)) throw new PortNotFound(port_id);
  const [port, bindings] = await Promise.all([
    showRow(sql, reading, port_id, undefined, portScope(context)),
    readBindings(sql, port_id),
  ]);
  if (port === undefined) throw new PortNotFound(port_id);
  if (!MOVABLE.test(String(port['device_owner']))) {
    const reason = `Invalid port ${port_id}. Operation only valid on compute and shared filesystem ports`;
    throw new BadRequest('port', reason);
  }
  return {
    port,
    bindings,
    active: bindings.find(({ status }) => status === 'ACTIVE'),
    on(host) {
      const binding = bindings.find((one) => one.host === host);
      if (binding === undefined) throw new PortBindingNotFound(port_id, host);
      return binding;
    },
  };
}

/** The same with the port locked, so that it stays so to the end of the transaction. */
export async function lockAndLookAt(
  tx: Transaction,
  reading: TableSql,
  context: Context,
  port_id: string,
): Promise<BindingScene> {
  if (!isUuid(port_id)) throw new PortNotFound(port_id);
  // Statements go in the order of these calls, which counts.
  const [, scene] = await Promise.all([
    lockRow(tx, 'ports', port_id, 'no key update'),
    lookAt(tx, reading, context, port_id),
  ]);
  return scene;
}
