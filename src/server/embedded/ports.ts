/**
 * The ports of the embedded services. One that is configured is taken or refused with its option's name. One that is not
 * is the usual port for the server on the usual API port, if it is free, else any free one: servers that share a machine
 * do not run for the same ports. It stays the same from start to start.
 */
import type { Config } from '#src/lib/config.ts';
import type { Network, ServerFiles } from '#src/lib/runtime.ts';
import { attempt, StartError, systemCode, systemReason } from '../errors.ts';

/** A port that somebody asks for: `postgres_port` of `[embedded]`. */
export interface PortRequest {
  readonly option: string;
  readonly host: string;
}

const USUAL_API_PORT = 9696;

/** A port that is ours: held open until who needs it is about to listen, so that nobody else takes it meanwhile. */
export interface PortClaim {
  readonly port: number;
  release(): Promise<void>;
}

export interface ChoosePortsOptions {
  readonly runtime: { readonly files: ServerFiles; readonly network: Network };
  readonly config: Config;
  readonly requests: readonly PortRequest[];
  /** Where the ports are remembered. */
  readonly file: string;
  /** How long to wait for a port that the processes of a killed supervisor still hold. */
  readonly patienceMs: number;
}

/** Finds the ports, claims and remembers them. */
export async function choosePorts(options: ChoosePortsOptions): Promise<ReadonlyMap<string, PortClaim>> {
  const { runtime, config, requests, file, patienceMs } = options;
  const { files, network } = runtime;
  const remembered = await readPorts(files, file);
  const claims = new Map<string, PortClaim>();
  const usual = config.integer('DEFAULT', 'bind_port') === USUAL_API_PORT;
  for (const { option, host } of requests) {
    const configured = config.integer('embedded', option);
    const claim =
      config.isSet('embedded', option) && configured !== 0
        ? await claimPort(network, { host, port: configured, option: `[embedded] ${option}`, patienceMs })
        : await freePort(network, host, [remembered[option], usual ? configured : 0], patienceMs);
    claims.set(option, claim);
  }
  const ports = { ...remembered };
  for (const [option, { port }] of claims) ports[option] = port;
  if (JSON.stringify(ports) !== JSON.stringify(remembered)) {
    await attempt(`${file} cannot be written`, () => files.write(file, `${JSON.stringify(ports)}\n`));
  }
  return claims;
}

export interface ClaimOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Named when the port cannot be had: `[DEFAULT] bind_port`. */
  readonly option: string;
  readonly patienceMs?: number;
}

const POLL_MS = 50;

/** Claims a port; throws a StartError that names the option when it cannot be had. */
export async function claimPort(network: Network, options: ClaimOptions): Promise<PortClaim> {
  const { host, port, option, patienceMs = 0 } = options;
  for (const end = performance.now() + patienceMs; ; ) {
    try {
      const listening = await network.listenTcp({ host, port }, (connection) => connection.close());
      return { port: listening.port, release: () => listening.stop() };
    } catch (error) {
      if (systemCode(error) !== 'EADDRINUSE' || performance.now() >= end) {
        throw new StartError(portProblem(error, host, port, option), { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
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

/** The port of last time, else the usual one, else any. */
async function freePort(
  network: Network,
  host: string,
  [remembered, usual]: readonly [number | undefined, number],
  patienceMs: number,
): Promise<PortClaim> {
  const option = 'its option in [embedded]';
  for (const port of new Set([remembered ?? 0, usual])) {
    if (port === 0) continue;
    try {
      return await claimPort(network, { host, port, option, patienceMs: port === remembered ? patienceMs : 0 });
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
    }
  }
  return claimPort(network, { host, port: 0, option });
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
