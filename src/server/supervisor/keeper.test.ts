import { describe, expect, it } from 'vitest';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { createBackOff } from './back_off.ts';
import { Keeper, type KeeperOptions } from './keeper.ts';
import { CannotWork, type Exit, type Launched } from './launched.ts';

/** A process that does what the test says. */
function fake(pid: number, options: { readonly fails?: Error; readonly stubborn?: boolean } = {}) {
  const exited = Promise.withResolvers<Exit>();
  const said: string[] = [];
  const launched: Launched = {
    pid,
    ready: options.fails === undefined ? Promise.resolve() : Promise.reject(options.fails),
    exited: exited.promise,
    stop: () => {
      said.push('stop');
      if (options.stubborn !== true) exited.resolve({ code: 0, signal: null });
    },
    kill: () => {
      said.push('kill');
      exited.resolve({ code: null, signal: 'SIGKILL' });
    },
  };
  return { ...launched, said, die: () => exited.resolve({ code: 1, signal: null }) };
}

const options: KeeperOptions = {
  title: 'nucleon: test',
  index: 0,
  log: silentLogger,
  clock: { now: () => 0 },
  restarts: silentMetrics.counter('restarts', ''),
  running: silentMetrics.gauge('running', ''),
  backOff: { next: () => 0 },
};

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries === 500) throw new Error('it did not come to be');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('Keeper', () => {
  it('starts a process that died again', async () => {
    const lives = [fake(1), fake(2)];
    let life = 0;
    const keeper = new Keeper(options, () => lives[life++]!);
    await keeper.start();
    lives[0]!.die();
    await until(() => keeper.current?.pid === 2);
    await keeper.stop(1000);
    expect(lives[1]!.said).toEqual(['stop']);
  });

  it('gives up the first start at once when the process says that it cannot work', async () => {
    let launches = 0;
    const keeper = new Keeper(options, () => fake(++launches, { fails: new CannotWork('no such plugin') }));
    await expect(keeper.start()).rejects.toThrow('no such plugin');
    expect(launches).toBe(1);
  });

  it('tries a first start that dies again, but not for ever', async () => {
    let launches = 0;
    const keeper = new Keeper({ ...options, attempts: 3 }, () => fake(++launches, { fails: new Error('died') }));
    await expect(keeper.start()).rejects.toThrow('died');
    expect(launches).toBe(3);
  });

  it('replaces: the old one is stopped only when the new one is ready', async () => {
    const old = fake(1);
    const keeper = new Keeper(options, () => old);
    await keeper.start();
    await expect(keeper.replace(() => fake(2, { fails: new Error('bad configuration') }), 1000)).rejects.toThrow('bad');
    expect([keeper.current?.pid, old.said]).toEqual([1, []]);
    await keeper.replace(() => fake(3), 1000);
    expect([keeper.current?.pid, old.said]).toEqual([3, ['stop']]);
  });

  it('goes back to the old way of launching after a failed replacement', async () => {
    let lives = 0;
    const first = fake(100);
    const keeper = new Keeper(options, () => (lives++ === 0 ? first : fake(101)));
    await keeper.start();
    await keeper.replace(() => fake(200, { fails: new Error('bad') }), 1000).catch(() => {});
    first.die();
    await until(() => keeper.current?.pid === 101);
  });

  it('kills what does not stop in time', async () => {
    const stubborn = fake(1, { stubborn: true });
    const keeper = new Keeper(options, () => stubborn);
    await keeper.start();
    await keeper.stop(5);
    expect(stubborn.said).toEqual(['stop', 'kill']);
  });
});

describe('createBackOff()', () => {
  it('doubles up to half a minute, with jitter, and begins anew after a healthy life', () => {
    const longest = createBackOff(() => 1);
    expect([0, 0, 0].map((lived) => longest.next(lived))).toEqual([100, 200, 400]);
    for (let deaths = 0; deaths < 20; deaths += 1) longest.next(0);
    expect(longest.next(9_999)).toBe(30_000);
    expect(longest.next(10_000)).toBe(100);
    expect(createBackOff(() => 0).next(0)).toBe(50);
  });
});
