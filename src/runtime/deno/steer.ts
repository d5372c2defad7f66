/**
 * Closing one of several listeners of a port (SO_REUSEPORT) resets the connections that the kernel has completed and given to
 * it but that nobody has accepted yet. So before a worker closes its listener it tells the kernel to give new connections to
 * the listener that joined last, its successor: by the shortest of filters, "return N", on the group of the port's sockets. An
 * N that is no listener's number is ignored by the kernel, which is the usual distribution again; that is what remains once
 * we have closed. Deno has no setsockopt(2) of its own: this is the C library's.
 */

import fs from 'node:fs';
import { deno } from './deno.ts';

const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const SO_DETACH_REUSEPORT_BPF = 68;
const RETURN_CONSTANT = 0x06;
const LISTENING = '0A';

/** Undoes what an earlier worker has told the kernel: called by who begins to listen. */
export function distribute(port: number): void {
  withSocket(port, ({ descriptor, setOption }) => setOption(descriptor, SO_DETACH_REUSEPORT_BPF, new Uint8Array(4)));
}

/** New connections go to the listener that joined last. Best effort: without it some may be reset. */
export function steerToNewest(port: number): void {
  withSocket(port, ({ descriptor, listeners, setOption }) => {
    if (listeners < 2) return;
    // struct sock_filter { u16 code; u8 jt, jf; u32 k }
    const filter = new DataView(new ArrayBuffer(8));
    filter.setUint16(0, RETURN_CONSTANT, true);
    filter.setUint32(4, listeners - 1, true);
    // struct sock_fprog { u16 len; struct sock_filter *filter }
    const program = new DataView(new ArrayBuffer(16));
    program.setUint16(0, 1, true);
    const bytes = new Uint8Array(filter.buffer);
    program.setBigUint64(8, deno.UnsafePointer.value(deno.UnsafePointer.of(bytes)), true);
    setOption(descriptor, SO_ATTACH_REUSEPORT_CBPF, new Uint8Array(program.buffer));
  });
}

interface OwnSocket {
  readonly descriptor: number;
  /** How many listen on the port, in all processes. */
  readonly listeners: number;
  setOption(descriptor: number, option: number, value: Uint8Array): void;
}

function withSocket(port: number, use: (socket: OwnSocket) => void): void {
  try {
    const inodes = listeningInodes(port);
    const descriptor = fs.readdirSync('/proc/self/fd').find((name) => inodes.has(socketInode(name)));
    if (descriptor === undefined) return;
    const library = deno.dlopen('libc.so.6', {
      setsockopt: { parameters: ['i32', 'i32', 'i32', 'buffer', 'u32'], result: 'i32' },
    });
    try {
      use({
        descriptor: Number(descriptor),
        listeners: inodes.size,
        setOption: (socket, option, value) => {
          library.symbols.setsockopt(socket, SOL_SOCKET, option, value, value.byteLength);
        },
      });
    } finally {
      library.close();
    }
  } catch {
    // Another C library, or no leave to use it: the kernel distributes as it did.
  }
}

/** The sockets that listen on the port, by inode. */
function listeningInodes(port: number): ReadonlySet<string> {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Set<string>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of fs.readFileSync(`/proc/self/net/${table}`, 'utf8').split('\n')) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === LISTENING && inode !== undefined && local?.endsWith(`:${hexadecimal}`)) inodes.add(inode);
    }
  }
  return inodes;
}

function socketInode(descriptor: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/self/fd/${descriptor}`))?.[1] ?? '';
  } catch {
    return '';
  }
}
