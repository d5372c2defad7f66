/**
 * The ports of the embedded services. One that is configured is taken or refused with its option's name; one that is not
 * is a usual port if that is free, else any free one, and stays the same from start to start.
 */
import type { Config } from '#src/lib/config.ts';
import type { Network, ServerFiles } from '#src/lib/runtime.ts';
import { attempt, StartError, systemCode, systemReason } from '../errors.ts';

/** A port that somebody asks for: `postgres_port` of `[embedded]`. */
export interface PortRequest {
  readonly option: string;
  readonly host: string;
}

/** Finds the ports, checks that they are free and remembers them in the file. */
export async function choosePorts(
  runtime: { readonly files: ServerFiles; readonly network: Network },
  config: Config,
  requests: readonly PortRequest[],
  file: string,
): Promise<ReadonlyMap<string, number>> {
  const remembered = await readPorts(runtime.files, file);
  const chosen = new Map<string, number>();
  for (const { option, host } of requests) {
    const configured = config.integer('embedded', option);
    if (config.isSet('embedded', option) && configured !== 0) {
      await claimPort(runtime.network, host, configured, `[embedded] ${option}`);
      chosen.set(option, configured);
    } else {
      chosen.set(option, await freePort(runtime.network, host, [remembered[option], configured], chosen));
    }
  }
  const ports = { ...remembered, ...Object.fromEntries(chosen) };
  if (JSON.stringify(ports) !== JSON.stringify(remembered)) {
    await attempt(`${file} cannot be written`, () => runtime.files.write(file, `${JSON.stringify(ports)}\n`));
  }
  return chosen;
}

/** Throws a StartError that names the option unless the port is free; resolves with the port (for 0: a free one). */
export async function claimPort(network: Network, host: string, port: number, option: string): Promise<number> {
  try {
    const listening = await network.listenTcp({ host, port }, (connection) => connection.close());
    await listening.stop();
    return listening.port;
  } catch (error) {
    throw new StartError(portProblem(error, host, port, option), { cause: error });
  }
}

function portProblem(error: unknown, host: string, port: number, option: string): string {
  switch (systemCode(error)) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is taken by another program: stop that one, or choose another port with ${option}`;
    case 'EACCES':
      return `port ${port} of ${host} may not be opened by this user: choose one above 1023 with ${option}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine: correct the address that goes with ${option}`;
    default:
      return `port ${port} of ${host} (${option}) cannot be opened: ${systemReason(error)}`;
  }
}

async function freePort(
  network: Network,
  host: string,
  preferred: readonly (number | undefined)[],
  taken: ReadonlyMap<string, number>,
): Promise<number> {
  for (const port of preferred) {
    if (port === undefined || port === 0 || [...taken.values()].includes(port)) continue;
    const free = await claimPort(network, host, port, '').catch(() => undefined);
    if (free !== undefined) return free;
  }
  return claimPort(network, host, 0, 'a free port');
}

/** The port that a server chose for an option, if one ran before. */
export async function rememberedPort(files: ServerFiles, file: string, option: string): Promise<number | undefined> {
  return (await readPorts(files, file))[option];
}

async function readPorts(files: ServerFiles, file: string): Promise<Readonly<Record<string, number>>> {
  if (!(await files.exists(file))) return {};
  try {
    const ports: unknown = JSON.parse(await files.read(file));
    if (typeof ports !== 'object' || ports === null) return {};
    return Object.fromEntries(Object.entries(ports).filter(([, port]) => Number.isInteger(port)));
  } catch {
    // Only a memory: without it new ports are chosen.
    return {};
  }
}
