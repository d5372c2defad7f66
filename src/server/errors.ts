/** What keeps a server or a command from doing its work, said to the person who started it. */

/** A clear message, and the exit code that goes with it; printed without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: number;

  constructor(message: string, options: { readonly cause?: unknown; readonly exitCode?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.failure;
  }
}

/** Exit codes of every command. */
export const EXIT = {
  ok: 0,
  failure: 1,
  /** The command line cannot be understood. */
  usage: 2,
  /** The configuration cannot be used (sysexits' EX_CONFIG). */
  configuration: 78,
} as const;

/** The system's reasons, in words, with what to do. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device; free some and start again, nothing was lost',
  EDQUOT: 'the disk quota is used up; free some space and start again, nothing was lost',
  EACCES: 'permission is denied; start as the user who owns it, or change its owner',
  EPERM: 'the operation is not permitted; start as the user who owns it, or change its owner',
  EADDRINUSE: 'a port is taken by another program; stop that one, or choose another port',
  EROFS: 'the file system is read-only; name a folder that can be written',
  ENOTDIR: 'a part of the path is not a folder',
  ENOENT: 'it does not exist',
  EEXIST: 'a file of that name is in the way',
};

/** The system's error code (`ENOSPC`), if it is one. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Why the system refused, in words. */
export function systemReason(error: unknown): string {
  const code = systemCode(error);
  const reason = code === undefined ? undefined : REASONS[code];
  return reason ?? (error instanceof Error ? error.message : String(error));
}

/** Does the work; what the system refuses becomes a StartError that begins with what was attempted. */
export async function attempt<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${what}: ${systemReason(error)}`, { cause: error });
  }
}

/** A message with those of its causes, for a log line or a last word. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : undefined;
  const cause = inner ?? (error.cause === undefined ? undefined : messageOf(error.cause));
  return cause === undefined || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}
