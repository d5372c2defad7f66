/** What a server says to the person who started it: where it is, and what to try first. */
import { authStrategy } from '#src/config/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import type { StateDirectory } from '../embedded/state_directory.ts';

/** The lines to print once the API answers. */
export async function greeting(
  { files }: Pick<ServerRuntime, 'files'>,
  config: Config,
  { host, port }: { readonly host: string; readonly port: number },
  state: StateDirectory | undefined,
): Promise<readonly string[]> {
  const reached = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${reached}:${port}`;
  const lines = ['', `Nucleon is ready: ${url}`];
  if (state !== undefined) lines.push(`  state        ${state.path}`);
  const strategy = authStrategy(config);
  if (strategy === 'noauth') return [...lines, 'Try:', `  curl ${url}/v2.0/networks`, ''];
  if (strategy === 'keystone' || state === undefined) return [...lines, ''];
  for (const name of ['openrc', 'clouds.yaml']) {
    if (await files.exists(state.file(name))) lines.push(`  ${name.padEnd(12)} ${state.file(name)}`);
  }
  return [...lines, 'Try:', `  . ${quoted(state.file('openrc'))} && openstack network create lan`, ''];
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
