import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { startTracing } from '#src/telemetry/mod.ts';

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number };
}

/** A collector: what OTLP over HTTP brings. */
const received: OtlpSpan[] = [];
const collector = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  for (const { scopeSpans } of JSON.parse(text).resourceSpans)
    for (const { spans } of scopeSpans) received.push(...spans);
  response.end('{}');
});
let endpoint = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
});
afterAll(() => collector.close());

const traced = (values: Record<string, string | number>) =>
  startTracing(configFrom(allOptions, { tracing: { endpoint, ...values } }));

describe('startTracing()', () => {
  test('sends spans below the caller’s trace, with what was added and what went wrong', async () => {
    received.length = 0;
    const { tracer, stop } = await traced({ service_name: 'nucleon' });
    const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    let sentOn: string | null = null;
    const work = tracer.span(
      'POST /v2.0/ports',
      { 'http.request.method': 'POST' },
      async (span) => {
        sentOn = span.traceparent;
        span.set({ 'http.response.status_code': 500 });
        await span.span('create_port', {}, async () => {
          throw new Error('no');
        });
      },
      parent,
    );
    await expect(work).rejects.toThrow('no');
    await stop();

    const [inner, outer] = received as [OtlpSpan, OtlpSpan];
    expect(received.map(({ name, status }) => [name, status.code])).toEqual([
      ['create_port', 2],
      ['POST /v2.0/ports', 2],
    ]);
    expect([outer.traceId, outer.parentSpanId]).toEqual(['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']);
    expect([inner.traceId, inner.parentSpanId]).toEqual([outer.traceId, outer.spanId]);
    expect(outer.attributes.map(({ key }) => key)).toEqual(['http.request.method', 'http.response.status_code']);
    expect(sentOn).toBe(`00-${outer.traceId}-${outer.spanId}-01`);
  });

  test('begins a trace of its own where the header is malformed or missing', async () => {
    received.length = 0;
    const { tracer, stop } = await traced({});
    const headers = ['nonsense', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, null, undefined];
    for (const header of headers) await tracer.span('a', {}, async () => {}, header);
    await stop();
    expect(received.map(({ parentSpanId }) => parentSpanId || undefined)).toEqual(headers.map(() => undefined));
    expect(new Set(received.map(({ traceId }) => traceId)).size).toBe(headers.length);
  });

  test('follows the caller’s decision, else the ratio', async () => {
    received.length = 0;
    const { tracer, stop } = await traced({ sample_ratio: 0 });
    await tracer.span('unsampled', {}, async () => {});
    await tracer.span('declined', {}, async () => {}, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00');
    await tracer.span('wanted', {}, async () => {}, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    await stop();
    expect(received.map(({ name }) => name)).toEqual(['wanted']);
  });

  test('does nothing where no endpoint is set', async () => {
    const { tracer, stop } = await startTracing(configFrom(allOptions));
    expect(
      await tracer.span('a', {}, async (span) => [span.traceparent, await span.span('b', {}, async () => 7)]),
    ).toEqual([null, 7]);
    await stop();
  });
});
