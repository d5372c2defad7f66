/** The import rules of docs/architecture.md, checked over every file of src/. */
import { describe, expect, it } from 'vitest';
import { type SourceFile, sources } from './source.ts';

const isTest = (file: SourceFile) => /\.test\.ts$|\/testing\//.test(file.path);
const all = sources('src').filter((file) => !isTest(file));

/** Which part of the system a file belongs to. */
function layer(path: string): string {
  const [, first, second] = path.split('/');
  if (first === 'plugins' || first === 'services') return `plugin:${second}`;
  if (first === 'agent') return second === 'sdk' ? 'agent/sdk' : 'agent';
  return first ?? '';
}

const BASE = ['config', 'db', 'callbacks', 'policy', 'rpc', 'broker', 'telemetry'];
const ENGINES = ['quota', 'outbox', 'ipam', 'scheduler', 'identity'];

/** What each part may import beside itself; `plugin` stands for another plugin's schema.ts or contract.ts. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  ...Object.fromEntries(BASE.map((name) => [name, ['lib']])),
  quota: ['lib', 'db', 'policy', 'config'],
  outbox: ['lib', 'db', 'rpc', 'config'],
  ipam: ['lib', 'db', 'config'],
  scheduler: ['lib', 'db', 'config'],
  identity: ['lib', 'db', 'policy', 'config'],
  api: ['lib', 'config', 'policy', 'quota', 'identity'],
  plugin: ['lib', ...BASE, ...ENGINES],
  plugin_api: ['lib', 'db', 'policy'],
  'agent/sdk': ['lib', 'rpc', 'contract'],
  agent: ['lib', 'rpc', 'agent/sdk', 'contract'],
  server: ['lib', ...BASE, ...ENGINES, 'api', 'plugin', 'agent', 'agent/sdk'],
  runtime: ['lib', ...BASE, ...ENGINES, 'api', 'plugin', 'server', 'agent', 'agent/sdk'],
};

function allowed(from: SourceFile, to: string): boolean {
  const [ours, theirs] = [layer(from.path), layer(to)];
  if (ours === theirs) return true;
  const may = MAY[ours.startsWith('plugin:') ? 'plugin' : ours] ?? [];
  if (!theirs.startsWith('plugin:')) return may.includes(theirs);
  if (may.includes('contract')) return to.endsWith('/contract.ts');
  return may.includes('plugin') || (ours.startsWith('plugin:') && /\/(schema|contract)\.ts$/.test(to));
}

/** A folder's faces: others import these and nothing deeper. */
const FACE =
  /\/(mod|schema|contract|definition|policy|errors)\.ts$|^src\/lib\/|^src\/db\/(columns|schema\/)|^src\/server\//;

/** Each library has one home (and the runtimes, which adapt some of them to the host). */
const HOMES: Readonly<Record<string, RegExp>> = {
  hono: /^src\/(api|identity)\//,
  '@hono/node-server': /^src\/runtime\//,
  'drizzle-orm': /(^src\/db\/|schema\.ts$)/,
  postgres: /^src\/(db|lib\/database\.ts|runtime\/workerd)/,
  mqtt: /^src\/rpc\//,
  'mqtt-packet': /^src\/broker\//,
  jose: /^src\/identity\//,
  'prom-client': /^src\/telemetry\//,
  '@opentelemetry': /^src\/telemetry\//,
  yaml: /^src\/policy\//,
  ws: /^src\/runtime\//,
  'cidr-tools': /^src\/lib\/net\//,
  'ip-bigint': /^src\/lib\/net\//,
};

describe('imports', () => {
  it('point down: no part reaches into one it must not know', () => {
    const wrong = all.flatMap((file) =>
      file.imports
        .filter(({ path }) => path !== undefined && !allowed(file, path))
        .map(({ specifier }) => `${file.path} -> ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('of another folder name its face and nothing deeper', () => {
    const wrong = all.flatMap((file) =>
      file.imports
        .filter(({ path }) => path !== undefined && layer(path) !== layer(file.path) && !FACE.test(path))
        .map(({ specifier }) => `${file.path} -> ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('of the host (node:, Deno, cloudflare:, process) stand in src/runtime alone', () => {
    const host = /(^|[^.\w'])(process\.\w|Deno\.\w|Buffer\.\w)|'(node|cloudflare):/m;
    const wrong = all
      .filter(({ path }) => !path.startsWith('src/runtime/'))
      .filter(({ text }) => host.test(text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/.*$/gm, '')))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it('of a library stand in its home', () => {
    const wrong = all.flatMap((file) =>
      file.imports
        .filter(({ path }) => path === undefined)
        .filter(({ specifier }) => !specifier.startsWith('node:') || !file.path.startsWith('src/runtime/'))
        .filter(({ specifier }) => {
          const name = Object.keys(HOMES).find((home) => specifier === home || specifier.startsWith(`${home}/`));
          return name === undefined ? specifier !== 'valibot' : !HOMES[name]?.test(file.path);
        })
        .map(({ specifier }) => `${file.path} -> ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('form no cycle', () => {
    const byPath = new Map(all.map((file) => [file.path, file]));
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]) => {
      if (state.get(path) === 'done') return;
      if (state.get(path) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
        return;
      }
      state.set(path, 'open');
      for (const { path: to, typeOnly } of byPath.get(path)?.imports ?? []) {
        if (to !== undefined && !typeOnly && byPath.has(to)) visit(to, [...trail, path]);
      }
      state.set(path, 'done');
    };
    for (const { path } of all) visit(path, []);
    expect(cycles).toEqual([]);
  });
});

describe('sources', () => {
  it('stay small: no file has more than 600 lines', () => {
    const long = all
      .filter(({ path }) => !path.startsWith('src/config/options/'))
      .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
      .filter(({ lines }) => lines > 600);
    expect(long).toEqual([]);
  });

  it('open with a comment that says what the module is for', () => {
    const silent = all.filter(({ text }) => !/^(#!.*\n)?\/(\*\*|\/)/.test(text)).map(({ path }) => path);
    expect(silent).toEqual([]);
  });
});
