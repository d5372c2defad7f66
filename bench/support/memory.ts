/** How much memory processes have, on Linux: their proportional set size, in which what several share is divided among them. */
import { readdirSync, readFileSync } from 'node:fs';

/** MiB by the title of the process, of `root` and all below it; those of one title are added up, and all of PostgreSQL's. */
export function memoryBelow(root: number): Readonly<Record<string, number>> {
  const parents = new Map<string, string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = read(pid, 'stat');
    parents.set(pid, stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '');
  }
  const sizes: Record<string, number> = {};
  const below = [String(root)];
  for (const pid of below) {
    const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0);
    const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
    // Until a process has told its title, its arguments stand behind.
    const name = /^nucleon: (\w+( \w+)*)(?= [-/]|$)/.exec(command)?.[1] ?? 'postgres';
    sizes[name] = (sizes[name] ?? 0) + kilobytes / 1024;
    below.push(...[...parents].filter(([, parent]) => parent === pid).map(([child]) => child));
  }
  return sizes;
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // Gone.
    return '';
  }
}
