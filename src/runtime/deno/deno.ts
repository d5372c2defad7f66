/** The part of the `Deno` namespace that we use, typed here because the type checker knows Node's globals only. */
interface DenoServer {
  readonly addr: { readonly port: number };
  /** Stops listening and waits for the requests in flight. */
  shutdown(): Promise<void>;
}

/** Opaque. */
type Pointer = object | null;

interface Library {
  readonly symbols: {
    setsockopt(socket: number, level: number, option: number, value: Uint8Array, size: number): number;
  };
  close(): void;
}

interface DenoNamespace {
  readonly version: { readonly deno: string };
  readonly UnsafePointer: { of(bytes: Uint8Array): Pointer; value(pointer: Pointer): bigint };
  dlopen(
    library: string,
    symbols: { readonly setsockopt: { readonly parameters: readonly string[]; readonly result: string } },
  ): Library;
  serve(
    options: { hostname: string; port: number; reusePort: boolean; onListen: () => void },
    handler: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname: string } },
    ) => Response | Promise<Response>,
  ): DenoServer;
}

export const deno: DenoNamespace = (globalThis as unknown as { readonly Deno: DenoNamespace }).Deno;
