/** Measures a piece of work done many times: rate, latencies, and on Linux the CPU time that processes spent for it. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Measured {
  readonly name: string;
  readonly clients: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** CPU milliseconds for each, by the name of the process. */
  readonly cpu: Readonly<Record<string, number>>;
}

export interface Plan {
  readonly name: string;
  readonly clients: number;
  readonly seconds: number;
  /** Ends before its time when this many are done. */
  readonly times?: number;
  /** What one counts for (a bulk of 50 ports); 1 unless told. */
  readonly each?: number;
  /** A tree of processes whose CPU time is told. */
  readonly pid?: number | undefined;
  /** Does it once; the milliseconds it answers are taken for its time. */
  readonly work: (n: number) => Promise<unknown>;
}

interface Process {
  readonly pid: string;
  readonly parent: string;
  readonly name: string;
  readonly milliseconds: number;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone, or not Linux.
    return '';
  }
}

/** CPU time in milliseconds: of all threads, in nanoseconds where the kernel tells it. */
function milliseconds(pid: string): number {
  let sum = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      sum += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1e6;
    }
  } catch {
    // Gone.
  }
  return sum;
}

function processOf(pid: string): Process | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === '') return undefined;
  const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '';
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').replace('nucleon: ', '').trim();
  const name = /postgres/.test(command) || /^\w+ \w+ 127\.0\.0\.1/.test(command) ? 'postgres' : command.slice(0, 24);
  return { pid, parent, name, milliseconds: milliseconds(pid) };
}

/** CPU time so far of a process and of all below it, by name. */
function cpuTimes(root: number | undefined): Readonly<Record<string, number>> {
  if (root === undefined) return {};
  let pids: readonly string[] = [];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return {};
  }
  const all = pids.map(processOf).filter((found) => found !== undefined);
  const times: Record<string, number> = {};
  const below = [String(root)];
  for (const pid of below) {
    const found = all.find((one) => one.pid === pid);
    // Workers of one title, and PostgreSQL's processes, are told together.
    const name = found?.name.replace(/^postgres.*/, 'postgres') ?? '';
    if (found !== undefined) times[name] = (times[name] ?? 0) + found.milliseconds;
    below.push(...all.filter((one) => one.parent === pid).map((one) => one.pid));
  }
  return times;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Runs the plan and prints a line. */
export async function measure(plan: Plan): Promise<Measured> {
  const { name, clients, seconds, times = Number.POSITIVE_INFINITY, each = 1, work } = plan;
  const latencies: number[] = [];
  const before = cpuTimes(plan.pid);
  const started = performance.now();
  const end = started + seconds * 1000;
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < times && performance.now() < end) {
        const begun = performance.now();
        const answer = await work(next++);
        latencies.push(typeof answer === 'number' ? answer : performance.now() - begun);
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const count = latencies.length * each;
  const cpu = Object.fromEntries(
    Object.entries(cpuTimes(plan.pid))
      .map(([process, spent]) => [process, (spent - (before[process] ?? 0)) / count] as const)
      .filter(([, spent]) => spent > 0.01),
  );
  const measured = {
    name,
    clients,
    perSecond: count / elapsed,
    p50: at(latencies, 0.5),
    p95: at(latencies, 0.95),
    p99: at(latencies, 0.99),
    cpu,
  };
  console.log(line(measured));
  return measured;
}

const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function line({ name, clients, perSecond, p50, p95, p99, cpu }: Measured): string {
  const spent = Object.entries(cpu).map(([process, value]) => `${process} ${short(value)}`);
  return (
    `${name.padEnd(44)} ${String(clients).padStart(3)} clients ${short(perSecond).padStart(7)}/s` +
    `  p50 ${short(p50)} p95 ${short(p95)} p99 ${short(p99)} ms${spent.length > 0 ? `  CPU ms each: ${spent.join(', ')}` : ''}`
  );
}

/** Prints how one figure stands to another, where both were measured. */
export function compare(what: string, ours: number | undefined, floor: number | undefined): void {
  if (ours !== undefined && floor !== undefined) console.log(`${what.padEnd(68)} ${(ours / floor).toFixed(2)}`);
}
