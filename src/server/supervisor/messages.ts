/**
 * What supervisor and worker say to each other, one JSON object a line: down the worker's standard input, up its standard
 * output. Standard input is also the lifeline: a worker whose input ends has lost its supervisor, drains and exits.
 */
import type { Json } from '#src/lib/api/attributes.ts';

/** The configuration as the supervisor read it; a worker never reads files that may have changed since. */
export interface ConfigurationSnapshot {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** `OS_<GROUP>__<OPTION>` variables, with those that name the embedded services. */
  readonly env: Readonly<Record<string, string>>;
}

export interface StartMessage {
  readonly type: 'start';
  readonly index: number;
  readonly pluginWorker?: string;
  readonly listening: { readonly host: string; readonly port: number };
  readonly configuration: ConfigurationSnapshot;
}

export type DownMessage =
  | StartMessage
  /** Drain and exit. */
  | { readonly type: 'stop' }
  /** Answer with `metrics` of this number. */
  | { readonly type: 'measure'; readonly number: number };

export type UpMessage =
  /** Its code is there: told to start, it starts at once. */
  | { readonly type: 'loaded' }
  | { readonly type: 'ready'; readonly ownProcesses: readonly { readonly name: string; readonly processes: number }[] }
  /** It cannot work at all, and why. */
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'metrics'; readonly number: number; readonly snapshot: Json };

export const encode = (message: DownMessage | UpMessage): string => JSON.stringify(message);

/** A message, or undefined where the line is not one (something printed to standard output). */
export function decode<Message extends DownMessage | UpMessage>(line: string): Message | undefined {
  if (!line.startsWith('{"type":"')) return undefined;
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined;
  }
}
