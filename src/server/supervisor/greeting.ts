/** What a server says to the person who started it: where it is, and what to try first. */
import { authStrategy, workerCounts } from '#src/config/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import type { StateDirectory } from '../embedded/state_directory.ts';

/** The lines to print once all is up. */
export async function greeting(
  { files, cpus }: Pick<ServerRuntime, 'files' | 'cpus'>,
  config: Config,
  { host, port }: { readonly host: string; readonly port: number },
  state: StateDirectory | undefined,
): Promise<readonly string[]> {
  if (workerCounts(config, cpus).api === 0)
    return ['', 'Nucleon is ready; api_workers = 0: no API on this machine', ''];
  const reached = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${reached}:${port}`;
  const lines = ['', `Nucleon is ready: ${url}`];
  if (state !== undefined) lines.push(`  state        ${state.path}`);
  switch (authStrategy(config)) {
    case 'noauth':
      return [...lines, 'Try:', `  curl ${url}/v2.0/networks`, ''];
    case 'keystone':
      return [...lines, ''];
    case 'embedded': {
      const folder = state?.path ?? config.string('embedded', 'state_dir');
      // Where another server of the cluster made the administrator, they are with that one.
      if (!(await files.exists(`${folder}/openrc`))) return [...lines, ''];
      for (const name of ['openrc', 'clouds.yaml']) lines.push(`  ${name.padEnd(12)} ${folder}/${name}`);
      return [...lines, 'Try:', `  . ${quoted(`${folder}/openrc`)} && openstack network create lan`, ''];
    }
  }
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
