/**
 * What the host runtime gives: the only door to files, processes and sockets for code that must run on Node, Deno and (the
 * API) workerd. `src/runtime/<name>` implements it; what an isolate cannot have is absent there.
 */
import type { Stoppable } from './lifetime.ts';

export interface Files {
  read(path: string): Promise<string>;
  /** Whole and durable: written beside, synced, renamed. `mode` e.g. 0o600. */
  write(path: string, text: string, mode?: number): Promise<void>;
  exists(path: string): Promise<boolean>;
  list(path: string): Promise<readonly string[]>;
  makeDirectory(path: string, mode?: number): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface ProcessOptions {
  /** Shown by `ps` and in /proc/PID/cmdline: `nucleon: api worker`. */
  readonly title: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface ChildProcess {
  readonly pid: number;
  /** Lines of the child's standard output. */
  readonly lines: AsyncIterable<string>;
  /** A line to the child's standard input; false when it is closed. */
  send(line: string): boolean;
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): void;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface Processes {
  readonly pid: number;
  /** Runs this same program with other arguments. Standard error is inherited. */
  spawnSelf(args: readonly string[], options: ProcessOptions): ChildProcess;
  spawn(command: string, args: readonly string[], options: ProcessOptions): ChildProcess;
  /** Lines of our own standard input; ends when the parent is gone. */
  readonly input: AsyncIterable<string>;
  /** A line to our own standard output. */
  print(line: string): void;
  onSignal(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP', handler: () => void): void;
  /** Is shown what failed while nobody waited for it; the process ends unless it says true. */
  onUnhandledRejection(handler: (error: unknown) => boolean): void;
  setTitle(title: string): void;
  exit(code: number): never;
}

/** A byte stream: a TCP connection, or a WebSocket's binary messages joined. */
export interface Connection {
  readonly remote: string;
  write(bytes: Uint8Array): void;
  /** Bytes not yet taken by the kernel: the writer's measure of a slow reader. */
  readonly buffered: number;
  close(): void;
  onData(handler: (bytes: Uint8Array) => void): void;
  onClose(handler: () => void): void;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Several processes share the port (SO_REUSEPORT). */
  readonly shared?: boolean;
}

/** PEM texts. */
export interface TlsOptions {
  readonly cert: string;
  readonly key: string;
  /** Clients must show a certificate that this authority signed. */
  readonly clientCa?: string;
}

/** A listener of byte streams. */
export interface StreamListenOptions extends ListenOptions {
  /** Undefined: plain text. */
  readonly tls?: TlsOptions | undefined;
}

export interface Listening extends Stoppable {
  readonly port: number;
}

export interface HttpServerOptions extends ListenOptions {
  readonly handler: (request: Request, remote: { readonly address: string }) => Response | Promise<Response>;
}

export interface Network {
  /** `stop()` drains: requests in flight end, idle connections close. Rejects with an error whose code is EADDRINUSE. */
  serveHttp(options: HttpServerOptions): Promise<Listening>;
  listenTcp(options: StreamListenOptions, accept: (connection: Connection) => void): Promise<Listening>;
  /** `protocol` is the subprotocol to agree on (`mqtt`). */
  listenWebSocket(
    options: StreamListenOptions & { readonly path: string; readonly protocol: string },
    accept: (connection: Connection) => void,
  ): Promise<Listening>;
}

export interface Runtime {
  readonly name: 'node' | 'deno' | 'workerd';
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cpus: number;
  readonly hostname: string;
  readonly files?: Files;
  readonly processes?: Processes;
  readonly network?: Network;
  /** RFC 7914 with N = 2^logN. */
  scrypt(
    password: string,
    salt: Uint8Array,
    parameters: { readonly logN: number; readonly r: number; readonly p: number; readonly length: number },
  ): Promise<Uint8Array>;
}

/** A lock that the kernel gives back when the process ends, however it ends. */
export interface FileLock {
  release(): Promise<void>;
}

/** What only the server (never an isolate) does with files: its state directory. */
export interface ServerFiles extends Files {
  /** A symbolic link; one that exists is replaced. */
  link(target: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** A folder with all that is in it; no error when it is absent. */
  removeTree(path: string): Promise<void>;
  /** Gives the folder and all that is in it to a user. */
  changeOwner(path: string, uid: number): Promise<void>;
  /** The owner's user id; null when the path does not exist. */
  owner(path: string): Promise<number | null>;
  /** Bytes free for us on the file system that holds the path. */
  freeSpace(path: string): Promise<number>;
  /** Takes the lock of a file (made if absent), or null when another process holds it. */
  lock(path: string): Promise<FileLock | null>;
  /** Absolute, links resolved. */
  realPath(path: string): Promise<string>;
  /** The folder of an installed npm package, or null. */
  packageFolder(name: string): Promise<string | null>;
}

/** How a foreign program is started: with the environment given and nothing of ours. */
export interface CommandOptions extends ProcessOptions {
  /** In a session of its own: the terminal's Ctrl-C does not reach it. */
  readonly detached?: boolean;
  /** The user id to run as; only root may. */
  readonly uid?: number;
}

/** A socket that is bound here and accepted from in a child, or in several in turn. */
export interface HeldListener {
  close(): void;
}

export interface SelfOptions extends ProcessOptions {
  /** The child's `serveHttp` with `shared` listens there. */
  readonly listener?: HeldListener | undefined;
}

/** A child whose standard input can be ended, as a tool that reads to the end needs it. */
export interface CommandProcess extends ChildProcess {
  endInput(): void;
}

export interface ServerProcesses extends Processes {
  /** Our user id; 0 is root. */
  readonly uid: number;
  spawnSelf(args: readonly string[], options: SelfOptions): ChildProcess;
  /** Whether `holdListener` is of use here; otherwise children bind themselves. */
  readonly holdsListeners: boolean;
  /** Binds with SO_REUSEPORT for children to come; undefined where that cannot be done. */
  holdListener(host: string, port: number): HeldListener | undefined;
  /** A line to our own standard error. */
  printError(line: string): void;
  /** As spawn, in a session or as a user of its own; `lines` carries its standard error too. Read them or it may block. */
  command(command: string, args: readonly string[], options: CommandOptions): CommandProcess;
  /** The working directory of a running process, or null when there is no such process (or it is not ours to see). */
  workingDirectory(pid: number): Promise<string | null>;
  /** Sends a signal to a process that is not our child; false when there is none. */
  signal(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGQUIT'): boolean;
}

/** What the supervisor and its workers need: Node and Deno have all of it. */
export interface ServerRuntime extends Runtime {
  readonly name: 'node' | 'deno';
  readonly arch: string;
  readonly files: ServerFiles;
  readonly processes: ServerProcesses;
  readonly network: Network;
}
