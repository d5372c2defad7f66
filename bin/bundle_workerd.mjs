#!/usr/bin/env node
// Bundles the API for workerd into one module: `node bin/bundle_workerd.mjs [--outfile dist/workerd/main.js] [--minify]`.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    outfile: { type: 'string', default: 'dist/workerd/main.js' },
    minify: { type: 'boolean', default: false },
  },
});

const result = await build({
  absWorkingDir: root,
  entryPoints: ['src/runtime/workerd/main.ts'],
  outfile: values.outfile,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
  mainFields: ['browser', 'module', 'main'],
  external: ['node:*', 'cloudflare:*'],
  minify: values.minify,
  metafile: true,
  logLevel: 'warning',
});

const [[path, { bytes, inputs }]] = Object.entries(result.metafile.outputs);
console.log(`${path}: ${Math.ceil(bytes / 1024)} KiB from ${Object.keys(inputs).length} modules`);
