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

export interface Listening extends Stoppable {
  readonly port: number;
}

export interface HttpServerOptions extends ListenOptions {
  readonly handler: (request: Request, remote: { readonly address: string }) => Response | Promise<Response>;
}

export interface Network {
  /** `stop()` drains: requests in flight end, idle connections close. Rejects with an error whose code is EADDRINUSE. */
  serveHttp(options: HttpServerOptions): Promise<Listening>;
  listenTcp(options: ListenOptions, accept: (connection: Connection) => void): Promise<Listening>;
  /** `protocol` is the subprotocol to agree on (`mqtt`). */
  listenWebSocket(
    options: ListenOptions & { readonly path: string; readonly protocol: string },
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
