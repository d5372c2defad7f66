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

/** nobody: of the users that are not root, the one that every system has a name for, which PostgreSQL asks for. */
const UNPRIVILEGED_UID = 65534;
const NAMESPACE = ['unshare', '--user', `--map-user=${UNPRIVILEGED_UID}`, `--map-group=${UNPRIVILEGED_UID}`, '--'];
const FOLLOW_US = ['setpriv', '--pdeathsig', 'INT', '--'];

/** Finds the first way that works; `dataOwner` is the user whose files the cluster has been so far. */
export async function findPrivilege(
  { processes }: Pick<ServerRuntime, 'processes'>,
  dataOwner: number | null,
  executable: string,
  env: Readonly<Record<string, string>>,
): Promise<Privilege> {
  const succeeds = async (line: readonly string[], uid?: number): Promise<boolean> => {
    const [command = executable, ...args] = line;
    const as = uid === undefined ? {} : { uid };
    const { code } = await processes.command(command, args, { title: command, env, ...as }).exited;
    return code === 0;
  };
  // A container may run us under a number that no user of it has.
  const named = processes.uid === 0 || (await succeeds(['id', '-un']));
  for (const privilege of candidates(processes.uid, dataOwner, named)) {
    if (await succeeds([...privilege.prefix, executable, '--version'], privilege.uid)) return privilege;
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

function candidates(uid: number, dataOwner: number | null, named: boolean): readonly Privilege[] {
  const namespaced = [{ prefix: [...NAMESPACE, ...FOLLOW_US] }, { prefix: NAMESPACE }];
  if (uid !== 0) {
    if (dataOwner !== null && dataOwner !== uid) {
      throw new StartError(
        `the embedded database belongs to user ${dataOwner}, and nucleon runs as user ${uid}: ` +
          'start it as that user, or change the owner of the state directory',
      );
    }
    return named ? [{ prefix: FOLLOW_US }, { prefix: [] }] : namespaced;
  }
  const asUser = (other: number) => [
    { prefix: FOLLOW_US, uid: other },
    { prefix: [], uid: other },
  ];
  if (dataOwner !== null && dataOwner !== 0) return asUser(dataOwner);
  return dataOwner === 0 ? namespaced : [...namespaced, ...asUser(UNPRIVILEGED_UID)];
}
