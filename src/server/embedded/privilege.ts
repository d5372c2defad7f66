/**
 * How PostgreSQL, which refuses to run as root, is started by whoever we are, and how it learns of our death: where
 * util-linux's `setpriv` is, the kernel sends it a fast shutdown when the supervisor ends, however it ends.
 */
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { StartError } from '../errors.ts';

export interface Privilege {
  /** Commands that run the one behind them. */
  readonly prefix: readonly string[];
  /** The user to become, where we are root and a user namespace cannot be had. */
  readonly uid?: number;
}

const NAMESPACE = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'];
const FOLLOW_US = ['setpriv', '--pdeathsig', 'INT', '--'];
/** nobody */
const UNPRIVILEGED_UID = 65534;

/** Finds the first way that works; `dataOwner` is the user whose files the cluster has been so far. */
export async function findPrivilege(
  { processes }: Pick<ServerRuntime, 'processes'>,
  dataOwner: number | null,
  executable: string,
  env: Readonly<Record<string, string>>,
): Promise<Privilege> {
  for (const privilege of candidates(processes.uid, dataOwner)) {
    const [command = executable, ...args] = [...privilege.prefix, executable, '--version'];
    const uid = privilege.uid === undefined ? {} : { uid: privilege.uid };
    const { code } = await processes.command(command, args, { title: command, env, ...uid }).exited;
    if (code === 0) return privilege;
  }
  if (processes.uid !== 0) {
    throw new StartError(
      `the embedded PostgreSQL cannot be run: ${executable} --version fails. Run "npm ci" again, ` +
        'or name a PostgreSQL of your own with [database] connection',
    );
  }
  throw new StartError(
    'PostgreSQL refuses to run as root, and neither a user namespace (unshare) nor the user nobody can run ' +
      `${executable}: start nucleon as an ordinary user, or name a PostgreSQL of your own with [database] connection`,
  );
}

function candidates(uid: number, dataOwner: number | null): readonly Privilege[] {
  if (uid !== 0) {
    if (dataOwner !== null && dataOwner !== uid) {
      throw new StartError(
        `the embedded database belongs to user ${dataOwner}, and nucleon runs as user ${uid}: ` +
          'start it as that user, or change the owner of the state directory',
      );
    }
    return [{ prefix: FOLLOW_US }, { prefix: [] }];
  }
  const asUser = (other: number) => [
    { prefix: FOLLOW_US, uid: other },
    { prefix: [], uid: other },
  ];
  if (dataOwner !== null && dataOwner !== 0) return asUser(dataOwner);
  const namespaced = [{ prefix: [...NAMESPACE, ...FOLLOW_US] }, { prefix: NAMESPACE }];
  return dataOwner === 0 ? namespaced : [...namespaced, ...asUser(UNPRIVILEGED_UID)];
}
