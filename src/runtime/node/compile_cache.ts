/**
 * Node's cache of compiled modules: with it a process starts in a third of the time, and never loads what strips the types. The
 * supervisor gives its workers a folder in the state directory (NODE_COMPILE_CACHE); it uses that folder itself where it can
 * tell which it is before it has read any configuration.
 */
import fs from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import process from 'node:process';

const FLUSH_AFTER_MS = 5_000;
/** The command that a worker's process is started with. */
const WORKER = 'worker';

/** Called before anything else is imported. */
export function startCompileCache(words: readonly string[]): void {
  if (process.env['NODE_COMPILE_CACHE'] === undefined) {
    const folder = stateDirectory(words);
    if (folder === undefined) return;
    module.enableCompileCache(path.join(folder, 'compile-cache'));
  }
  // Node writes it at an orderly end: a process that is killed one day has written it by then.
  if (words[0] !== WORKER) setTimeout(() => module.flushCompileCache(), FLUSH_AFTER_MS).unref();
}

/**
 * Loaders of workers' code that write the cache as soon as it is loaded. Writing takes hundreds of milliseconds, in which a
 * process does nothing else: at this moment it has nothing to do yet, and the first start ever waits for its database.
 */
export function writingCompileCache<Loaders extends Readonly<Record<string, () => Promise<unknown>>>>(
  loaders: Loaders,
): Loaders {
  const writing = Object.entries(loaders).map(([name, load]) => {
    const write = async () => {
      const loaded = await load();
      module.flushCompileCache();
      return loaded;
    };
    return [name, write] as const;
  });
  return Object.fromEntries(writing) as unknown as Loaders;
}

function stateDirectory([command, ...rest]: readonly string[]): string | undefined {
  const named = process.env['OS_EMBEDDED__STATE_DIR'] ?? '.nucleon';
  // A server without configuration files makes this folder in a moment; otherwise it must be there already.
  if (command === 'server' && rest.length === 0) return named;
  return fs.existsSync(path.join(named, 'version')) ? named : undefined;
}
