/**
 * Files through node:fs. A write is whole and durable: the text goes to a file beside, is synced, takes the name, and the
 * folder is synced, so that a crash or a full disk leaves the old text or the new one, never half of either.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { FileLock, ServerFiles } from '#src/lib/runtime.ts';

const require = createRequire(import.meta.url);

export const nodeFiles: ServerFiles = {
  read: (path) => fs.readFile(path, 'utf8'),
  async write(path, text, mode = 0o644) {
    const beside = `${path}.${process.pid}.new`;
    try {
      const file = await fs.open(beside, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, mode);
      try {
        await file.chmod(mode);
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await fs.rename(beside, path);
    } catch (error) {
      await fs.rm(beside, { force: true });
      throw error;
    }
    await syncFolder(dirname(path));
  },
  exists: (path) => fs.access(path).then(...yesOrNo),
  list: (path) => fs.readdir(path),
  async makeDirectory(path, mode = 0o755) {
    await fs.mkdir(path, { recursive: true, mode });
  },
  remove: (path) => fs.rm(path, { force: true }),
  async link(target, path) {
    const beside = `${path}.${process.pid}.new`;
    await fs.rm(beside, { force: true });
    await fs.symlink(target, beside);
    await fs.rename(beside, path);
  },
  rename: (from, to) => fs.rename(from, to),
  removeTree: (path) => fs.rm(path, { recursive: true, force: true }),
  changeOwner,
  async owner(path) {
    try {
      return (await fs.stat(path)).uid;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  async freeSpace(path) {
    const { bavail, bsize } = await fs.statfs(path);
    return bavail * bsize;
  },
  lock,
  realPath: (path) => fs.realpath(path),
  async packageFolder(name) {
    for (const folder of require.resolve.paths(name) ?? []) {
      const path = join(folder, name);
      if (await fs.access(path).then(...yesOrNo)) return path;
    }
    return null;
  },
};

const yesOrNo = [() => true, () => false] as const;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function syncFolder(path: string): Promise<void> {
  const folder = await fs.open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function changeOwner(path: string, uid: number): Promise<void> {
  await fs.lchown(path, uid, uid);
  for (const entry of await fs.readdir(path, { withFileTypes: true, recursive: true })) {
    await fs.lchown(join(entry.parentPath, entry.name), uid, uid);
  }
}

/**
 * There is no flock(2) in node:fs. A lock belongs to the open file, not to the process that asked for it: `flock` of
 * util-linux (and of busybox) locks the file that we hold open and hand down as its descriptor 3, and goes.
 */
async function lock(path: string): Promise<FileLock | null> {
  const file = await fs.open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  const code = await flock(file.fd).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  if (code !== 0) {
    await file.close();
    return null;
  }
  return { release: () => file.close() };
}

function flock(descriptor: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  child.on('error', (cause) => reject(new Error('the command flock (util-linux) is needed to lock a file', { cause })));
  child.on('exit', (code) => resolve(code ?? 1));
  return promise;
}
