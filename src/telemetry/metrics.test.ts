import { describe, expect, test } from 'vitest';
import { createMetrics, mergeMetrics, metricsHandler } from './mod.ts';

/** Two processes that count the same things. */
async function twoSnapshots() {
  return Promise.all(
    [1, 2].map((amount) => {
      const metrics = createMetrics();
      metrics.counter('requests_total', 'Requests.', ['route']).add({ route: '/v2.0/ports' }, amount);
      metrics.gauge('connections', 'Connections.').set(amount);
      metrics.gauge('outbox_depth', 'Depth.', [], 'max').set(amount);
      metrics.histogram('seconds', 'Time.', ['route'], [1, 2]).observe(amount, { route: 'a' });
      if (amount === 2) metrics.counter('only_here_total', 'Here.').add();
      return metrics.snapshot();
    }),
  );
}

describe('createMetrics()', () => {
  test('collects counters, gauges and histograms as Prometheus’ text', async () => {
    const metrics = createMetrics();
    metrics.counter('requests_total', 'Requests.', ['route']).add({ route: 'a' });
    metrics.counter('requests_total', 'Requests.', ['route']).add({ route: 'a' }, 2);
    metrics.gauge('depth', 'Depth.').set(7);
    metrics.histogram('seconds', 'Time.', [], [1]).observe(0.5);
    const text = await metrics.collect();
    expect(text).toContain(
      '# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{route="a"} 3\n',
    );
    expect(text).toContain('depth 7\n');
    expect(text).toContain('seconds_bucket{le="1"} 1\nseconds_bucket{le="+Inf"} 1\nseconds_sum 0.5\nseconds_count 1');
  });
  test('keeps each registry to itself', async () => {
    createMetrics().counter('mine_total', 'Mine.').add();
    expect(await createMetrics().collect()).not.toContain('mine_total');
  });
  test('refuses one name for two kinds', () => {
    const metrics = createMetrics();
    metrics.counter('a_total', 'A.');
    expect(() => metrics.gauge('a_total', 'A.')).toThrow(
      'Metric a_total is asked for as a Gauge, but exists as a Counter.',
    );
  });
  test('tells of the process when asked', async () => {
    expect(await createMetrics({ process: true }).collect()).toMatch(/process_resident_memory_bytes \d/);
  });
});

describe('mergeMetrics()', () => {
  test('adds up counters, histograms and gauges, or merges gauges as declared', async () => {
    const lines = (await mergeMetrics(await twoSnapshots()))
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.toSorted()).toEqual(
      [
        'requests_total{route="/v2.0/ports"} 3',
        'connections 3',
        'outbox_depth 2',
        'only_here_total 1',
        'seconds_bucket{le="1",route="a"} 1',
        'seconds_bucket{le="2",route="a"} 2',
        'seconds_bucket{le="+Inf",route="a"} 2',
        'seconds_sum{route="a"} 3',
        'seconds_count{route="a"} 2',
      ].toSorted(),
    );
  });
  test('of nothing is nothing, and a worker that sent nonsense is left out', async () => {
    expect((await mergeMetrics([])).trim()).toBe('');
    expect((await mergeMetrics([null, 'x'])).trim()).toBe('');
  });
});

describe('metricsHandler()', () => {
  const ask = metricsHandler(async () => 'depth 1\n');
  test('answers a scrape', async () => {
    const answer = await ask(new Request('http://h/metrics'));
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'depth 1\n',
    ]);
  });
  test('and nothing else', async () => {
    expect((await ask(new Request('http://h/'))).status).toBe(404);
    expect((await ask(new Request('http://h/metrics', { method: 'POST' }))).status).toBe(405);
  });
});
