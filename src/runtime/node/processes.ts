/**
 * Processes through node:child_process. A title becomes argv[0], so that `ps` and /proc/PID/cmdline show it from the first
 * moment; `setTitle` then overwrites the arguments behind it.
 */
import { type ChildProcess as NodeChild, spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import type { CommandOptions, CommandProcess, ProcessOptions, ServerProcesses } from '#src/lib/runtime.ts';
import { descriptorOf, LISTENER_DESCRIPTOR, LISTENER_VARIABLE } from './held_listener.ts';
import { lineWriter } from './line_writer.ts';
import { lines } from './lines.ts';

/** How this same program is started once more: the executable and what stands before our own arguments. */
export interface Program {
  readonly executable: string;
  readonly args: readonly string[];
  readonly holdListener?: ServerProcesses['holdListener'];
}

export function nodeProcesses(program: Program): ServerProcesses {
  // A reader of ours may be gone (a closed terminal, a dead supervisor): that must not end us in the middle of a request.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  return {
    pid: process.pid,
    uid: process.getuid?.() ?? 0,
    spawnSelf(args, options) {
      const descriptor = options.listener === undefined ? undefined : descriptorOf(options.listener);
      const { env, ...rest } = settings(options);
      return wrap(
        spawn(program.executable, [...program.args, ...args], {
          ...rest,
          env: descriptor === undefined ? env : { ...env, [LISTENER_VARIABLE]: String(LISTENER_DESCRIPTOR) },
          argv0: options.title,
          stdio: ['pipe', 'pipe', 'inherit', ...(descriptor === undefined ? [] : [descriptor])],
        }),
      );
    },
    holdsListeners: program.holdListener !== undefined,
    holdListener: (host, port) => program.holdListener?.(host, port),
    spawn: (command, args, options) =>
      wrap(spawn(command, args, { ...settings(options), argv0: options.title, stdio: ['pipe', 'pipe', 'inherit'] })),
    command(command, args, options) {
      const user = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
      return wrap(
        spawn(command, args, {
          ...settings(options),
          // None of our own variables: secrets may be among them, and the program may be another user's.
          env: { ...options.env },
          ...user,
          detached: options.detached ?? false,
          argv0: options.title,
          stdio: ['pipe', 'pipe', 'pipe'],
        }),
      );
    },
    input: lines(process.stdin),
    print: (line) => {
      process.stdout.write(`${line}\n`);
    },
    printError: lineWriter((text) => process.stderr.write(text)),
    onSignal: (signal, handler) => {
      process.on(signal, handler);
    },
    onUnhandledRejection: (handler) => {
      process.on('unhandledRejection', (error) => {
        if (!handler(error)) throw error;
      });
    },
    setTitle: (title) => {
      process.title = title;
    },
    exit: (code) => process.exit(code),
    workingDirectory: (pid) => fs.readlink(`/proc/${pid}/cwd`).catch(() => null),
    signal(pid, signal) {
      try {
        return process.kill(pid, signal);
      } catch {
        return false;
      }
    },
  };
}

function settings(options: ProcessOptions | CommandOptions) {
  return { env: { ...process.env, ...options.env }, ...(options.cwd === undefined ? {} : { cwd: options.cwd }) };
}

function wrap(child: NodeChild): CommandProcess {
  const exited = Promise.withResolvers<{ code: number | null; signal: string | null }>();
  child.on('exit', (code, signal) => exited.resolve({ code, signal }));
  // Could not be started at all (no such command, no memory): the shell's code for it.
  child.on('error', () => exited.resolve({ code: 127, signal: null }));
  child.stdin?.on('error', () => {});
  return {
    pid: child.pid ?? -1,
    lines: lines(output(child)),
    send(line) {
      if (!child.stdin?.writable) return false;
      child.stdin.write(`${line}\n`);
      return true;
    },
    endInput: () => {
      child.stdin?.end();
    },
    kill: (signal) => {
      child.kill(signal);
    },
    exited: exited.promise,
  };
}

function output({ stdout, stderr }: NodeChild): AsyncIterable<Uint8Array> {
  if (stderr === null) return stdout ?? new PassThrough().end();
  const both = new PassThrough();
  const streams = [stdout, stderr].filter((stream) => stream !== null);
  let open = streams.length;
  for (const stream of streams) {
    stream.pipe(both, { end: false });
    stream.on('close', () => {
      open -= 1;
      if (open === 0) both.end();
    });
  }
  return both;
}
