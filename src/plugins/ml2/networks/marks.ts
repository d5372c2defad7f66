/**
 * Marks of networks that live outside of their row: shared with all, external, the default of the external ones. Taking one
 * away waits for those who rely on it.
 */
import { lockRow, violatedConstraint } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { DefaultExternalNetworkExists, ExternalNetworkInUse, InvalidSharedSetting } from '../errors.ts';
import { changes } from '../values.ts';
import {
  closeToAll,
  defaultExternalNetwork,
  hasForeignUsers,
  hasGatewayPorts,
  isOpenToAll,
  markDefault,
  markExternal,
  openToAll,
  unmarkExternal,
} from './store.ts';

export const EXTERNAL = 'router:external';
export const IS_DEFAULT = 'is_default';

/** Waits for port creations under way, so that what is asked next sees their ports; later ones see what is decided. */
const closeToNewPorts = (tx: Transaction, network: Resource) =>
  lockRow(tx, 'networks', String(network['id']), 'update');

/** Shares with all or ends it; whether that was not so already. What is shared with single projects is left alone. */
async function setShared(tx: Transaction, network: Resource, shared: boolean): Promise<boolean> {
  if (shared) return (await openToAll(tx, [network], 'access_as_shared')) > 0;
  if (!(await isOpenToAll(tx, String(network['id'])))) return false;
  await closeToNewPorts(tx, network);
  if (await hasForeignUsers(tx, String(network['id']), String(network['project_id']))) {
    throw new InvalidSharedSetting(String(network['name']));
  }
  await closeToAll(tx, String(network['id']));
  return true;
}

export async function setExternal(tx: Transaction, network: Resource, external: boolean): Promise<void> {
  const id = String(network['id']);
  if (external) {
    await markExternal(tx, [network]);
    await openToAll(tx, [network], 'access_as_external');
    return;
  }
  await closeToNewPorts(tx, network);
  if (await hasGatewayPorts(tx, id)) throw new ExternalNetworkInUse(id);
  await unmarkExternal(tx, id);
}

/**
 * Sets the marks that the body names, but for those that read as they are to be; whether that changed any. `shared` is what its
 * reader sees, who may be one of those that the network is shared with: only the row with all tells. Only external networks can
 * be the default.
 */
export async function setMarks(tx: Transaction, network: Resource, body: Resource): Promise<boolean> {
  const marks = changes(network, body, [EXTERNAL, IS_DEFAULT]);
  const external = marks[EXTERNAL] ?? network[EXTERNAL];
  const { shared } = body;
  const opened = shared !== undefined && (await setShared(tx, network, shared === true));
  if (marks[EXTERNAL] !== undefined) await setExternal(tx, network, external === true);
  const decides = marks[IS_DEFAULT] !== undefined && external === true;
  if (decides) await markDefault(tx, String(network['id']), marks[IS_DEFAULT] === true);
  return opened || marks[EXTERNAL] !== undefined || decides;
}

/** Runs a transaction that may make a network the default; throws DefaultExternalNetworkExists where another is. */
export async function withOneDefault<Result>(
  db: Queryable,
  id: string,
  transaction: () => Promise<Result>,
): Promise<Result> {
  try {
    return await transaction();
  } catch (error) {
    if (violatedConstraint(error) !== 'external_networks_one_default') throw error;
    throw new DefaultExternalNetworkExists((await defaultExternalNetwork(db)) ?? id);
  }
}
